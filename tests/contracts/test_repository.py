"""What must hold for every file: nothing of one machine, pins, no inline code, links that lead somewhere."""

from __future__ import annotations

import json
import re
import subprocess
from functools import cache
from pathlib import Path

import pytest

from tests.contracts.places import addresses, folders_of_a_machine, registries, says_what_to_install
from tests.workbench import ROOT


@cache
def files() -> list[Path]:
    """Files of the project that git knows or would add; everything that is not ignored."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    names = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0")
    return [ROOT / name for name in names if name and (ROOT / name).is_file()]


def texts(*suffixes: str, below: str = "") -> list[tuple[str, str]]:
    """Path and text of the files with a suffix below a folder."""
    chosen = [path for path in files() if path.suffix in suffixes and path.is_relative_to(ROOT / below)]
    return [(str(path.relative_to(ROOT)), path.read_text(encoding="utf-8")) for path in chosen]


def everything() -> list[tuple[str, str]]:
    """Path and text of every file that is text."""
    found = []
    for path in files():
        data = path.read_bytes()
        if b"\0" not in data[:8000]:
            found.append((str(path.relative_to(ROOT)), data.decode("utf-8", errors="replace")))
    return found


def test_no_file_names_a_folder_of_a_machine():
    assert [f"{name}: {path}" for name, text in everything() for path in folders_of_a_machine(text)] == []


def test_no_file_names_a_registry():
    assert [f"{name}: {found}" for name, text in everything() for found in registries(text)] == []


def test_files_that_say_what_to_install_hold_no_address():
    chosen = [path for path in files() if says_what_to_install(path)]
    assert {"base.in", "base.txt", "dev.txt", "bench.txt", "package-lock.json", "package.json"} <= {
        path.name for path in chosen
    }
    assert [f"{p.relative_to(ROOT)}: {found}" for p in chosen for found in addresses(p.read_text(), p.suffix)] == []


def test_no_secret_is_in_the_repository():
    forbidden = re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY|\bAKIA[0-9A-Z]{16}\b|\bghp_\w{36}\b|\bsk-[A-Za-z0-9]{32,}")
    assert [f"{name}: {match[0][:12]}" for name, text in everything() for match in forbidden.finditer(text)] == []


@pytest.mark.parametrize("name", ["base", "dev", "bench"])
def test_every_package_is_pinned_with_hashes(name):
    text = (ROOT / f"requirements/{name}.txt").read_text()
    blocks = re.split(r"\n(?=\S)", text.strip())
    packages = [block for block in blocks if not block.startswith("#")]
    assert len(packages) > 30
    assert [
        b.split("\n")[0] for b in packages if not re.match(r"[\w.\[\]-]+==\S+", b) or "--hash=sha256:" not in b
    ] == []


def test_development_uses_the_versions_that_people_run():
    def pins(name: str) -> dict[str, str]:
        return dict(
            re.findall(r"^([\w.-]+)(?:\[[\w,-]+\])?==([^\s;]+)", (ROOT / f"requirements/{name}.txt").read_text(), re.M)
        )

    base, dev = pins("base"), pins("dev")
    assert {name: dev.get(name) for name in base} == base


def test_the_lock_of_the_bundle_has_versions_and_hashes():
    lock = json.loads((ROOT / "frontend/package-lock.json").read_text())
    packages = {name: entry for name, entry in lock["packages"].items() if name}
    assert [name for name, entry in packages.items() if not entry.get("integrity")] == []
    assert [name for name, entry in packages.items() if not entry.get("version")] == []


@pytest.mark.parametrize(
    ("what", "pattern"),
    [
        ("a script without src", r"<script(?![^>]*\bsrc=)[^>]*>"),
        ("a style element without nonce", r"<style(?![^>]*\bnonce=)[^>]*>"),
        ("a style attribute", r"""\sstyle\s*=\s*["']"""),
        ("an event attribute", r"""\son(?:click|change|input|submit|load|key\w+|mouse\w+|focus|blur|error)\s*="""),
        ("hx-on, which needs eval", r"\bhx-on[:=]"),
        ("an address that is code", r"""["']javascript:"""),
    ],
)
def test_no_page_holds_inline_code(what, pattern):
    found = [f"{name}: {match[0]}" for name, text in texts(".html") for match in re.finditer(pattern, text)]
    assert found == [], what


def test_no_page_script_or_style_sheet_asks_another_host():
    # Names of XML name spaces look like addresses and are none.
    address = re.compile(
        r"""(?:src|href|url|import|fetch|EventSource)\s*[=(]?\s*["'(]?\s*(?:https?:)?//(?!www\.w3\.org)[\w.-]+"""
    )
    sources = [
        pair
        for below in ("templates", "static/js", "static/css")
        for pair in texts(".html", ".js", ".css", below=below)
    ]
    assert [f"{name}: {match[0]}" for name, text in sources for match in address.finditer(text)] == []


def test_every_script_of_a_page_is_in_the_repository():
    wanted = re.compile(r"""{%\s*static\s+["']([^"'{}]+)["']\s*%}""")
    vendored = ("django_htmx/", "drf_spectacular_sidecar/", "admin/", "rest_framework/")
    missing = [
        f"{name}: {path}"
        for name, text in texts(".html")
        for path in wanted.findall(text)
        if not path.startswith(vendored) and not (ROOT / "static" / path).is_file()
    ]
    assert missing == []


def links(text: str) -> list[str]:
    """Relative targets of Markdown links and pictures, without code."""
    plain = re.sub(r"```.*?```|`[^`\n]*`", "", text, flags=re.DOTALL)
    targets = re.findall(r"\]\(\s*<?([^)\s>]+)>?[^)]*\)", plain) + re.findall(r'(?:src|srcset)="([^"]+)"', plain)
    return [target for target in targets if not re.match(r"[a-z]+:|#", target)]


def test_every_link_of_the_documents_leads_to_a_file():
    broken = [
        f"{name}: {target}"
        for name, text in texts(".md")
        for target in links(text)
        if not ((ROOT / name).parent / target.partition("#")[0]).exists()
    ]
    assert broken == []


def test_every_page_of_the_documents_is_reached_from_the_index():
    docs = ROOT / "docs"
    reached: set[Path] = set()
    waiting = [docs / "README.md", ROOT / "README.md"]
    while waiting:
        page = waiting.pop().resolve()
        if page in reached or page.suffix != ".md":
            continue
        reached.add(page)
        waiting += [page.parent / target.partition("#")[0] for target in links(page.read_text(encoding="utf-8"))]
    assert sorted(str(path.relative_to(ROOT)) for path in docs.rglob("*.md") if path.resolve() not in reached) == []
