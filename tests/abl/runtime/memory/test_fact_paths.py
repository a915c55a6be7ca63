"""What an assignment below a persistent path writes (docs/spec 03 §3)."""

from __future__ import annotations

import pytest

from tests.abl.runtime.harness import session

AGENT = """MEMORY:
  persistent:
    - PATH: prefs
      SCOPE: project
    - PATH: user.home
    - PATH: user.home.city
FLOW:
  steps: [a]
  a:
    REASONING: false
    SET: TARGET = "red"
    THEN: COMPLETE
"""


@pytest.mark.parametrize(
    ("target", "path", "value"),
    [
        ("prefs", "prefs", "red"),
        ("prefs.color", "prefs", {"color": "red"}),
        ("prefs.wall.color", "prefs", {"wall": {"color": "red"}}),
        ("user.home.street", "user.home", {"street": "red"}),
        ("user.home.city", "user.home.city", "red"),
        ("user.home.city.part", "user.home.city", {"part": "red"}),
    ],
)
def test_the_longest_declared_path_is_written(target, path, value):
    run = session(AGENT.replace("TARGET", target), user="ann", checked=True)
    run.start()
    assert run.fact(path) == value
