"""What looks for places of one machine and of registries finds them, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.contracts.places import addresses, folders_of_a_machine, registries, says_what_to_install
from tests.workbench import ROOT


def path(*parts: str) -> str:
    """An absolute path; none is in this file."""
    return "".join(f"/{part}" for part in parts)


def host(*labels: str) -> str:
    """The start of an address; none of a list of packages is in this file."""
    return f"https:/{path('.'.join(labels))}"


@pytest.mark.parametrize(
    "found",
    [
        path("home", "ada", "abl"),
        path("root", ".cache"),
        path("opt", "wheels"),
        path("srv", "mirror", "pool"),
        path("Users", "ada", "code"),
        path("var", "lib", "abl"),
        path("etc", "pip.conf"),
        path("usr", "local", "lib"),
        "\\".join(("C:", "Users", "ada")),
        str(ROOT),
        str(ROOT / "scripts" / "setup"),
    ],
)
def test_a_folder_of_a_machine_is_found(found):
    texts = ["{}", "cd {} && make", 'FOLDER="{}"', "({})", "[folder]({})", "PYTHONPATH={}:lib", "-v lib:{}:ro"]
    assert [text for text in texts if folders_of_a_machine(text.format(found)) != [found]] == []


@pytest.mark.parametrize(
    "text",
    [
        "GET /api/v1/projects/ and /login/",
        "/properties/language/type",
        "in /tmp/values.json, from /dev/null by /usr/bin/env",
        "matches /x+/i",
        "tests/var/lib/abl and ./home/ada and ../root/code",
        "https://example.org/home/ada",
        "docs/{name}/opt/wheels",
        "and/or/either",
        "A:\\n  B:\\n",
    ],
)
def test_what_only_looks_like_a_folder_is_not_found(text):
    assert folders_of_a_machine(text) == []


@pytest.mark.parametrize(
    "text",
    [
        host("index", "example", "org") + "/simple",
        host("index", "example", "org") + "/some/team/simple/",
        host("registry", "example", "org") + "/left-pad/-/left-pad-1.0.0.tgz",
        host("files", "example", "org") + "/packages/ab/cd/left_pad-1.0.0.whl",
        host("packages", "example", "org") + "/debian",
        f"pip install --{'index-url'} {host('example', 'org')}",
        f"npm install --{'registry'}={host('example', 'org')}",
        f"export PIP_{'INDEX_URL'}={host('example', 'org')}",
        f"ENV NPM_CONFIG_{'REGISTRY'} {host('example', 'org')}",
    ],
)
def test_a_registry_is_found(text):
    assert registries(f"a line before\n{text}\n")


@pytest.mark.parametrize(
    "text",
    [
        "https://example.org/simple-pages/",
        "https://example.org/files/1",
        "the registry of tools: //a comment",
        "uv pip compile --no-emit-index-url --no-emit-find-links",
    ],
)
def test_another_address_is_no_registry(text):
    assert registries(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "django @ https://example.org/django.whl",
        "git+ssh://example.org/django",
        "-e git+https:example.org",
        "django @ file:///django.whl",
        "--index-url example.org",
        "  -i example.org",
        "-f wheels",
        "--find-links=wheels",
        "--trusted-host example.org",
        "left-pad==1.0 # from //example.org/left-pad",
    ],
)
def test_an_address_in_requirements_is_found(text):
    assert addresses(f"amqp==5.4.2\n{text}\n", ".txt")


def test_pins_are_no_addresses():
    pins = "amqp==5.4.2 \\\n    --hash=sha256:93\n    # via kombu\n-r base.in\nuvloop==0.2 ; python_version < '4'\n"
    assert addresses(pins, ".txt") == []


@pytest.mark.parametrize(
    "lock",
    [
        '{"packages": {"a": {"resolved": "https://example.org/a.tgz"}}}',
        '{"packages": {"a": {"version": "git+ssh://example.org/a.git"}}}',
        '{"packages": {"https://example.org/a.tgz": {}}}',
        '{"dependencies": {"a": {"requires": ["file:../a"]}}}',
    ],
)
def test_an_address_anywhere_in_a_lock_is_found(lock):
    assert addresses(lock, ".json")


def test_who_wants_support_may_say_where():
    lock = '{"packages": {"node_modules/@a/b": {"version": "1.0", "funding": {"url": "https://example.org"}}}}'
    assert addresses(lock, ".json") == []


def test_files_that_say_what_to_install_are_known_by_name():
    said = ["requirements/dev.in", "requirements.txt", "frontend/package-lock.json", "uv.lock", "yarn.lock", ".npmrc"]
    assert [name for name in said if not says_what_to_install(Path(name))] == []
    others = ["docs/requirements.md", "web/locks.py", "tests/cases/names.txt", "frontend/editor.js"]
    assert [name for name in others if says_what_to_install(Path(name))] == []
