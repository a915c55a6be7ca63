"""What test conversations of a project begin with: entry agent, mock answers of tools (docs/spec 08 §10), memory."""

from __future__ import annotations

import json
from typing import Any

import yaml
from django.db import transaction

from abl.analysis import RULES
from abl.analysis.project_file.reading import read_project_file
from abl.runtime.memory.block_policy import MemoryPolicy
from abl.runtime.memory.in_memory import MOCK_KEYS, MockTools
from abl.yaml_reader import UnreadableYaml, load_yaml, yaml_problem
from editor.models import Project
from web.errors import Invalid

MAX_MOCKS = 200_000
LEAST_SECONDS, MOST_SECONDS = 1, 300
"""What a project may set as the longest time of a turn."""
EXAMPLE = "such as\nfind_book:\n  - {when: 'title == \"Dune\"', result: {free: true}}\n  - result: {free: false}"
OF_PROJECT_FILE = ("policy", "now", "language")
"""Keys that mean what they mean in ``project.yaml`` (docs/spec 12 §3.1)."""
RUN_KEYS = ("memory_policy", "bank", "model", "ask_again", *OF_PROJECT_FILE)
RUN_EXAMPLE = "such as\nbank: desk\nmemory_policy: {archival_mode: auto}\nmodel:\n  - {reply: Hello}"


def mocks_text(project: Project) -> str:
    """The mock cases as people write them; empty when there are none."""
    return as_yaml(project.settings.get("mocks"))


def run_text(project: Project) -> str:
    """Memory policy, memory bank and scripted model as people write them; empty when there are none."""
    return as_yaml(project.settings.get("run"))


def as_yaml(value: Any) -> str:
    """YAML for people; empty for nothing."""
    return yaml.safe_dump(value, sort_keys=False, allow_unicode=True, width=110) if value else ""


def turn_seconds(project: Project) -> int | None:
    """The longest that a turn of the project may run, in seconds; None as the installation says."""
    found = project.settings.get("turn_seconds")
    return found if isinstance(found, int) and LEAST_SECONDS <= found <= MOST_SECONDS else None


def read_seconds(text: str) -> int | None:
    """The limit that somebody typed; None for an empty field."""
    if not text.strip():
        return None
    if not (text.strip().isascii() and text.strip().isdigit()) or len(text.strip()) > 9:
        raise seconds_refused(text.strip()[:40])
    return int(text)


def seconds_refused(value: object) -> Invalid:
    """The error for a limit that cannot be set."""
    return Invalid(
        fields={"turn_seconds": f"{value} is not a whole number of seconds from {LEAST_SECONDS} to {MOST_SECONDS}."}
    )


@transaction.atomic
def turn_seconds_set(*, project: Project, seconds: int | None) -> Project:
    """Set the longest that a turn may run, in seconds; None takes the installation's limit (``ABL_TURN_SECONDS``)."""
    if seconds is not None and not LEAST_SECONDS <= seconds <= MOST_SECONDS:
        raise seconds_refused(seconds)
    locked = Project.objects.select_for_update().get(pk=project.pk)
    kept = {key: value for key, value in locked.settings.items() if key != "turn_seconds"}
    project.settings = kept if seconds is None else {**kept, "turn_seconds": seconds}
    project.save(update_fields=["settings"])
    return project


@transaction.atomic
def trials_set(*, project: Project, entry: str, mocks: str, run: str | None = None) -> Project:
    """Keep the entry agent (empty: 09 §3 chooses) and mock cases in YAML; ``Invalid`` says what is wrong.

    ``run`` is YAML of ``memory_policy``, ``bank`` and ``model`` (docs/spec 11); None leaves them as they are.
    """
    kept = {"entry": entry.strip()[:120], "mocks": read_mocks(mocks)}
    if run is not None:
        kept["run"] = read_run(run)
    locked = Project.objects.select_for_update().get(pk=project.pk)
    locked.settings = {**locked.settings, **kept}
    locked.save(update_fields=["settings"])
    return locked


def read_run(text: str) -> dict[str, Any]:
    """The settings of a run. What a bank and a script must be is checked where a conversation starts."""
    found = read_yaml(text, "run")
    if not isinstance(found, dict) or not set(found) <= set(RUN_KEYS):
        raise Invalid(fields={"run": f"may contain {', '.join(RUN_KEYS)}, {RUN_EXAMPLE}"})
    begun = read_project_file(as_yaml({key: found[key] for key in OF_PROJECT_FILE if key in found}))
    if begun.findings:
        problem = begun.findings[0]
        raise Invalid(fields={"run": RULES[problem.code].words(problem.data)})
    try:
        MemoryPolicy.read(found.get("memory_policy"))
    except ValueError as error:
        raise Invalid(fields={"run": str(error)}) from error
    return found


def read_yaml(text: str, field: str) -> Any:
    """What a text in YAML says, as JSON, since that is what is stored: YAML's dates become their text."""
    if len(text) > MAX_MOCKS:
        raise Invalid(fields={field: f"has {len(text):,} characters; the limit is {MAX_MOCKS:,}."})
    try:
        return json.loads(json.dumps(load_yaml(text) or {}, default=str, allow_nan=False))
    except UnreadableYaml as error:
        raise Invalid(fields={field: yaml_problem(error)}) from error
    except (TypeError, ValueError, RecursionError) as error:
        raise Invalid(fields={field: "has a value that JSON cannot hold; use text keys and finite numbers"}) from error


def read_mocks(text: str) -> dict[str, Any]:
    """Tool to its mock cases."""
    cases = read_yaml(text, "mocks")
    if not isinstance(cases, dict) or not all(
        isinstance(key, str) and isinstance(value, list) for key, value in cases.items()
    ):
        raise Invalid(fields={"mocks": f"must map each tool to a list of cases, {EXAMPLE}"})
    for tool, listed in cases.items():
        read_cases(tool, listed)
    return cases


def read_cases(tool: str, listed: list[Any]) -> None:
    """Raise ``Invalid`` for the first case of a tool that no run can use."""
    for number, case in enumerate(listed, 1):
        try:
            MockTools({tool: [case]})
        except (TypeError, ValueError, AttributeError, KeyError) as error:
            keys = ", ".join(sorted(MOCK_KEYS))
            words = f"case {number} of {tool} is not valid; a case is an object that may have {keys}"
            raise Invalid(fields={"mocks": words}) from error
