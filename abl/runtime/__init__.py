"""Running agents: sessions over ports, the turn algorithm, traces and scenarios (docs/spec 09 §3, 12)."""

from abl.runtime.loading import NotRunnable
from abl.runtime.scenarios.files import load_scenario, read_scenario
from abl.runtime.scenarios.player import Result, run_scenario
from abl.runtime.scenarios.strict import ScenarioError
from abl.runtime.session import Session, Turn
from abl.runtime.turn.preview import prompt_preview

__all__ = [
    "NotRunnable",
    "Result",
    "ScenarioError",
    "Session",
    "Turn",
    "load_scenario",
    "prompt_preview",
    "read_scenario",
    "run_scenario",
]
