"""1xx as the parser finds them: indentation, quotes, brackets, comments (docs/spec 05 §2)."""

from __future__ import annotations

from collections.abc import Iterator

from abl.analysis import fixes
from abl.analysis.conditions.reading import Reading
from abl.analysis.conformance import lost_members, wrong_forms
from abl.analysis.conformance.closed_places import LOOKED_THROUGH, Whole
from abl.analysis.index.model import AgentIndex
from abl.analysis.registry import Found, found, rule
from abl.expressions.token_stream import CLOSING
from abl.syntax import nodes
from abl.syntax.lines.scanner import open_brackets

_CLOSED_BY_FIX = 8
"""So many brackets a fix closes at most, as where the layout is read."""


@rule("ABL108", "inconsistent-indentation", "error", "Inconsistent indentation: column {a}, expected {b}")
def inconsistent_indentation() -> None:
    """
    What: A line starts in a column that belongs to no open block, below a value that holds no lines, among lines that
        it cannot belong to, or a property beside the dash of its entry; or the indentation holds blanks that are no
        spaces, as the no-break spaces of a page.
    Why: Indentation says what belongs to what; the line is read as part of the nearest block, which may not be meant.
    Bad:
        MEMORY:
          session:
              - loans
            - fines
    Good:
        MEMORY:
          session:
            - loans
            - fines
    """


@rule("ABL109", "mixed-tabs", "warning", "Tabs and spaces mixed")
def mixed_tabs() -> None:
    """
    What: Lines of one block are indented with tabs and with spaces.
    Why: A tab counts to the next multiple of four here, but editors show it in other widths.
    Bad:
        MEMORY:
          session:
        \t- loans
            - fines
    Good:
        MEMORY:
          session:
            - loans
            - fines
    """


@rule("ABL110", "missing-colon", "error", "Expected `:` after `{k}`", over=LOOKED_THROUGH)
def missing_colon(whole: Whole, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A keyword stands without its colon.
    Why: Without the colon the line is plain text and what it introduces is lost.
    Bad:
        MEMORY:
          session:
            - loans
              TYPE number
    Good:
        MEMORY:
          session:
            - loans
              TYPE: number
    """
    yield from lost_members.without_colon(whole, agent.own_source)


@rule("ABL111", "unterminated-string", "error", "Unterminated string", over=Reading, needs="error")
def unterminated_string(reading: Reading) -> Iterator[Found]:
    """
    What: A quoted text has no closing quote on its line.
    Why: Where the text ends is a guess; use `|` for text over several lines.
    Bad:
        AGENT: Desk
        GOAL: "Lend books
    Good:
        AGENT: Desk
        GOAL: "Lend books"
    """
    error = reading.error_of("ABL111")
    # Where the whole value is quoted, the reader of the layout reports it; here a quote is inside an expression.
    if error is not None:
        quote = reading.text[error.start : error.start + 1]
        yield found(reading.error_span, fixes.insert(len(reading.text), quote, f"Add the closing `{quote}`"))


@rule("ABL128", "curly-quotes", "warning", "Curly quotes such as `{q}` are a part of the text")
def curly_quotes() -> None:
    """
    What: A text stands in curly quotes, as word processors write them.
    Why: Only straight quotes are quotes here: the user reads the curly ones as well.
    Bad:
        AGENT: Desk
        GOAL: “Lend books”
    Good:
        AGENT: Desk
        GOAL: "Lend books"
    """


@rule("ABL112", "unclosed-bracket", "error", "Unclosed `{c}` opened at line {n}", over=Reading, needs="error")
def unclosed_bracket(reading: Reading) -> Iterator[Found]:
    """
    What: A bracket, brace or parenthesis is never closed.
    Why: The list or object swallows what follows it.
    Bad:
        MEMORY:
          recall:
            - ON: session:start
              ACTION: inject_context
              PATHS: [user.tier, user.name
    Good:
        MEMORY:
          recall:
            - ON: session:start
              ACTION: inject_context
              PATHS: [user.tier, user.name]
    """
    error = reading.error_of("ABL112")
    # The reader of the layout reports a value that is one list or object, at the same place; these are the others.
    if error is not None:
        opens = open_brackets(reading.text)
        missing = "".join(CLOSING[bracket] for bracket in reversed(opens)) if len(opens) <= _CLOSED_BY_FIX else ""
        repair = fixes.insert(len(reading.text), missing, f"Insert `{missing}`", preferred=False)
        yield found(reading.error_span, *([repair] if missing else []), c=reading.text[error.start : error.end])


@rule("ABL113", "trailing-comment", "warning", "Text after ` #` is not a comment here")
def trailing_comment() -> None:
    """
    What: A comment follows a value on the same line.
    Why: In keyword form only a whole line is a comment; other readers take the `#` as part of the value.
    Bad:
        MEMORY:
          session:
            - loans
              TYPE: number # how many
    Good:
        MEMORY:
          session:
            - loans
              # how many
              TYPE: number
    """


@rule("ABL114", "slash-comment", "warning", "`//` does not start a comment")
def slash_comment() -> None:
    """
    What: `//` is used as if it began a comment.
    Why: The language knows `#` lines only; the text is read as part of the document.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        // memory
        MEMORY:
          session:
            - loans
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        # memory
        MEMORY:
          session:
            - loans
    """


@rule("ABL115", "list-item-expected", "error", "List item expected (`- …`)", over=LOOKED_THROUGH)
def list_item_expected(whole: Whole, agent: AgentIndex) -> Iterator[Found]:
    """
    What: An entry of a list starts without its dash.
    Why: Without the dash it is read as a property of the entry before it, or not at all.
    Bad:
        MEMORY:
          remember:
            WHEN: name IS SET
            STORE: name -> user.name
    Good:
        MEMORY:
          remember:
            - WHEN: name IS SET
              STORE: name -> user.name
    """
    yield from wrong_forms.unlisted(whole, agent.own_source)


@rule("ABL125", "unreadable-line", "error", "{reason}", over=(*LOOKED_THROUGH, nodes.Rule, nodes.OnFail))
def unreadable_line(whole: Whole | nodes.Rule | nodes.OnFail, agent: AgentIndex) -> Iterator[Found]:
    """
    What: The file is empty, or a line could not be read and was skipped; a list stands where properties are due, or the
        other way round; a list, braces or lines below stand where one word, switch, number or time is due, or a text
        where properties or a list are due; or the YAML form holds a tag, an anchor, an alias or a merge key.
    Why: What the line says has no effect. YAML has those for its readers; here nobody gives them a meaning.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        FLOW:
          steps: [ask]
          ask:
            REASONING: false
            what is this
            THEN: COMPLETE
    Good:
        AGENT: Desk
        GOAL: "Lend books"
    """
    yield from wrong_forms.several(whole, agent.own_source)
    yield from wrong_forms.plain_texts(whole, agent.own_source)
    if not isinstance(whole, nodes.Rule | nodes.OnFail):
        yield from wrong_forms.misread(whole, agent.own_source)
        yield from wrong_forms.unread_terms(whole, agent.own_source)
        yield from lost_members.other_lines(whole, agent.own_source)
