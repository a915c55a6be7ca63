"""Syntax trees as S-expressions, for the corpus: defaults, spans and blocks are left out."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

from abl.source import Source
from abl.syntax import nodes

LEFT_OUT = {"span", "path", "block", "props", "key_span", "written", "form_span"}
ATOMS = (str, int, float, bool, nodes.Name, nodes.Text, nodes.Literal_, nodes.TypeRef)
WIDTH = 110


def dump_document(document: nodes.Document) -> str:
    """Agents, fragments, profiles, tool files, unknown lines and findings of a document."""
    lines = [_node(node, 0) for node in (*document.agents, *document.fragments)]
    lines += [_node(section, 0) for section in (*document.profiles, *document.tool_files)]
    lines += [f"(Unknown {json.dumps(unknown.text, ensure_ascii=False)})" for unknown in document.unknown]
    lines += [_finding(document.source, finding) for finding in document.findings]
    return "\n".join(lines)


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
