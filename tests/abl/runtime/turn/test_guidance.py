"""What the model is told of words and manner (docs/spec 09 §4, §10)."""

from abl.runtime import Session
from tests.abl.runtime.harness import session
from tests.abl.runtime.models import Steps

SUPERVISOR = """SUPERVISOR: Desk
GOAL: "Lend"
INSTRUCTIONS: "Be brief."
COMMUNICATION:
  language: en
  formality: formal
  constraints: ["Never joke"]
  pronouns:
    use: [you]
  vocabulary:
    prefer: [loan]
    avoid: [rental, fee]
NLU:
  glossary: ["ILL -- inter-library loan"]
"""


def test_manner_and_terms_stand_behind_the_instructions():
    model = Steps("Good day.")
    run = Session({"desk.agent.abl": SUPERVISOR}, model=model)
    run.start()
    turn = run.say("hello")
    assert model.requests[0]["instructions"].split("\n") == [
        "Be brief.",
        "Answer in this language: en.",
        "Tone: formal.",
        "Never joke",
        "Forms of address to use: you.",
        "Words to prefer: loan.",
        "Words to avoid: rental, fee.",
        "Terms:",
        "- ILL -- inter-library loan",
    ]
    told = [event["data"]["construct"] for event in turn.events if event["kind"] == "not_executed"]
    assert "COMMUNICATION" not in told


def test_a_directive_that_the_platform_carries_out_is_reported_once_when_its_step_is_entered():
    agent = """FLOW:
  steps: [a]
  a:
    REASONING: false
    AWAIT_ATTACHMENT:
      NAME: letter
    RESPOND: "Fine."
    THEN: COMPLETE
"""
    turn = session(agent).start()
    told = [event["data"]["construct"] for event in turn.events if event["kind"] == "not_executed"]
    assert (turn.replies, told) == (["Fine."], ["AWAIT_ATTACHMENT"])
