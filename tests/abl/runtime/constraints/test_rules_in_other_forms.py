"""The cases of rules in YAML form and in braces (docs/spec 01 §9): a guard holds however it is written."""

import re

import pytest

from tests.abl.analysis.restyled import spellings
from tests.abl.runtime.harness import SPEC, assert_case, load_file
from tests.every import each

FILES = {"collecting": 40, "dates": 25, "detours": 100, "guards": 30, "moving": 35, "results": 35}
"""The files of cases, and how many spellings of their cases there are at least."""
KIND = re.compile(r"^(\s*- )(REQUIRE|LIMIT|RESTRICT|WARN) (?=\S)", re.MULTILINE)
ESCAPED = re.compile(r'"((?:[^"\\\n\']|\\")*\\"(?:[^"\\\n\']|\\")*)"')
TOOLS = re.compile(r"^TOOLS:\n((?:[ ]+.*\n)+)", re.MULTILINE)


def in_other_forms(text):
    """The spellings of an agent by name; its tools stay as they are, as signatures have one form."""
    tools = TOOLS.search(text)
    rest = KIND.sub(r"\1\2: ", TOOLS.sub("", text))
    for form, written in spellings(rest):
        if form == "braces over lines" and "- {" in rest:
            continue  # what is in braces already would be spread in places where nobody spreads it
        key = "TOOLS" if form == "braces" else "tools"
        unescaped = ESCAPED.sub(lambda match: "'" + match[1].replace('\\"', '"') + "'", written)
        yield form, unescaped + (f"{key}:\n{tools[1]}" if tools is not None else "")


def written_anew(files):
    """The files of a case in each form that all of them have, with the name of the form."""
    forms = {name: dict(in_other_forms(text)) for name, text in files.items()}
    for form in sorted(set.intersection(*(set(found) for found in forms.values()))):
        ending = ".agent.abl" if form == "braces" else ".agent.yaml"
        yield form, {name.replace(".agent.abl", ending): found[form] for name, found in forms.items()}


@pytest.mark.parametrize(("name", "least"), FILES.items())
def test_a_case_holds_in_every_form(name, least):
    tried = [
        (f"{case} ({form})", (files, scenario))
        for case, written, scenario in load_file(SPEC / f"{name}.yaml")
        for form, files in written_anew(written)
    ]
    assert len(tried) >= least, len(tried)
    each(tried, assert_case)
