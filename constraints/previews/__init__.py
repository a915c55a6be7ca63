"""The preview of a prompt: what memory would put into it for a message that is not sent (docs/spec 11 §1)."""
