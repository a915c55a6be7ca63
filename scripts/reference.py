"""Writes the reference pages that come from code; ``--check`` says which are not in step instead (exit 1)."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from abl.analysis.registry import Rule

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


def keys_page() -> str:
    """What each key means at each place of the language."""
    from abl.analysis.shapes import PROFILE_PLACES, SECTION_PLACES, SHAPES, value_of
    from abl.editing.meanings import PLACES, SECTIONS, key_meaning
    from abl.syntax.vocabulary import LOWERCASE_PLACES, canonical_key

    parents: dict[str, list[str]] = {place: [] for place in SHAPES}
    above = [(section, value) for places in (SECTION_PLACES, PROFILE_PLACES) for section, value in places.items()]
    above += [(f"{place}.{key}", value) for place, shape in SHAPES.items() for key, value in shape.items()]
    for key, written in above:
        value = value_of(written)
        for place in (*value.maps, *value.lists, *value.named_lists, *value.named_maps):
            parents[place].append(f"`{key}`")
    lines = ["# Keys by place", "", "<!-- Written by `make docs` from abl/editing/meanings. -->", ""]
    lines += ["Hover and completion show the same lines. Keys are read in any case.", "", "## Sections", ""]
    lines += ["| Key | Meaning |", "|---|---|"]
    lines += [f"| `{key}` | {_cell(meaning)} |" for key, meaning in sorted(SECTIONS.items())]
    for place in [place for place in SHAPES if PLACES[place]]:
        where = list(dict.fromkeys(parents[place]))
        shown = ", ".join(where[:6]) + (" …" if len(where) > 6 else "")
        alone = {"binding": "Below a tool, by its type.", "profile": "At the margin of a profile."}
        lines += ["", f"## {place}", "", f"Below {shown}." if where else alone[place], ""]
        lines += ["| Key | Meaning |", "|---|---|"]
        listed = {canonical_key(key) for key in SHAPES[place]}
        others = [key for key in PLACES[place] if key not in listed]
        for key in sorted([*(key for key in SHAPES[place] if key != "*"), *others], key=str.upper):
            lower = place in LOWERCASE_PLACES or place == "binding"
            written = key.lower() if lower and key.isupper() else key
            lines.append(f"| `{written}` | {_cell(key_meaning(place, key))} |")
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    """A text within a table."""
    return text.replace("|", "\\|").replace("*", "\\*")


def diagnostics_pages() -> dict[str, str]:
    """A page for each diagnostic with what, why and examples, and an index of them all."""
    import abl.analysis  # noqa: F401 - registers the rules
    from abl.analysis.registry import RULES
    from abl.analysis.render import shown_message

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
    from abl.analysis.render import shown_message

    page = rule.page
    parts = [
        f"# {rule.code} {rule.name}",
        f"Severity: {rule.severity}. Message: {shown_message(rule)}",
        page.what,
        page.why,
    ]
    for title, example in (("Bad", page.bad), ("Good", page.good)):
        if example:
            parts += [f"{title}:", f"```abl\n{example}\n```"]
    return "\n\n".join(part for part in parts if part) + "\n"


def pages() -> dict[str, str]:
    """Path below docs/reference and text of every page."""
    return {"settings.md": settings_page(), "keys.md": keys_page(), **diagnostics_pages()}


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
