"""The language server, ``abl lsp`` (docs/spec 12 §2). Needs the extra ``lsp``; importing this package does not."""
