"""A project in which names are in agents, a profile, a tool file and a test case, and what a rename makes of it."""

from __future__ import annotations

from tests.abl.editing.test_rename import at, renamed

DESK = """\
AGENT: Desk
GOAL: "Lend books"
TOOLS:
  file: "lib.tools.abl" [find_book]
  log_in(card: string) -> {token: string}
    description: "Log in."
    provides: [reader_name]
    RESULT_SECRETS:
      token -> library_token (consumers: [fetch])
  fetch(id: string) -> {shelf: string}
    description: "Fetch."
    type: http
    endpoint: "/books"
    method: GET
    SECRET_ACCESS:
      READ: [library_token]
NLU:
  intents:
    - NAME: renew
      PATTERNS: ["renew"]
      ENTITIES: [genre]
ENTITIES:
  genre:
    TYPE: string
GATHER:
  reader_name:
    prompt: "Your name?"
  kind:
    prompt: "Which kind?"
    entity_ref: genre
MEMORY:
  session:
    - shelf_mark
    - place_found
  persistent:
    - user.loans
      SCOPE: user
      TYPE: number
      DEFAULT: 0
    - workflow.case
      SCOPE: execution_tree
FLOW:
  steps: [greet, lend]
  greet:
    REASONING: false
    RESPOND: "Hello {{session.reader_name}}"
    CALL: find_book(genre) AS book
    CALL: fetch(book.id)
    THEN: lend
  lend:
    REASONING: false
    DIGRESSIONS:
      - INTENT: hours
        RESPOND: "At nine, {{reader_name}}."
        GOTO: greet
    THEN: COMPLETE
DELEGATE:
  - AGENT: Catalogue
    WHEN: genre IS SET AND kind != ""
    PURPOSE: "Find {{genre}}"
    INPUT: {reader_name, topic: genre}
    RETURNS: {place: place_found, shelf_mark}
    USE_RESULT: "Say where it is"
HANDOFF:
  - TO: Billing
    WHEN: user.loans > 3
    CONTEXT:
      pass: [reader_name]
      set:
        owed: user.loans
        workflow.case: "open"
      memory_grants: [{path: user.loans, access: read}]
    EXPECT_RETURN: true
    ON_RETURN:
      map: {paid: shelf_mark}
USE BEHAVIOR_PROFILE: late
"""
LATE = """\
BEHAVIOR_PROFILE: late
PRIORITY: 5
WHEN: shelf_mark IS SET
TOOLS:
  HIDE: [fetch, find_book]
GATHER:
  FIELD_OVERRIDES:
    reader_name:
      prompt: "Name, {{kind}}?"
FLOW:
  SKIP: [greet]
  OVERRIDES:
    lend:
      respond: "Late, {{reader_name}}"
  INSERTIONS:
    - BEFORE: lend
      RESPOND: "x"
"""
LIBRARY = 'TOOLS:\n  find_book(title: string) -> {id: string}\n    description: "Find a book."\n    effect: read_only\n'
CATALOGUE = """\
AGENT: Catalogue
GOAL: "Find"
MEMORY:
  session:
    - place
    - topic
    - shelf_mark
COMPLETE:
  - WHEN: topic != reader_name
    RESPOND: "{{place}} {{shelf_mark}}"
"""
BILLING = 'AGENT: Billing\nGOAL: "Bill {{owed}}"\nMEMORY:\n  session:\n    - paid\n    - owed\n'
CASE = """\
scenario: reader_name lends
agents: [desk.agent.abl, late.behavior_profile.abl, lib.tools.abl]
entry: Desk
facts:
  user: {user.loans: 4}
session: {reader_name: Ada}
tools:
  find_book:
    - {when: genre == "x", result: {id: b}}
  fetch: [{result: {shelf: s}}]
model:
  - {call: fetch, args: {id: "{{variables.reader_name}}"}}
  - reply: "{{results.fetch.shelf}}"
memory:
  bank: {Desk: "0"}
turns:
  - say: "reader_name"
    set: {"reader_name": Eve}
    expect:
      step: lend
      agent: Desk
      reply: "Hello reader_name"
      calls: [{tool: find_book}, {tool: fetch, args: {id: b}}]
      no_calls: [log_in]
      session: {absent: [reader_name, shelf_mark]}
      facts: {user.loans: 4}
"""
FILES = {
    "billing.agent.abl": BILLING,
    "catalogue.agent.abl": CATALOGUE,
    "desk.agent.abl": DESK,
    "late.behavior_profile.abl": LATE,
    "lends.scenario.yaml": CASE,
    "lib.tools.abl": LIBRARY,
}


def changed(mark: str, name: str, path: str = "desk.agent.abl", files: dict[str, str] = FILES) -> dict[str, list[str]]:
    """The lines that a rename changes, as they are then, by the beginning of their path."""
    after = renamed(at(path, mark, files), name, files)
    return {
        path.partition(".")[0]: [
            new.strip() for old, new in zip(text.split("\n"), after[path].split("\n"), strict=True) if old != new
        ]
        for path, text in files.items()
        if after[path] != text
    }
