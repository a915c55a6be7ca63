"""What each rule takes for granted: one root cause, one diagnostic (docs/spec 05 §1).

A rule that says what is missing, or what follows from what is missing, is silent where a misspelt word already tells
it. Here stands for each code which words those are; ``abl.analysis.consequences`` looks for them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from abl.syntax.vocabulary import words

ANY: Final = "*"
"""Whatever is misspelt in the entry."""


def _by_code(table: str) -> Mapping[str, frozenset[str]]:
    """Lines of ``codes: words``."""
    made: dict[str, frozenset[str]] = {}
    for line in filter(None, map(str.strip, table.splitlines())):
        codes, keys = line.split(":")
        for code in codes.split():
            made[f"ABL{code}"] = made.get(f"ABL{code}", frozenset()) | words(keys)
    return made


KEYS: Final = _by_code(
    """
    102: identity goal
    305 365 413 966 971: flow
    260: templates
    365 602 611: tools
    710: nlu entities
    723: lookup_tables
    323 324: scope
    329: sensitive
    330: sensitive_display
    331: sensitive type
    340: when
    341: store
    343: value target
    348 353 354: operation
    360: on event
    367: paths action
    368: domain paths action
    369: instruction action paths
    370 371: action
    386 387: source into as map
    404 405 451: on_fail
    415 422: collect goto clear set
    509 615 971: else respond gather
    512 716: type list range preferences
    607: goal
    610: exit_with exit_when
    611: exit_when
    622: check call gather
    214 253: from template source as into
    613: on_exhausted
    614: max_attempts
    624: check call
    625: call gather
    626: on_success
    632 637 638: gather
    639: intent
    640: resume goto do respond delegate handoff then
    641: *
    642: condition
    644: return delegate
    647: name
    648: on_timeout
    649: mode fields call prompt name
    702: prompt message_key
    707: options values semantics validate type lookup
    708: type options
    714: depends_on activation
    717: infer
    720: strategy
    722: sensitive sensitive_display
    724: type entity_ref list
    727 728: validate on_error
    738: required infer extraction_pattern extraction_hints strategy
    801: with parameters {p}
    811: {prop} request_variants type table_name
    813 832 1064: {message}
    819: description
    821: idempotency_header method effect
    823: effect
    830: type
    831: result_secrets type
    833: endpoint request_variants
    843: default_source
    905: handoff
    907: role
    921: when
    928: expect_return on_return
    934: input
    939: set clear
    940: when
    949: failure_message on_fail
    962 963: retry {message}
    1002: check provider llm_check
    1004: {b} fix_strategy fix_expression
    1022: patterns
    1024: values pattern type
    1041: priority when
    1061: default
    1064 1067: type select button input options
    """
)
"""Keys of its own entry, or of the one around it, that a finding of a code rests on; sections count everywhere.

``{name}`` are the words of what the finding has by that name, ``{message}`` those of what it says.
"""

INSIDE: Final = _by_code(
    """
    435 436 438 448: when on_fail goto collect
    707: lookup enum_set values
    833: default when endpoint
    602: then goto on_input on_result on_success on_fail on_failure call gather check on_action await_attachment
    """
)
"""Keys anywhere in its block that a finding rests on."""

WALKS: Final = _by_code(
    """
    215 314 504: then goto on_input on_result on_success on_fail on_failure on_action digressions sub_intents steps
    215 314 504: entry_point global_digressions on_exhausted on_timeout else
    603 604 605: *
    725: call reasoning
    """
)
"""Keys anywhere in FLOW that a finding rests on: what a walk through the steps has shown."""

ANYWHERE: Final = _by_code(
    """
    102: role
    432: reasoning
    437: on_fail goto when
    623: resume else
    642: condition gather
    603: then goto on_fail on_result complete constraints tools handoff escalate do
    645 646: then gather on_input on_action action action_handlers actions button url from id
    927: when
    """
)
"""Keys anywhere in the document that a finding rests on."""

SECTION: Final = ""
"""What stands for the word of a section or sub-block."""

_LISTS: Final = words("steps tools entities intents categories lookup_tables templates") | {SECTION}
_GIVE: Final = _LISTS | words(
    """
    set call as with into source transform map gather fields input parameters params result before after process
    request_variants on_return on_result returns return provides context_access result_secrets do initial default
    reads writes remember store actions action on_action action_handlers button select options template from name
    sub_intents digressions on_start
    """
)


def _names(keys: frozenset[str] | None, *numbers: int) -> dict[str, frozenset[str] | None]:
    return {f"ABL{number}": keys for number in numbers}


NAMES: Final[Mapping[str, frozenset[str] | None]] = {
    # What only lists and sections declare
    **_names(_LISTS, 260, 365, 412, 417, 431, 501, 502, 505, 507, 710, 723, 929, 932, 948, 1026, 1042, 1044, 1046),
    # What gets its value, or is shown, or is handled, in many places
    **_names(_GIVE, 214, 215, 253, 311, 314, 344, 349, 372, 384, 448, 450, 514, 611, 633, 634, 645, 646, 649),
    **_names(_GIVE, 712, 714, 731, 738, 801, 802, 804, 829, 831, 840, 934, 935, 939, 941),
    # What nothing uses: any place may
    **_names(None, 310, 335, 432, 504, 627, 629, 635, 642, 659, 725, 824, 825, 827, 942, 1062),
}
"""Codes about a name that is nowhere declared, set or used, and the keys below which it may be, if one is misspelt."""

UNUSED: Final = frozenset(
    f"ABL{number}" for number in (310, 335, 410, 432, 504, 505, 515, 629, 633, 645, 725, 824, 942, 1062)
)
"""Codes about what nothing uses: where a misspelt name means it, that name is told."""

KEYWORDS: Final = frozenset(f"ABL{number}" for number in (103, 106, 127, 620, 704, 812, 947, 1043, 1065, 1067))
"""Codes of a key or section that its place does not know; what it holds is not read."""

VALUES: Final = frozenset(
    f"ABL{number}"
    for number in (
        *(233, 304, 321, 325, 328, 352, 355, 366, 388, 414, 421, 443, 606, 612),
        *(701, 715, 718, 721, 732, 810, 814, 838, 945, 1001, 1003, 1075),
    )
)
"""Codes of a value that is none of those which its property takes."""

CONTENT: Final = frozenset(f"ABL{number}" for number in (107, 110, 115, 116, 123, 125, 402, 403))
"""Codes of how lines are written: not told of what a misspelt key or section holds."""

GIVES: Final = frozenset(["initial", "default"])
"""Keys that give a variable its value: without one, what is said of the variable elsewhere rests on it."""
