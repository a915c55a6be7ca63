"""Texts that a new document can begin with. Each is free of problems and runs as it stands."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Starter:
    """One text on offer; ``ending`` is the ending of its path."""

    key: str
    title: str
    about: str
    ending: str
    text: str


AGENT = """AGENT: Help_Desk
VERSION: "1.0.0"
DESCRIPTION: "Answers a first question and remembers who asked"
GOAL: "Find out what the customer needs and answer politely"

MEMORY:
  session:
    - request
      TYPE: string
      DESCRIPTION: "What the customer wants to know"
  persistent:
    - user.name
      SCOPE: user
      TYPE: string
      DEFAULT: "there"

FLOW:
  entry_point: greet
  steps: [greet, answer]
  greet:
    REASONING: false
    GATHER:
      - request: required
        prompt: "Hello {{user.name}}. What can I do for you?"
    THEN: answer
  answer:
    REASONING: false
    RESPOND: "You asked: {{request}}. A colleague will write to you today."
    THEN: COMPLETE
"""

RULES = """AGENT: Refund_Desk
VERSION: "1.0.0"
DESCRIPTION: "Refunds small amounts under rules that can be followed step by step"
GOAL: "Refund what the customer paid, within the limit"

MEMORY:
  session:
    - amount
      TYPE: number
      DESCRIPTION: "Refund asked for, in euro"
    - is_member
      TYPE: boolean
      INITIAL: true
  persistent:
    - user.refunded_90d
      SCOPE: user
      TYPE: number
      DEFAULT: 0
  remember:
    - WHEN: amount IS SET
      STORE: amount -> user.refunded_90d
      TTL: "90d"

CONSTRAINTS:
  refund_rules:
    - REQUIRE is_member == true
      ON_FAIL: "Refunds are for members only."
    - LIMIT amount <= 200
      WHEN: amount IS SET
      ON_FAIL: "I can refund up to 200 euro."

FLOW:
  entry_point: ask
  steps: [ask, done]
  ask:
    REASONING: false
    GATHER:
      - amount: required
        type: number
        prompt: "How much would you like back?"
    THEN: done
  done:
    REASONING: false
    RESPOND: "{{amount}} euro are on their way."
    THEN: COMPLETE
"""

TOOLS = """TOOLS:
  find_order(order_id: string) -> {total: number, status: string}
    description: "What was ordered and what was paid"
    effect: read_only
"""

SCENARIO = """scenario: first contact
now: 2026-03-01T09:00:00Z
turns:
  - say: "Where is my parcel?"
    expect:
      reply: {contains: "parcel"}
"""

STARTERS = (
    Starter("agent", "Question and answer agent", "Memory and a flow with two steps", ".agent.abl", AGENT),
    Starter("rules", "Agent with constraints", "Constraints, a fact that expires, a flow", ".agent.abl", RULES),
    Starter("tools", "A tool library", "Tools shared by several agents", ".tools.abl", TOOLS),
    Starter("scenario", "A scenario", "A conversation and the expected replies", ".scenario.yaml", SCENARIO),
    Starter("empty", "Nothing", "Empty document", ".agent.abl", ""),
)
BY_KEY = {starter.key: starter for starter in STARTERS}
