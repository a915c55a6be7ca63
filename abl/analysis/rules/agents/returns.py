"""9xx about coming back from another agent, and what it may read and write (docs/spec 09 §5, 10 §5)."""

from __future__ import annotations

from collections.abc import Iterator

from abl.analysis import fixes
from abl.analysis.conformance import generic
from abl.analysis.fixes.entries import has_own_lines
from abl.analysis.index.model import AgentIndex
from abl.analysis.registry import Found, found, rule
from abl.diagnostics import Fix
from abl.language import value_of_text
from abl.source import Span
from abl.syntax import nodes
from abl.syntax.nodes import Block

RETURN_ACTIONS = ("continue", "resume_intent")
_Entry = nodes.Handoff | nodes.Section


def _entries(node: _Entry, agent: AgentIndex) -> Iterator[dict[str, Block]]:
    """The properties of a handoff with those of its CONTEXT, or of each entry of DELEGATE."""
    if isinstance(node, nodes.Handoff):
        own = {generic.plain(prop.written): prop.block for prop in node.props}
        yield {**generic.by_key(agent.source, own["context"]), **own} if "context" in own else own
    elif node.keyword == "DELEGATE":
        for entry in generic.entries(agent.source, node.block):
            own = generic.by_key(agent.source, entry)
            yield {**generic.by_key(agent.source, own.get("context")), **own}


@rule(
    "ABL929",
    "unknown-return-handler",
    "error",
    "Return handler `{h}` is not declared. Did you mean `{y}`?",
    over=nodes.Handoff,
)
def unknown_return_handler(handoff: nodes.Handoff, agent: AgentIndex) -> Iterator[Found]:
    """
    What: ON_RETURN names a handler that RETURN_HANDLERS does not declare.
    Why: Nothing happens when the other agent gives the conversation back.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        HANDOFF:
          - TO: Librarian
            WHEN: needs_help == true
            EXPECT_RETURN: true
            ON_RETURN: welcome_back
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        HANDOFF:
          - TO: Librarian
            WHEN: needs_help == true
            EXPECT_RETURN: true
            ON_RETURN: welcome_back
        RETURN_HANDLERS:
          welcome_back:
            RESPOND: "Shall we go on?"
            CONTINUE: true
    """
    block = handoff.on_return
    if block is None:
        return
    inner = generic.by_key(agent.source, block).get("handler")
    where = inner if inner is not None else block if not block.children else None
    name = generic.word(where)
    if where is None or not name or name[:1] == "{" or (inner is None and name.lower() in RETURN_ACTIONS):
        return
    declared = tuple(generic.section_keys_as_written(agent, "RETURN_HANDLERS"))
    if name not in declared:
        span = generic.span_of(where)
        best, renames = fixes.rename_to(span, name, (*declared, *(RETURN_ACTIONS if inner is None else ())))
        yield found(span, *renames, *_declare(agent, name), h=name, y=best)


def _declare(agent: AgentIndex, name: str) -> tuple[Fix, ...]:
    title = f"Declare `{name}`"
    if not name.isidentifier():
        return ()
    section = agent.agent.section("RETURN_HANDLERS")
    body = f"  {name}:\n    CONTINUE: true"
    if section is not None:
        return (fixes.insert_line_below(agent.source, section.span, body, title, preferred=False),)
    last = agent.agent.sections[-1].span if agent.agent.sections else agent.agent.span
    return (fixes.insert_line_below(agent.source, last, f"RETURN_HANDLERS:\n{body}", title, preferred=False),)


@rule("ABL930", "two-return-actions", "error", "Handler sets CONTINUE and RESUME_INTENT", over=nodes.Section)
def two_return_actions(section: nodes.Section, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A return handler both continues and resumes the intent.
    Why: The agent can continue where it was or route anew, not both.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        RETURN_HANDLERS:
          welcome_back:
            CONTINUE: true
            RESUME_INTENT: true
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        RETURN_HANDLERS:
          welcome_back:
            CONTINUE: true
    """
    if section.keyword != "RETURN_HANDLERS":
        return
    for handler in generic.members(agent.source, section.block):
        keys = generic.by_key(agent.source, handler)
        both = [
            keys[key] for key in ("continue", "resumeintent") if generic.value("return_handler", key, keys.get(key))
        ]
        if len(both) == 2:
            removals = [
                fixes.remove_lines(agent.source, block.span, f"Remove `{block.key}`", preferred=False)
                for block in reversed(both)
                if has_own_lines(agent.source, block.span)
            ]
            yield found(max(block.key_span for block in both), *removals)


@rule(
    "ABL950",
    "taken-at-every-return",
    "hint",
    "HANDOFF to {a} is taken again with every message: `{n}` stays as it is",
    over=nodes.Handoff,
)
def taken_at_every_return(handoff: nodes.Handoff, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A handoff expects a return, and nothing changes what its WHEN reads once it holds.
    Why: It is not taken twice in one turn, but each message after the return leads to the other agent again. ON_RETURN
    can set what the condition reads.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        MEMORY:
          session:
            - member_card
        GATHER:
          member_card:
            prompt: "Your card?"
        HANDOFF:
          - TO: Librarian
            WHEN: member_card IS SET
            EXPECT_RETURN: true
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        MEMORY:
          session:
            - member_card
            - checked
        GATHER:
          member_card:
            prompt: "Your card?"
        HANDOFF:
          - TO: Librarian
            WHEN: member_card IS SET AND checked IS NOT SET
            EXPECT_RETURN: true
            ON_RETURN:
              set:
                - checked = true
    """
    expected = handoff.expect_return
    if expected is None or not handoff.typed.value("EXPECT_RETURN") or handoff.to is None or agent.fragment:
        return
    uses = [use for use in agent.expressions_of(handoff) if use.mode == "condition" and not use.is_sentence]
    names = [name.path for use in uses for name in use.reading.names]
    if names and all(_stays(agent, path) for path in names):
        yield found(handoff.to.span, node=handoff.path, a=handoff.to.value, n=names[0])


def _stays(agent: AgentIndex, path: str) -> bool:
    """True for a name that is collected or begins with a value, and that nothing changes afterwards."""
    root = path.partition(".")[0]
    if root in agent.mentions or (root not in agent.session and root not in agent.collected):
        return False
    if any(name.value.partition(".")[0] == root for name, _ in agent.cleared):
        return False
    kinds = {origin.write.kind for origin in agent.origins_of(root)}
    return bool(kinds) and kinds <= {"session", "gather"}


@rule(
    "ABL931",
    "grant-memory",
    "error",
    "grant_memory was removed",
    over=(nodes.Handoff, nodes.Section),
    tags=("deprecated",),
)
def grant_memory(node: _Entry, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A handoff or delegation gives memory with `grant_memory`.
    Why: The key is not read any more; `memory_grants` says for each path what the other agent may do.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        MEMORY:
          persistent:
            - user.loans
              TYPE: array
              DEFAULT: []
        HANDOFF:
          - TO: Librarian
            WHEN: needs_help == true
            CONTEXT:
              grant_memory: [user.loans]
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        MEMORY:
          persistent:
            - user.loans
              TYPE: array
              DEFAULT: []
        HANDOFF:
          - TO: Librarian
            WHEN: needs_help == true
            CONTEXT:
              memory_grants: [{path: user.loans, access: read}]
    """
    for keys in _entries(node, agent):
        old = keys.get("grantmemory")
        if old is not None:
            yield found(old.key_span, *_as_grants(old, agent))


def _as_grants(old: Block, agent: AgentIndex) -> tuple[Fix, ...]:
    new = "MEMORY_GRANTS" if old.key.isupper() else "memory_grants"
    listed = tuple(generic.entries(agent.source, old))
    if any(generic.members(agent.source, entry) for entry in listed):
        return (fixes.replace(old.key_span, new, "Write it as memory_grants"),)
    names = generic.names(agent.source, old)
    if not names or any(old.comments or child.comments for child in old.children):
        return ()
    grants = ", ".join(f"{{path: {name.value}, access: read}}" for name in names)
    return (fixes.replace(Span(old.key_span.start, old.span.end), f"{new}: [{grants}]", "Write it as memory_grants"),)


@rule(
    "ABL932",
    "bad-memory-grant",
    "warning",
    "Granted path `{p}` is {lack}. Did you mean `{y}`?",
    over=(nodes.Handoff, nodes.Section),
)
def bad_memory_grant(node: _Entry, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A path is granted that this agent does not declare, or may only read itself and grants for writing.
    Why: An agent can give no more than it has, so the other one gets less than is written here.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        MEMORY:
          persistent:
            - user.loans
              TYPE: array
              ACCESS: read
              DEFAULT: []
        HANDOFF:
          - TO: Librarian
            WHEN: needs_help == true
            CONTEXT:
              memory_grants: [{path: user.loans, access: readwrite}]
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        MEMORY:
          persistent:
            - user.loans
              TYPE: array
              ACCESS: read
              DEFAULT: []
        HANDOFF:
          - TO: Librarian
            WHEN: needs_help == true
            CONTEXT:
              memory_grants: [{path: user.loans, access: read}]
    """
    for keys in _entries(node, agent):
        for entry in generic.entries(agent.source, keys.get("memorygrants")):
            grant = generic.by_key(agent.source, entry)
            path, access = grant.get("path"), grant.get("access")
            name = generic.word(path)
            if path is None or not name or "{" in name:
                continue
            declared = agent.path_of(name)
            if declared is None and not agent.fragment:
                best, renames = fixes.rename_to(generic.span_of(path), name, generic.some(agent.persistent))
                yield found(generic.span_of(path), *renames, p=name, lack="not declared", y=best)
            elif (
                _reads_only(declared) and access is not None and generic.value("grant", "access", access) == "readwrite"
            ):
                fix = fixes.replace(generic.span_of(access), "read")
                yield found(generic.span_of(path), fix, p=name, lack="only readable here")


def _writes(access: Block) -> bool:
    return bool(generic.value("grant", "access", access) == "readwrite")


def _reads_only(declared: nodes.PersistentPath | None) -> bool:
    return declared is not None and value_of_text("persistent", "ACCESS", declared.access) == "read"
