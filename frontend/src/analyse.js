/* Asks the server about the text while somebody types. A keystroke never waits: one question is under way at a time, the
   next one takes the newest text, and an answer is carried forward through what was typed since it was asked. */
import { ChangeSet, Prec } from "@codemirror/state";
import { ViewPlugin } from "@codemirror/view";
import { send } from "./http.js";
import { carried, setProblems } from "./problems.js";
import { setTokens } from "./tokens.js";

const QUICK = 150; // ms: a text that takes the server longer is asked about after a pause as long as that
const RETRY = [1000, 2000, 5000, 10000];

const nothing = (length) => ChangeSet.empty(length).desc;

/* The part of the new text that the changes have touched, or null. */
function touchedBy(changes) {
  let from = null, to = 0;
  changes.iterChangedRanges((_fromA, _toA, fromB, toB) => {
    from ??= fromB;
    to = Math.max(to, toB);
  });
  return from === null ? null : [from, to];
}

export class Analyser {
  /* told: called with {problems, outline, took} after each answer, and with {failed} when there is none. */
  constructor({ url, told }) {
    this.url = url;
    this.told = told;
    this.page = crypto.getRandomValues(new Uint32Array(2)).join("-");
    this.version = 1;
    this.asked = null; // {version, since}: the question under way
    this.base = null; // {version, since}: the last answer
    this.timer = 0;
    this.failures = 0;
    this.took = 0;
  }

  /* At once, so that the server works while the browser paints the key; a heavy text waits for a pause in the typing. */
  next(doc) {
    if (this.took > QUICK) this.soon(this.took);
    else this.ask(doc);
  }

  /* A plugin hears of a key before it is drawn: the question is on its way meanwhile. */
  extension() {
    return Prec.highest(ViewPlugin.define(() => ({ update: (update) => { if (update.docChanged) this.changed(update); } })));
  }

  changed({ changes: { desc }, state: { doc } }) {
    this.version += 1;
    if (this.asked) this.asked.since = this.asked.since.composeDesc(desc);
    if (this.base) this.base.since = this.base.since.composeDesc(desc);
    if (!this.asked) this.next(doc);
  }

  start(view) {
    this.view = view;
    this.ask(view.state.doc);
  }

  soon(pause) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.ask(this.view.state.doc), pause);
  }

  async ask(doc) {
    if (this.asked) return;
    const asked = { version: this.version, since: nothing(doc.length) };
    this.asked = asked;
    const question = { version: asked.version, text: doc.toString(), page: this.page };
    if (this.base) Object.assign(question, { base: this.base.version, touched: touchedBy(this.base.since) });
    try {
      const answer = await send("POST", this.url, question);
      this.failures = 0;
      this.take(answer, asked.since);
    } catch (failed) {
      this.told({ failed });
      const pause = RETRY[Math.min(this.failures++, RETRY.length - 1)];
      this.asked = null;
      if (!failed.problem || failed.offline || failed.busy) this.soon(pause);
      return;
    }
    this.asked = null;
    if (asked.version !== this.version) this.next(this.view.state.doc);
  }

  take(answer, since) {
    this.base = { version: answer.version, since };
    this.took = answer.took;
    const problems = carried(answer.problems, since);
    this.view.dispatch({ effects: [setTokens.of({ ...answer, since }), setProblems.of(problems)] });
    this.told({ problems, outline: answer.outline, took: answer.took });
  }
}
