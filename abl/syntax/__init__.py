"""Text -> syntax tree (docs/spec 01): ``parse`` never raises; what it noticed is in ``Document.findings``."""

from abl.syntax.document import parse

__all__ = ["parse"]
