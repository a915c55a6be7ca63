"""How long runs with generated texts are: samples, or with `FUZZ=1` in the environment (``make fuzz``) all."""

from __future__ import annotations

import os
from typing import Final

FULL: Final = bool(os.environ.get("FUZZ"))


def length(sample: int, full: int) -> int:
    """The number of cases to try."""
    return full if FULL else sample
