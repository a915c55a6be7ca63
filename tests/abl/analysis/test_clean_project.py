"""A project that uses most of the language and is right: whatever is reported here is a false alarm."""

from __future__ import annotations

from abl.analysis import check

DESK = """\
AGENT: Lending_Desk
VERSION: "1.2.0"
DESCRIPTION: "Lends and renews books."
LANGUAGE: "en-GB"
GOAL: "Lend books to members"
PERSONA: |
  Friendly and brief.
  Says {{user.name}} when it knows the name.
LIMITATIONS:
  - "Never promise a book that is out"

TOOLS:
  find_book(title: string, branch?: string) -> {ok: boolean, books: {id: string, title: string, shelf: string}[]}
    description: "Find books by title."
    effect: read_only
  issue_loan(book_id: string, days: number = 14) -> {ok: boolean, due: date}
    description: "Lend a book."
    confirmation:
      require: always

MEMORY:
  session:
    - open_loans
      TYPE: number
      DESCRIPTION: "Books out now"
      INITIAL: 0
    - attempt_count
      TYPE: number
      INITIAL: 0
      RESET: per_session
    - chosen
      TYPE: object
    - role
      TYPE: string
  persistent:
    - user.name
      TYPE: string
      DEFAULT: "reader"
    - user.branch
      SCOPE: user
      TYPE: string
      DEFAULT: "central"
    - user.card_number
      TYPE: string
      SENSITIVE: true
      SENSITIVE_DISPLAY: mask
      MASK_CONFIG: {showLast: 4}
    - project.loan_cap
      SCOPE: project
      ACCESS: read
      TYPE: number
      DEFAULT: 5
    - user.history
      TYPE: array
      DEFAULT: []
  remember:
    - WHEN: branch IS SET
      STORE: branch -> user.branch
      TTL: "90d"
    - WHEN: loan_done == true
      STORE:
        value: chosen
        target: user.history
        operation: append
        maxSize: 20
  recall:
    - ON: session:start
      ACTION: inject_context
      PATHS: [user.name, user.branch]
    - ON: tool:issue_loan:after
      ACTION: prompt_llm
      INSTRUCTION: "Mention the due date."

CONSTRAINTS:
  lending:
    - LIMIT open_loans < project.loan_cap BEFORE calling issue_loan
      ON_FAIL: "You have {{open_loans}} of {{project.loan_cap}} books."
    - REQUIRE fines_due IS SET AND fines_due <= 10
      WHEN: role != "staff" AND fines_due IS SET
      ON_FAIL:
        RESPOND: "Please pay {{FORMAT_CURRENCY(fines_due, 'GBP')}} first."
        GOTO: pay
    - RESTRICT branch IN ["harbour"] AND role == "guest"
      WHEN: branch IS SET
      ON_FAIL: HANDOFF Librarian
    - WARN attempt_count < 5
      ON_FAIL: "Many attempts: {{attempt_count}}"

ON_START:
  SET: role = COALESCE(role, "guest")
  RESPOND: "Welcome, {{user.name}}."

HOOKS:
  after_turn:
    SET: attempt_count = attempt_count + 1

FLOW:
  entry_point: collect
  steps:
    - collect
    - search
    - choose
    - lend
    - pay
    - done
  global_digressions:
    - INTENT: "opening hours"
      KEYWORDS: [open, hours]
      RESPOND: "We open at nine."
      RESUME: true

  collect:
    REASONING: false
    GATHER:
      - title: required
        prompt: "Which book?"
        type: string
      - branch: optional
        prompt: "Which branch?"
        type: enum
        options: [central, harbour]
    SUB_INTENTS:
      - INTENT: "another book"
        CLEAR: [title]
        RESPOND: "Which one?"
    CORRECTIONS: true
    COMPLETE_WHEN: title IS SET
    SET: fines_due = 0
    THEN: search

  search:
    REASONING: false
    MAX_ATTEMPTS: 3
    ON_EXHAUSTED: ESCALATE
    CALL: find_book
      WITH:
        title: title
        branch: COALESCE(branch, user.branch)
      AS: found
    ON_RESULT:
      - IF: found.ok AND found.books.length > 0
        SET: shown = found.books
        THEN: choose
      - ELSE:
        RESPOND: "I found nothing for \\"{{title}}\\"."
        CLEAR: [title]
        THEN: collect
    ON_FAILURE:
      RESPOND: "The catalogue does not answer."
      THEN: ESCALATE

  choose:
    REASONING: false
    TRANSFORM:
      SOURCE: shown AS book
      INTO: numbered
      FILTER: book.shelf IS SET
      MAP:
        id: book.id
        label: book.title
      SORT_BY: label asc
      LIMIT: 5
    RESPOND: |
      I found {{numbered.length}}:
      {{#each numbered}}
      {{add @index 1}}. {{label}}
      {{/each}}
    ON_INPUT:
      - IF: IS_NUMBER(input) AND input >= 1 AND input <= numbered.length
        SET:
          - chosen = numbered[input - 1]
          - chosen.picked_at = NOW()
        THEN: lend
      - IF: input matches /back|other/i
        THEN: collect
      - ELSE:
        RESPOND: "Please type a number."

  lend:
    REASONING: false
    CHECK: open_loans + 1 <= project.loan_cap
    ON_FAIL: done
    CALL: issue_loan(chosen.id, days: 14) AS loan
    ON_SUCCESS:
      SET:
        - loan_done = true
        - open_loans = open_loans + 1
      RESPOND: "Due on {{FORMAT_DATE(loan.due, 'DD.MM.YYYY')}}."
      THEN: done
    ON_FAILURE:
      RESPOND: "That did not work."
      THEN: done

  pay:
    REASONING: true
    GOAL: "Collect the fine of {{fines_due}}"
    EXIT_WHEN: fines_due == 0
    THEN: collect

  done:
    REASONING: false
    RESPOND: TEMPLATE(goodbye)
    THEN: COMPLETE

TEMPLATES:
  goodbye:
    DEFAULT: "Goodbye, {{user.name}}. Card {{MASK(user.card_number, 'last4')}}."

HANDOFF:
  - TO: Librarian
    WHEN: "the user asks for advice"
    CONTEXT:
      pass: [title, branch]
      summary: "Looking for {{title}}"
      history: auto
    EXPECT_RETURN: true
    ON_RETURN: continue

ESCALATE:
  triggers:
    - WHEN: attempt_count > 9
      REASON: "Too many attempts"

COMPLETE:
  - WHEN: loan_done == true AND open_loans > 0
    RESPOND: "Enjoy {{chosen.label}}."

MESSAGES:
  constraint_blocked: "Not now."
  filler_general: "One moment."
"""

LIBRARIAN = """\
AGENT: Librarian
GOAL: "Advise readers"
MEMORY:
  persistent:
    - user.name
      TYPE: string
      DEFAULT: "reader"
GATHER:
  genre:
    prompt: "Which genre do you like?"
    type: string
COMPLETE:
  - WHEN: genre IS SET AND title IS SET
    RESPOND: "Try something like {{title}}, {{user.name}}: {{genre}}."
"""

WORKING = {"desk.agent.abl": DESK, "librarian.agent.abl": LIBRARIAN}


def test_a_clean_project_has_no_errors_and_no_warnings() -> None:
    loud = [d for d in check(WORKING).diagnostics if d.severity in ("error", "warning")]
    assert [(d.code, d.message) for d in loud] == []


def test_the_notes_on_a_clean_project_are_few_and_meant() -> None:
    notes = {d.code for d in check(WORKING).diagnostics}
    assert notes <= {"ABL337", "ABL356", "ABL357", "ABL390", "ABL423", "ABL447", "ABL448", "ABL922"} | _OPTIONAL


# Hints that a longer catalogue may add to this text without being wrong.
_OPTIONAL = {"ABL309", "ABL332", "ABL335", "ABL820", "ABL972"}


def test_the_same_in_windows_line_ends_has_no_errors_and_no_warnings() -> None:
    files = {path: text.replace("\n", "\r\n") for path, text in WORKING.items()}
    loud = [d for d in check(files).diagnostics if d.severity in ("error", "warning")]
    assert [(d.code, d.message) for d in loud] == []


DELEGATING = {
    "a.agent.abl": """AGENT: Desk
GOAL: "Lend books"
BEHAVIOR:
  role: orchestrator
GATHER:
  wanted:
    prompt: "Which place?"
  day:
    prompt: "Which day?"
DELEGATE:
  - AGENT: Catalogue
    WHEN: wanted IS SET
    PURPOSE: "Find the book"
    INPUT: {place: wanted, day}
    RETURNS: {shelf: where_it_is}
    USE_RESULT: "Say where the book is"
""",
    "b.agent.abl": """AGENT: Catalogue
GOAL: "Find books"
FLOW:
  steps: [find]
  find:
    REASONING: false
    SET: shelf = place + day
    RESPOND: "{{place}}"
    THEN: COMPLETE
""",
}


def test_what_a_delegate_is_given_and_gives_back_is_known() -> None:
    assert [(d.path, d.code) for d in check(DELEGATING).diagnostics] == []


def test_what_nobody_gives_a_delegate_is_not() -> None:
    less = {
        **DELEGATING,
        "a.agent.abl": DELEGATING["a.agent.abl"].replace("INPUT: {place: wanted, day}", "INPUT: {place: wanted}"),
    }
    assert {(d.path, d.code) for d in check(less).diagnostics} == {("b.agent.abl", "ABL214")}
    other = {**DELEGATING, "a.agent.abl": DELEGATING["a.agent.abl"].replace("{shelf:", "{place:")}
    assert {(d.path, d.code) for d in check(other).diagnostics} == {("b.agent.abl", "ABL629")}
