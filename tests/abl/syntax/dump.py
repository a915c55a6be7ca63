"""Syntax trees as S-expressions, for the corpus: defaults, spans and blocks are left out."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

from abl.source import Source
from abl.syntax import nodes, vocabulary
from abl.syntax.content import content_of

LEFT_OUT = {"span", "path", "block", "props", "key_span", "written", "form_span"}
GENERIC = vocabulary.words(
    """DELEGATE ESCALATE ROUTING AGENTS STATE POLICIES COMMUNICATION BEHAVIOR NLU INTENTS ENTITIES MULTI_INTENT
    GUARDRAILS LOOKUP_TABLES ATTACHMENTS DESTINATIONS TRANSFER_FLOW_POLICIES RETURN_HANDLERS CONVERSATION ON_ERROR
    EXECUTION RICH_CONTENT ACTIONS IDENTITY BEHAVIOR_PROFILE USE_BEHAVIOR_PROFILE TESTS"""
)
SAID_OF_TOOLS = {"DESCRIPTION", "PARAMETERS", "RETURNS", "NAME"}
ATOMS = (str, int, float, bool, nodes.Name, nodes.Text, nodes.Literal_, nodes.TypeRef)
WIDTH = 110


def dump_document(document: nodes.Document) -> str:
    """Agents, fragments, profiles, tool files, unknown lines and findings of a document."""
    lines: list[str] = []
    for node in (*document.agents, *document.fragments):
        lines += [_node(node, 0), *_sections(node)]
    lines += [_node(section, 0) for section in (*document.profiles, *document.tool_files)]
    lines += [f"(Unknown {json.dumps(unknown.text, ensure_ascii=False)})" for unknown in document.unknown]
    lines += [_finding(document.source, finding) for finding in document.findings]
    return "\n".join(lines)


def _sections(agent: nodes.Agent) -> list[str]:
    """Sections of any content, which have no nodes in the tree, as keys and values."""
    shown = (s for s in agent.sections if s.keyword in GENERIC and s.block is not None)
    return [_section(section, section.block) for section in shown if section.block is not None]


def _section(section: nodes.Section, block: nodes.Block) -> str:
    content = content_of(block)
    parts = ("(Section", section.keyword, _text(content.text), _below(content))
    return " ".join(part for part in parts if part) + ")"


def _content(content: nodes.Content) -> str:
    text = "" if content.text is None else f"={_text(content.text)}" if content.key else _text(content.text)
    below = _below(content)
    return f"{content.key}{text}{' ' if below and (content.key or text) else ''}{below}"


def _below(content: nodes.Content) -> str:
    members = [_content(member) for member in content.members]
    items = [f"- {_content(item)}" for item in content.items]
    return "{" + ", ".join((*members, *items)) + "}" if members or items else ""


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
    if isinstance(node, nodes.Phase):  # its rules stand in the flattened list
        return f"(Phase {node.name.value} rules={[rule.index for rule in node.rules]})"
    head = [type(node).__name__]
    nested: list[str] = []
    if isinstance(node, nodes.Respond) and node.props:
        head.append(f"with=[{', '.join(prop.key for prop in node.props)}]")
    for field in dataclasses.fields(node):
        value = getattr(node, field.name)
        if field.name in LEFT_OUT or value is None or value in ((), field.default) or isinstance(value, nodes.Content):
            continue
        if isinstance(node, nodes.Agent) and field.name == "sections":
            continue
        text = _value(value, depth + 1)
        if text.startswith("("):
            nested.append(f"{field.name}:\n{text}" if "\n" in text or len(text) > WIDTH else f"{field.name}: {text}")
        else:
            head.append(text if field.name in ("keyword", "name", "kind", "form") else f"{field.name}={text}")
    if isinstance(node, nodes.Setting) and node.block is not None and node.block.children:
        head.append(f"with={_below(content_of(node.block))}")
    if isinstance(node, nodes.Tool) and (own := [p for p in node.props if p.key not in SAID_OF_TOOLS]):
        head.append("with={" + ", ".join(_content(content_of(prop.block)) for prop in own) + "}")
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
