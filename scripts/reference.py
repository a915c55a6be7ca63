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
    return {"settings.md": settings_page(), **diagnostics_pages()}


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
