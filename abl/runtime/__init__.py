"""Running agents: sessions over ports, the turn algorithm, traces and scenarios (docs/spec 09 §3, 12)."""

from abl.runtime.loading import NotRunnable
from abl.runtime.player import Result, run_scenario
from abl.runtime.preview import prompt_preview
from abl.runtime.scenario import load_scenario, read_scenario
from abl.runtime.session import Session, Turn
from abl.runtime.strict import ScenarioError

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
