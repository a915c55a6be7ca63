"""Syntax trees as S-expressions, for the corpus: defaults, spans and blocks are left out."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

from abl.source import Source
from abl.syntax import nodes, vocabulary
from abl.syntax.readers.content import content_of
from abl.syntax.readers.entries import NAME

LEFT_OUT = {"span", "path", "block", "props", "key_span", "written", "form_span"}
GENERIC = vocabulary.words(
    """DELEGATE ESCALATE ROUTING AGENTS STATE POLICIES COMMUNICATION BEHAVIOR NLU INTENTS ENTITIES MULTI_INTENT
    GUARDRAILS LOOKUP_TABLES ATTACHMENTS DESTINATIONS TRANSFER_FLOW_POLICIES RETURN_HANDLERS CONVERSATION ON_ERROR
    EXECUTION RICH_CONTENT ACTIONS IDENTITY BEHAVIOR_PROFILE USE_BEHAVIOR_PROFILE TESTS TEMPLATES VERSION DESCRIPTION
    LANGUAGE INSTRUCTIONS SYSTEM_PROMPT"""
)
SAID = {
    "GatherField": vocabulary.words(
        """PROMPT TYPE REQUIRED DEFAULT OPTIONS VALIDATE RETRY_PROMPT MAX_RETRIES DESCRIPTION EXTRACTION_PATTERN"""
    ),
    "Gather": vocabulary.words("FIELDS PROMPT STRATEGY"),
    "Handoff": vocabulary.words("TO WHEN PRIORITY PASS SUMMARY HISTORY SET EXPECT_RETURN ON_RETURN"),
    "Completion": vocabulary.words("WHEN RESPOND TERMINAL SET CLEAR CALL WITH AS LOG"),
    "Tool": vocabulary.words("DESCRIPTION RETURNS NAME"),
    "Respond": vocabulary.words(""),
    "Call": vocabulary.CALL_PARTS | vocabulary.words("ON_FAIL"),
    "OnFail": vocabulary.ON_FAIL_KEYS,
    "Profile": vocabulary.words("PRIORITY WHEN CONSTRAINTS"),
}
"""Properties that fields of a node tell; the others are shown as they are written. Of other nodes fields tell all."""
SAID_WITHIN = {
    "CONTEXT": vocabulary.words("PASS SUMMARY HISTORY SET"),
    "PARAMETERS": vocabulary.words("NAME TYPE REQUIRED DEFAULT"),
    "TOOLS": vocabulary.words("ADD"),
}
ATOMS = (str, int, float, bool, nodes.Name, nodes.Text, nodes.Literal_, nodes.TypeRef)
WIDTH = 110


def dump_document(document: nodes.Document) -> str:
    """Agents, fragments, profiles, tool files, unknown lines and findings of a document."""
    lines: list[str] = []
    for node in (*document.agents, *document.fragments):
        lines += [_node(node, 0), *_sections(node)]
    for section in (*document.profiles, *document.tool_files):
        defaults = section.content if section.keyword == "TOOLS" else None
        lines += [_node(section, 0), *(_sections(defaults) if defaults is not None else [])]
    lines += [f"(Unknown {json.dumps(unknown.text, ensure_ascii=False)})" for unknown in document.unknown]
    lines += [_finding(document.source, finding) for finding in document.findings]
    return "\n".join(lines)


def _sections(agent: nodes.Agent) -> list[str]:
    """Sections of any content, which have no nodes in the tree, as keys and values."""
    lines: list[str] = []
    tools = {tool.name.span for tool in agent.tools}
    for section in agent.sections:
        if section.block is None:
            continue
        content = content_of(section.block)
        if section.keyword == "TOOLS":  # imports and defaults stand among the tools
            keys = (member for member in content.members if member.block is None or member.block.colon)
            others = tuple(member for member in keys if member.key_span not in tools)
            content = dataclasses.replace(content, members=others, items=(), block=None)
        if section.keyword in GENERIC or (section.keyword == "TOOLS" and content.members):
            parts = ("(Section", section.keyword, _text(content.text), _below(content))
            lines.append(" ".join(part for part in parts if part) + ")")
    return lines


def _content(content: nodes.Content) -> str:
    text = "" if content.text is None else f"={_text(content.text)}" if content.key else _text(content.text)
    below = _below(content)
    return f"{content.key}{text}{' ' if below and (content.key or text) else ''}{below}"


def _below(content: nodes.Content) -> str:
    members = [_content(member) for member in content.members]
    items = [f"- {_content(item)}" for item in content.items]
    lines = _plain_lines(content.block)
    return "{" + ", ".join((*members, *items, *lines)) + "}" if members or items or lines else ""


def _plain_lines(block: nodes.Block | None) -> list[str]:
    """Lines that are neither keys nor items nor names, such as those of SET."""
    children = block.children if block is not None else ()
    texts = [line.value.raw for line in children if not line.item and not line.colon and line.value is not None]
    return [f"`{text}`" for text in texts if NAME.fullmatch(text) is None]


def _others(node: nodes.Node, said: vocabulary.Words) -> str:
    """Properties that no field tells, under their canonical keys."""
    shown = []
    for prop in node.props:
        if prop.key in said and (prop.value is not None or prop.key != "VALIDATE"):  # which may be an object
            continue
        content = dataclasses.replace(content_of(prop.block), key=prop.key)
        if prop.key in SAID_WITHIN:
            content = _without(content, SAID_WITHIN[prop.key], entries=prop.key == "PARAMETERS")
        if not content.is_empty or prop.key not in SAID_WITHIN:
            shown.append(_content(content))
    return "{" + ", ".join(shown) + "}" if shown else ""


def _profile(content: nodes.Content) -> nodes.Content:
    left = _without(content, SAID["Profile"], entries=False)
    inner = [_without(m, SAID_WITHIN["TOOLS"], entries=False) if m.key.upper() == "TOOLS" else m for m in left.members]
    return dataclasses.replace(left, members=tuple(inner))


def _without(content: nodes.Content, said: vocabulary.Words, *, entries: bool) -> nodes.Content:
    """Without members that fields tell: of an object, or of its entries, in a map or a list of objects with names."""
    if not entries:
        left = tuple(member for member in content.members if member.key.upper() not in said)
        return dataclasses.replace(content, members=left, brackets=None, block=None)
    named = [dataclasses.replace(item, key=item.word("name")) for item in content.items]
    inner = [_without(entry, said, entries=False) for entry in (*content.members, *named)]
    return dataclasses.replace(
        content, members=tuple(entry for entry in inner if not entry.is_empty), items=(), brackets=None, block=None
    )


def _text(text: nodes.Text | None) -> str:
    return _atom(text) if text is not None else ""


def _finding(source: Source, finding: Any) -> str:
    start, end = source.range(finding.span)
    data = " ".join(f"{key}={json.dumps(value, ensure_ascii=False)}" for key, value in finding.data.items())
    return f"! {finding.code} {start.line}:{start.column}-{end.line}:{end.column} {data}".rstrip()


def _atom(value: Any) -> str:
    if isinstance(value, nodes.Name):
        return value.value or "''"
    if isinstance(value, nodes.Text):
        return (
            f"`{' '.join(value.value.split())}`"
            if value.style == "bare"
            else json.dumps(value.value, ensure_ascii=False)
        )
    if isinstance(value, nodes.Literal_):
        return f"dynamic:{value.dynamic.value}" if value.dynamic else json.dumps(value.value, ensure_ascii=False)
    if isinstance(value, nodes.TypeRef):
        return _type(value)
    return str(value)


def _type(type_: nodes.TypeRef) -> str:
    if type_.item is not None:
        return f"{type_.name}<{_type(type_.item)}>"
    if type_.fields:
        return "{" + ", ".join(f"{n}{'' if req else '?'}: {_type(t)}" for n, req, t in type_.fields) + "}"
    if type_.options:
        shown = [_type(o) if isinstance(o, nodes.TypeRef) else json.dumps(o) for o in type_.options]
        return f"{type_.name}<{', '.join(shown)}>"
    return type_.name


def _node(node: Any, depth: int) -> str:
    if isinstance(node, nodes.Phase):  # its rules are in the flattened list
        return f"(Phase {node.name.value} rules={[rule.index for rule in node.rules]})"
    node_type = type(node).__name__
    head = [node_type]
    nested: list[str] = []
    for field in dataclasses.fields(node):
        value = getattr(node, field.name)
        if field.name in LEFT_OUT or value is None or value in ((), field.default) or isinstance(value, nodes.Content):
            continue
        if isinstance(node, nodes.Agent) and field.name == "sections":
            continue
        if isinstance(value, nodes.Block):
            head.append(f"{field.name}={_below(content_of(value)) or _text(value.value)}")
            continue
        text = _value(value, depth + 1)
        if text.startswith("("):
            nested.append(f"{field.name}:\n{text}" if "\n" in text or len(text) > WIDTH else f"{field.name}: {text}")
        else:
            head.append(text if field.name in ("keyword", "name", "kind", "form") else f"{field.name}={text}")
    if isinstance(node, nodes.Setting) and node.block is not None and node.block.children and not node.rules:
        head.append(f"with={_below(content_of(node.block))}")
    if isinstance(node, nodes.Profile) and not node.inline:
        head.append(f"with={_below(_profile(node.content))}")
    elif node_type in SAID and (own := _others(node, SAID[node_type])):
        head.append(f"with={own}")
    lines = ["(" + " ".join(head)]
    for text in nested:
        lines += ["  " + line for line in text.split("\n")]
    if len(lines) == 2 and sum(map(len, lines)) < WIDTH:
        lines = [lines[0] + lines[1][1:]]
    return "\n".join(lines) + ")"


def _value(value: Any, depth: int) -> str:
    if isinstance(value, ATOMS):
        return _atom(value)
    if isinstance(value, tuple):
        if all(isinstance(item, ATOMS) for item in value):
            return "[" + ", ".join(_atom(item) for item in value) + "]"
        items = [_pair(item, depth) if isinstance(item, tuple) else _node(item, depth) for item in value]
        return "\n".join(items)
    return _node(value, depth)


def _pair(pair: tuple[Any, Any], depth: int) -> str:
    name, value = pair
    return f"({_atom(name)} {_value(value, depth)})"
