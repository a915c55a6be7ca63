"""What the parts of a running session share: state, programs, ports, the recorder, names and values.

The parts (flow, gather, passes, tools, memory …) are modules of functions that take the engine first; everything they
change is in ``engine.state`` (kept) and ``engine.turn`` (this turn only).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, MutableMapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

from abl.expressions.api import TURN, Budget, BudgetExceeded
from abl.expressions.sizes import SizeExceeded
from abl.language.memory import scope_by_segment
from abl.runtime import speaking
from abl.runtime.context import Context, ref
from abl.runtime.evaluation import Formula, Outcome, Rendered, template
from abl.runtime.events.recorder import Event, Recorder, cut_text
from abl.runtime.guardrails.hiding import hides_anything
from abl.runtime.memory.facts import Facts
from abl.runtime.memory.systems import Memories
from abl.runtime.moves import Move
from abl.runtime.plan.program import Program
from abl.runtime.ports import Clock, FactStore, ModelPort, ToolPort
from abl.runtime.privacy.concealing import Concealer
from abl.runtime.privacy.fact_masks import release
from abl.runtime.privacy.masking import HIDDEN_ERROR, Masker
from abl.runtime.randomness import SeededRandom
from abl.runtime.sizes import VariableSizes
from abl.runtime.state import SessionState, Thread, TurnState

if TYPE_CHECKING:
    from abl.runtime.plan.profiles import ProfilePlan
    from abl.syntax import nodes

MESSAGES_READ = 3
"""Messages that ``recent_input`` holds."""
DEFAULT_SETTINGS: Mapping[str, Any] = {"ask_again": True, "extracted_pass": False, "tool_result_pass": False}


class Engine:
    """One running session."""

    def __init__(
        self,
        state: SessionState,
        programs: Mapping[str, Program],
        *,
        facts: FactStore,
        tools: ToolPort,
        model: ModelPort | None,
        clock: Clock,
        settings: Mapping[str, Any],
        kept: MutableMapping[str, Any],
        on_event: Callable[[Event], None] | None,
        timer: Callable[[], int],
        carry_out: Callable[[Engine, Thread, Move], bool],
        memories: Memories | None = None,
        profiles: Mapping[str, ProfilePlan] | None = None,
        budget: Budget | None = None,
        delegate: Callable[[Engine, Thread, str, Any, nodes.Block | None], None] | None = None,
    ) -> None:
        self.state = state
        self.programs = programs
        self.profiles = profiles or {}
        """Profile documents by name."""
        self.declared = {path: how for program in programs.values() for path, how in program.sensitive_paths.items()}
        """Paths that an agent of the session declares sensitive, with how they are shown."""
        self._declares = any(p.sensitive or hides_anything(p.guardrails) for p in programs.values())
        self.guarded = self._declares or bool(state.masks)
        """Something is sensitive by declaration or in the store, or a guardrail redacts: events are delivered only
        when their turn is over.
        """
        self.tools = tools
        self.model = model
        self.clock = clock
        self.settings = {**DEFAULT_SETTINGS, **settings}
        self.kept = kept
        self._carry_out = carry_out
        self._delegate = delegate
        self.recorder = Recorder(state, clock, on_event, timer)
        self.facts = Facts(self, facts)
        self.memories = memories or Memories()
        self.budget = budget or Budget.of(TURN)
        """The budget of the turn that runs; between turns that of the last one, whose limits the next one takes."""
        self.random = SeededRandom(state)
        self.turn = TurnState(state.turn)
        self._contexts: dict[str, Context] = {}
        self._maskers: dict[str, Masker] = {}
        self._before: dict[str, dict[str, Any]] = {}
        self._sizes = VariableSizes(state)
        self.budget_reported = False
        """The trace already contains the reason why the turn fails."""

    def start_turn(self) -> None:
        """Forget what belonged to the turn before."""
        self.recorder.start_turn()
        if self.state.stack:
            self.recorder.agent, self.recorder.step = self.active.agent, self.active.flow.step
        self.facts.start_turn()
        self.budget_reported = False
        self.guarded = self._declares or bool(self.state.masks)
        self._before = {name: dict(thread.variables) for name, thread in self.state.threads.items()}

    def changed(self) -> dict[str, Any]:
        """Variables of the active agent with another value than when the turn began, as ``{name: {old, new}}``."""
        thread = self.active
        before, after, masker = self._before.get(thread.agent, {}), thread.variables, self.masker(thread)
        names = [n for n in {**before, **after} if before.get(n) is not after.get(n) and before.get(n) != after.get(n)]
        return {n: {"old": masker.shown(n, before.get(n)), "new": masker.shown(n, after.get(n))} for n in names}

    def changed_in_turn(self, thread: Thread, name: str) -> bool:
        """Whether a variable has another value than when the turn began."""
        before = self._before.get(thread.agent, {}).get(name)
        after = thread.variables.get(name)
        return before is not after and before != after

    # Who ----------------------------------------------------------------------------------------------------------

    @property
    def active(self) -> Thread:
        """The thread that has control."""
        return self.state.threads[self.state.stack[-1]]

    def program(self, thread: Thread) -> Program:
        """The program of a thread's agent."""
        return self.programs[thread.agent]

    def language(self, thread: Thread) -> str:
        """The language of a thread's agent: its LANGUAGE, else the project's."""
        return self.program(thread).language or self.state.default_language

    def enter(self, thread: Thread) -> None:
        """Events from here on belong to this thread; it has worked in this turn."""
        self.recorder.agent = thread.agent
        self.recorder.step = thread.flow.step
        if thread.agent not in self.turn.worked:
            self.turn.worked.append(thread.agent)

    def use_thread(self, thread: Thread) -> None:
        """Put a thread in the place of another one of the same agent."""
        self.forget_thread(thread.agent)
        self.state.threads[thread.agent] = thread

    def forget_thread(self, agent: str) -> None:
        """Drop what is cached for a thread of the agent, so that the next thread does not use it."""
        for kept in (self._contexts, self._maskers):
            kept.pop(agent, None)
        self._sizes.forget()

    def move(self, thread: Thread, move: Move) -> bool:
        """Carry out a move of an agent; False when it did not work, after a message to the user."""
        return self._carry_out(self, thread, move)

    def delegate(self, thread: Thread, agent: str, span: Any, back: nodes.Block | None = None) -> None:
        """Ask another agent now, and go on with its result; ``back`` is what ON_RETURN says of that."""
        if self._delegate is not None:
            self._delegate(self, thread, agent, span, back)

    def now(self) -> datetime:
        """The clock, aware and in UTC."""
        return self.clock.now()

    # Names --------------------------------------------------------------------------------------------------------

    def context(self, thread: Thread) -> Context:
        """Names as expressions of this thread see them."""
        found = self._contexts.get(thread.agent)
        if found is None:
            found = self._contexts[thread.agent] = Context(self, thread)
        return found

    def masker(self, thread: Thread) -> Masker:
        """How values of this thread are shown. A path is sensitive for all agents when one of them says so."""
        found = self._maskers.get(thread.agent)
        if found is None:
            found = self._maskers[thread.agent] = Masker(
                {**self.declared, **self.program(thread).sensitive},
                thread.tainted,
                self.recorder.shown,
                self.state.masks,
            )
        return found

    def scope_of(self, path: str, thread: Thread) -> tuple[str, str | None, str]:
        """(scope, owner, path) of a fact; owner None = no authenticated user."""
        plan = self.program(thread).persistent.get(path)
        scope = plan.scope if plan is not None else scope_by_segment(path)
        if scope == "user":
            return scope, self.state.user, path
        return scope, "" if scope == "project" else self.state.session_id, path

    # Evaluating ---------------------------------------------------------------------------------------------------

    def evaluate(self, thread: Thread, formula: Formula, local: Mapping[str, Any] | None = None) -> Outcome:
        """Value of an expression; a ``match`` it found is kept in the session (docs/spec 02 §5.1).

        Raises BudgetExceeded and records it in the trace.
        """
        context = self.context(thread)
        self.budget.step()
        outcome = formula.run(context.with_local(local) if local else context, self.now(), self.random)
        if outcome.match is not None:
            self.keep_match(thread, outcome.match, formula.names)
        if outcome.exceeded is not None:
            raise self.ran_out(outcome.exceeded, formula.text)
        if outcome.error is not None and self.derives(thread, formula.names):
            outcome.error = HIDDEN_ERROR
        return outcome

    def ran_out(self, problem: BudgetExceeded, text: str) -> BudgetExceeded:
        """Record what was computed when the turn's budget ran out; returns ``problem`` for the caller to raise."""
        self.report_budget(problem, f"{cut_text(text)}: {problem}")
        return problem

    def report_budget(self, problem: BudgetExceeded, message: str = "", span: Any = None) -> None:
        """Record what ends the turn, once; the reserve of the budget pays for it."""
        if not self.budget_reported:
            self.budget_reported = True
            self.budget.refill()
            name = "size-exceeded" if isinstance(problem, SizeExceeded) else "budget-exceeded"
            self.recorder.error("RUN016", name, message or str(problem), span, **problem.as_json())

    def keep_match(self, thread: Thread, match: dict[str, Any], names: Iterable[str]) -> None:
        """Store the ``match`` that a condition over ``names`` found."""
        self.measure(thread, "match", match)
        thread.variables["match"] = match
        self.taint(thread, "match", self.derives(thread, names))

    def holds(self, thread: Thread, formula: Formula) -> bool:
        """A condition by truthiness; False on an error."""
        return self.evaluate(thread, formula).holds

    def render(self, thread: Thread, text: str, local: Mapping[str, Any] | None = None) -> Rendered:
        """A message text (docs/spec 02 §9). Events show it without what is sensitive in it.

        It fails only by BudgetExceeded, which the trace records.
        """
        context, compiled = self.context(thread), template(text)
        conceal = None
        if compiled.names and (self.state.twins or self._may_derive(thread, compiled.names)):
            conceal = Concealer(self, thread)
        names = context.with_local(local) if local else context
        try:
            rendered = compiled.run(names, self.now(), self.random, conceal)
        except BudgetExceeded as problem:
            raise self.ran_out(problem, text) from None
        if conceal is not None and rendered.shown is not None and conceal.revealing:
            self.recorder.secrets.add_twin(rendered.text, rendered.shown)
            self.recorder.secrets.add_twin(rendered.text.rstrip("\n"), rendered.shown.rstrip("\n"))
        return rendered

    def refs(
        self, thread: Thread, names: tuple[str, ...], cache: dict[str, dict[str, Any]] | None = None
    ) -> list[dict[str, Any]]:
        """Every variable an expression reads, with value and origin (docs/spec 04 §10).

        ``cache`` keeps them for a pass, in which nothing but ``match`` changes.
        """
        context, masker = self.context(thread), self.masker(thread)
        if cache is None:
            return [ref(context, masker, name) for name in names]
        found = []
        for name in names:
            if name not in cache or name.startswith("match"):
                cache[name] = ref(context, masker, name)
            found.append(cache[name])
        return found

    # Sensitive values ---------------------------------------------------------------------------------------------

    def derives(self, thread: Thread, names: Iterable[str]) -> bool:
        """True when what is computed from these names must not be shown (docs/spec 07 §10)."""
        if self.masker(thread).reads_sensitive(names):
            return True
        if self.state.secret_turn is None or self.state.turn - self.state.secret_turn >= MESSAGES_READ:
            return False
        age = self.state.turn - self.state.secret_turn
        read = {"recent_input"} if age else {"input", "recent_input"}
        return any(name.split(".", 1)[0] in read for name in names)

    def _may_derive(self, thread: Thread, names: Iterable[str]) -> bool:
        """As ``derives``, before facts are read: the name of any fact counts, as only a read tells what is secret."""
        return self.derives(thread, names) or any(self.facts.concerns(thread, name.split(".", 1)[0]) for name in names)

    def taint(self, thread: Thread, name: str, sensitive: bool) -> None:
        """Note that the value of a name is computed from sensitive ones, or no longer is."""
        if sensitive and name not in thread.tainted:
            thread.tainted.append(name)
        elif not sensitive:
            release(self, name)
            if name in thread.tainted:
                thread.tainted.remove(name)

    def secret_message(self) -> None:
        """The user's message holds something sensitive."""
        self.state.secret_turn = self.state.turn

    # Assigning ----------------------------------------------------------------------------------------------------

    def assigned(self, thread: Thread, name: str) -> None:
        """Note that a name got a value or lost it, for the triggers that read it (docs/spec 03 §4 rule 4)."""
        self.state.revision += 1
        thread.assigned[name] = self.state.revision

    def provided(self, *names: str) -> None:
        """Note that variables of the runtime changed, which all see: the message, its intent, what a human left."""
        self.state.revision += 1
        for name in names:
            self.state.fact_assigned[name] = self.state.revision

    def fact_changed(self, thread: Thread, path: str) -> None:
        """A fact was written: it shows again where CLEAR hid it, and counts as assigned."""
        if path in thread.hidden:
            thread.hidden.remove(path)
        self.state.revision += 1
        self.state.fact_assigned[path] = self.state.revision

    def put(self, thread: Thread, name: str, value: Any, origin: str = "session", span: Any = None) -> None:
        """Set a root variable without an event; callers record it. Raises SizeExceeded and records it in the trace."""
        self.measure(thread, name, value, span)
        thread.variables[name] = value
        thread.sources.pop(name, None)
        display = self.program(thread).sensitive.get(name)
        if display is not None:
            self.recorder.add_secret_of(value, display)
        if origin == "session":
            thread.origins.pop(name, None)
        else:
            thread.origins[name] = origin
        self.assigned(thread, name)

    def measure(self, thread: Thread, name: str, value: Any, span: Any = None) -> None:
        """Refuse a value that is too large for a variable, alone or with the other large ones (docs/spec 02 §8)."""
        try:
            self._sizes.measure(thread.agent, name, value)
        except BudgetExceeded as problem:
            raise self.too_large(problem, span) from None

    def too_large(self, problem: BudgetExceeded, span: Any = None) -> BudgetExceeded:
        """Record what was too large; returns ``problem`` for the caller to raise."""
        self.report_budget(problem, span=span)
        return problem

    def count(self, name: str, by: int = 1) -> None:
        """Add to a counter the runtime provides."""
        self.state.system[name] = self.state.system.get(name, 0) + by

    # Saying -------------------------------------------------------------------------------------------------------

    say = speaking.say
    say_template = speaking.say_template
    message = speaking.message

    def fail(self, thread: Thread, code: str, name: str, message: str, span: Any = None) -> None:
        """A limit or an error nobody handles: an error event and ``error_default`` (docs/spec 06 §10)."""
        self.recorder.error(code, name, message, span, handled=False)
        self.say_template(thread, self.program(thread).messages["error_default"], kind="notice", span=span)
