"""Limits on the cost of user text and user data in expressions (docs/spec 02 §8, docs/architecture.md §6)."""

from __future__ import annotations

from typing import Final

MAX_EXPRESSION_LENGTH: Final = 100_000
"""Characters of one expression; a longer text is refused unread."""

MAX_TEMPLATE_LENGTH: Final = 1_000_000
"""Characters of one template; a longer text is printed as it is, with a problem."""

MAX_NESTING: Final = 100
"""Open brackets, prefix operators and conditional branches inside each other."""

MAX_HEIGHT: Final = 100
"""Levels of an expression tree; a chain `a + b + c …` adds a level per operator."""

MAX_COMPILED_HEIGHT: Final = 24
"""Trees higher than this are interpreted: CPython's own parser limits nested parentheses to 200. Less than
MAX_FUNCTION_DEPTH, so that only the interpreter meets calls that nest too deep."""

MAX_COMPILED_NODES: Final = 2_000
"""Trees larger than this are interpreted, since compiling them would take longer than many evaluations."""

MAX_FAST_NODES: Final = 300
"""Trees larger than this have only the code that counts: each node may look through a long text."""

MAX_FUNCTION_DEPTH: Final = 32
"""Calls inside the arguments of calls; deeper is an evaluation error (ABL228)."""

MAX_VALUE_DEPTH: Final = 100
"""Levels of a value: lists and objects inside each other, as they are kept and shown."""

MAX_TEMPLATE_DEPTH: Final = 4
"""String literals with slots inside slots inside string literals …"""

MAX_TEXT: Final = 100_000
"""Characters of a text that a function or `+` yields; longer results are cut."""

MAX_RENDERED: Final = 1_000_000
"""Characters that one template may print."""

MAX_RENDER_ERRORS: Final = 100
"""Failures of slots that one rendering reports."""

MAX_ITERATIONS: Final = 100_000
"""Passes through `{{#each}}` bodies in one rendering, inner and outer together."""

MAX_BLOCK_NESTING: Final = 50
"""`{{#if}}` and `{{#each}}` blocks inside each other."""

MAX_PATTERN_LENGTH: Final = 10_000
"""Characters of a regular expression."""

MAX_SEARCH: Final = 100_000_000
"""Instructions of a compiled pattern times characters of the text: about a second where RE2 is slowest, and one search
cannot be interrupted."""

MAX_PATTERN_MEMORY: Final = 1 << 20
"""Bytes that RE2 may use for one pattern; a pattern that needs more is invalid."""

MAX_QUICK_PATTERN: Final = 64
"""Characters that a pattern for Python's `re` may match before its repetition, so that a search stays quick."""

MAX_QUICK_TEXT: Final = 10_000
"""Characters of a text that compiled code searches without counting."""

MAX_TRACED_SIZE: Final = 2_048
"""Characters of a value as JSON in an explained node; longer values are cut (04 §10)."""

MAX_MATCHED_TEXT: Final = 1_024
"""Characters of a side of MATCH_SCORE beyond which there is nothing to judge."""

EXACT_INTEGER: Final = 2**53
"""Whole numbers up to this size are the same as Python ints and as IEEE doubles."""

MAX_ID_LENGTH: Final = 1_000
"""Characters of a `UNIQUE_ID`."""
