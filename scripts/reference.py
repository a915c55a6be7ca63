"""Writes the reference pages that come from code; ``--check`` says which are not in step instead (exit 1)."""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import django

if TYPE_CHECKING:
    from abl.analysis.registry import Rule
    from abl.language import Key
    from abl.language.model import Runs

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
REFERENCE = ROOT / "docs" / "reference"


def settings_page() -> str:
    """Every variable of the environment that is read."""
    from config.options import KNOWN

    rows = []
    for name, meaning in KNOWN.items():
        text, _, default = meaning.partition(" Default: ")
        rows.append(f"| `{name}` | {text} | {default.rstrip('.') or '—'} |")
    return "\n".join(
        [
            "# Settings",
            "",
            "<!-- Written by `make docs` from config/options.py. -->",
            "",
            "Settings are variables of the environment. None is needed. A variable that begins with `ABL_` and is not",
            "in this list stops the start, so that a typing error is not a silent default; so does a value that",
            "cannot be read. `NAME_FILE` may name a file that holds the value of `NAME`, for secrets.",
            "",
            "| Name | Meaning | Default |",
            "|---|---|---|",
            *rows,
            "",
        ]
    )


def limits_page() -> str:
    """What one user may use."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    from config.limits import page

    return page()


def keys_page() -> str:
    """What each key means at each place of the language."""
    from abl.language import PLACES, PROFILE_SECTIONS, SECTIONS, value_of

    parents: dict[str, list[str]] = {place: [] for place in PLACES}
    above = [(name, key.type) for sections in (SECTIONS, PROFILE_SECTIONS) for name, key in sections.items()]
    for place in PLACES.values():
        above += [(f"{place.name}.{key.name}", key.type) for key in place.listed]
        above += [(f"{place.name}.*", place.others)] if place.others is not None else []
    for name, type_ in above:
        value = value_of(type_)
        for below in (*value.maps, *value.lists, *value.named_lists, *value.named_maps):
            parents[below].append(f"`{name}`")
    lines = ["# Keys by place", "", "<!-- Written by `make docs` from abl/language. -->", ""]
    lines += ["Hover and completion show the same lines. Keys are read in any case.", ""]
    lines += [
        "Here: what a run does with a key. *Simulated*: a mock, a scripted model or the tester stands in for it. *Not",
        "executed here*: the platform does it, and runs here go on without it. *For readers*: there is nothing to run.",
        "Described: the section of [docs/spec](../spec/README.md). Told: the diagnostic about values that do not fit.",
        "",
    ]
    lines += ["## Sections", "", *_KEY_TABLE]
    lines += [_key_row(name, key) for name, key in sorted(SECTIONS.items())]
    for place in [place for place in PLACES.values() if any(key.meaning for key in place.listed)]:
        where = list(dict.fromkeys(parents[place.name]))
        shown = ", ".join(where[:6]) + (" …" if len(where) > 6 else "")
        alone = {"binding": "Below a tool, by its type.", "profile": "At the margin of a profile."}
        lines += ["", f"## {place.name}", "", f"Below {shown}." if where else alone[place.name], ""]
        lines += _KEY_TABLE
        for key in sorted([key for key in place.listed if key.meaning], key=lambda key: key.name.upper()):
            lower = place.lower or place.name == "binding"
            written = key.name.lower() if lower and key.name.isupper() else key.name
            lines.append(_key_row(written, key))
    return "\n".join(lines) + "\n"


def runs_page() -> str:
    """What runs do with the keys, in figures for each place and with the names of those that are left out."""
    from abl.language import PLACES
    from abl.language.document import AGENT, PROFILE

    classes: tuple[Runs, ...] = ("executed", "simulated", "metadata", "platform")
    places = [(place, [key for key in place.listed if key.offered]) for place in (AGENT, PROFILE, *PLACES.values())]
    total = Counter(str(key.runs) for _, keys in places for key in keys)
    lines = ["# What runs do with each key", "", "<!-- Written by `make docs` from abl/language. -->", ""]
    lines += [
        "*Executed*: it changes what happens. *Simulated*: a mock, a scripted model or the tester stands in, and the",
        "trace shows what would be sent. *For readers*: there is nothing to run. *Not executed here*: the platform",
        "does it; check and hover say so, and a run has a `not_executed` event where it meets the key. No key is",
        "passed over in silence: `tests/abl/language/test_runs.py` takes each out of an agent and finds what it did.",
        "[Keys by place](keys.md) says what each means.",
        "",
        "| Executed | Simulated | For readers | Not executed here | In silence |",
        "|---|---|---|---|---|",
        "| " + " | ".join(str(total[name]) for name in classes) + " | 0 |",
        "",
        "| Place | Executed | Simulated | For readers | Not executed here | Which |",
        "|---|---|---|---|---|---|",
    ]
    for place, keys in places:
        counts = [sum(key.runs == name for key in keys) for name in classes]
        left = ", ".join(f"`{key.name}`" for key in keys if key.runs == "platform") if 0 < counts[3] < len(keys) else ""
        whole = "all" if keys and counts[3] == len(keys) else left or "—"
        lines.append(f"| {place.name} | {' | '.join(map(str, counts))} | {whole} |")
    return "\n".join(lines) + "\n"


_KEY_TABLE = ["| Key | Meaning | Here | Described | Told |", "|---|---|---|---|---|"]
_HERE = {
    "executed": "executed",
    "simulated": "simulated",
    "metadata": "for readers",
    "platform": "**not executed here**",
}


def _key_row(written: str, key: Key) -> str:
    here = _HERE[key.runs or "executed"]
    return f"| `{written}` | {_cell(key.meaning)} | {here} | {key.spec} | {key.reported_by or '—'} |"


def _cell(text: str) -> str:
    """A text within a table."""
    return text.replace("|", "\\|").replace("*", "\\*")


def project_file_page() -> str:
    """What project.yaml may say."""
    from abl.language.project_file import HOLD_FOR_SCENARIOS, entries

    lines = ["# project.yaml", "", "<!-- Written by `make docs` from abl/language/project_file.py. -->", ""]
    lines += [
        "The file in the folder of a project says with what its test conversations, `abl run` and `abl test` begin",
        "([12 §3.1](../spec/12-interfaces.md)). `abl check` tells what is wrong with it; editors complete it through",
        "the language server, and by its [JSON Schema](project.schema.json), which `abl.project_schema()` also gives.",
        "",
        "*Scenarios*: the key holds for every scenario of the project; what a scenario says itself wins.",
        "",
        "| Key | Meaning | Right | Default | Scenarios |",
        "|---|---|---|---|---|",
    ]
    for name, entry in entries():
        right = ", ".join(f"`{word}`: {meaning}" for word, meaning in entry.value_type.words) or entry.value_type.right
        holds = "yes" if name in HOLD_FOR_SCENARIOS else ""
        cells = (entry.meaning, right, ("required" if entry.required else entry.default) or "—", holds)
        lines.append(f"| `{name}` | {' | '.join(map(_cell, cells))} |")
    return "\n".join(lines) + "\n"


def project_schema_text() -> str:
    """The JSON Schema of project.yaml."""
    from abl.language.project_schema import project_schema

    return json.dumps(project_schema(), ensure_ascii=False, indent=2) + "\n"


def diagnostics_pages() -> dict[str, str]:
    """A page for each diagnostic with what, why and examples, and an index of them all."""
    import abl.analysis  # noqa: F401 - registers the rules
    from abl.analysis.registry import RULES
    from abl.analysis.reporting.render import shown_message

    lines = ["# Diagnostics", "", "<!-- Written by `make docs` from the rules in abl/analysis. -->", ""]
    lines += [
        "`abl explain CODE` prints the same in a terminal.",
        "",
        "| Code | Name | Severity | Message |",
        "|---|---|---|---|",
    ]
    pages = {}
    for code, rule in sorted(RULES.items()):
        message = shown_message(rule).replace("|", "\\|")
        lines.append(f"| [{code}]({code}.md) | {rule.name} | {rule.severity} | {message} |")
        pages[f"diagnostics/{code}.md"] = diagnostic_page(rule)
    return {"diagnostics/README.md": "\n".join(lines) + "\n", **pages}


def diagnostic_page(rule: Rule) -> str:
    """What a diagnostic means, why it matters, and a bad and a good example."""
    from abl.analysis.reporting.render import OFF, shown_message

    page = rule.page
    parts = [
        f"# {rule.code} {rule.name}",
        f"Severity: {rule.severity}. Message: {shown_message(rule)}",
        page.what,
        page.why,
        OFF if rule.off else "",
    ]
    for title, example in (("Bad", page.bad), ("Good", page.good)):
        if example:
            parts += [f"{title}:", f"```abl\n{example}\n```"]
    return "\n\n".join(part for part in parts if part) + "\n"


def pages() -> dict[str, str]:
    """Path below docs/reference and text of every page."""
    return {
        "settings.md": settings_page(),
        "limits.md": limits_page(),
        "keys.md": keys_page(),
        "runs.md": runs_page(),
        "project-file.md": project_file_page(),
        "project.schema.json": project_schema_text(),
        **diagnostics_pages(),
    }


def main(arguments: list[str]) -> int:
    """Write the pages, or with ``--check`` compare them."""
    stale = []
    for name, text in pages().items():
        path = REFERENCE / name
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        stale.append(name)
        if "--check" not in arguments:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    if stale and "--check" in arguments:
        sys.stderr.write(f"Not in step with the code, run make docs: {', '.join(stale)}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
