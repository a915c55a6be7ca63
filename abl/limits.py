"""Every bound of the language tools in one place. Each has a test that reaches it.

A bound exists so that no text can take unbounded time, memory or stack; all are far above what a person writes.
"""

from __future__ import annotations

from typing import Final

MAX_SOURCE_CHARS: Final = 2_000_000
"""Characters of one file that are read; the rest is reported once and left alone."""

MAX_TTL_DAYS: Final = 365_000
"""Days that a fact may live (docs/spec 03 §4): a thousand years, behind which dates end."""

MAX_DOCUMENTS: Final = 1_000
"""Agents and profiles in one file; of those behind them only the lines are kept."""

MAX_BLOCK_DEPTH: Final = 100
"""Nested blocks. Deeper lines are kept on the deepest level."""

MAX_VALUE_DEPTH: Final = 100
"""Nested lists and objects in one literal or type."""

MAX_COMPARED_RULES: Final = 50
"""Rules about one name that each later rule about it is compared with (docs/spec 04 §8)."""

MAX_CYCLE_STEPS: Final = 100_000
"""Steps looked at for the cycles of a flow (docs/spec 10 §2); then one cycle of each group of steps is reported."""

MAX_COMPARED_NAMES: Final = 300
"""Names that a misspelt one is compared with (docs/spec 05 §1)."""

MAX_PATHS_ABOVE: Final = 100
"""Names of the longest path that is looked for above a dotted one (docs/spec 02 §7): of an expression's, all."""

MAX_PARSER_FINDINGS: Final = 1_000
"""Problems the parser notes for one file; people are shown fewer (docs/spec 05 §1)."""

MAX_READINGS: Final = 6
"""Times a document is read again because of misspelt words in it (docs/spec 05 §1); of those behind, more follows."""

LINE_CACHE: Final = 16_384
"""Lines whose structure is remembered between parses (docs/spec 01 §2)."""

TOKEN_CACHE: Final = 16_384
"""Lines whose tokens are remembered between highlights."""

MAX_TOKEN_LINE: Final = 20_000
"""Characters of a line that is coloured in detail; a longer one is one piece."""

MAX_PROJECT_TEXT: Final = 200_000
"""Characters of a ``project.yaml`` (docs/spec 12 §3.1)."""

MAX_YAML_REPEATED: Final = 10_000
"""Values that the aliases of one YAML text may repeat (docs/spec 12 §3)."""

MAX_PROJECT_FILES: Final = 1_000
"""Documents of one folder that the language server reads."""

MAX_FOLDER_ENTRIES: Final = 20_000
"""Files and folders that the language server looks at to find them."""

MAX_VARIABLE: Final = 500_000
"""Characters of a session variable's value, written out as JSON: shared parts count wherever they would stand."""

MAX_FACT: Final = 250_000
"""Characters of a fact's value, written out as JSON. A store may take less."""

MAX_VARIABLES: Final = 3_000_000
"""Characters of all large session variables together (those above ``LARGE_VARIABLE``)."""

LARGE_VARIABLE: Final = 1_000
"""Characters of a variable up to which it does not count among the large ones."""

MAX_ANSWER: Final = 2_000_000
"""Characters of the value of an expression that is answered, written out as JSON."""

MAX_SNAPSHOT: Final = 4_000_000
"""Characters of the snapshot behind a turn, written out as JSON: variables, history and what ports keep."""

MAX_REPLY: Final = 100_000
"""Characters of one message to the user."""

MAX_REPLIES: Final = 250_000
"""Characters of all messages of a turn."""

MAX_EVENTS: Final = 10_000
"""Events of one turn."""

MAX_EVENT_CHARS: Final = 9_000_000
"""Characters of all events of a turn, roughly as JSON."""

MAX_SECRETS: Final = 1_000
"""Sensitive texts and numbers that a session hides in its events."""

MAX_COMPARED_LINES: Final = 20_000
"""Lines of two texts, without their common beginning and end, that are compared one by one."""

MAX_LINE_COMPARISONS: Final = 2_000_000
"""Pairs of lines that are looked at for what two texts have in common; then only beginnings and ends are compared."""
