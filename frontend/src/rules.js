/* How each rule went in the last test conversation, at the end of its line; it leads to the step of the trace. */
import { StateEffect, StateField } from "@codemirror/state";
import { Decoration, EditorView, WidgetType } from "@codemirror/view";
import { el, icon } from "./dom.js";
import { send } from "./http.js";

const setRules = StateEffect.define();

class Words extends WidgetType {
  constructor(rule) {
    super();
    this.rule = rule;
  }

  eq(other) { return other.rule.text === this.rule.text && other.rule.address === this.rule.address; }

  toDOM() {
    const { state, text, address } = this.rule;
    return el("a", { class: "inlay", "data-state": state, href: address, title: "Last run: open in the trace" }, icon(state), text);
  }

  ignoreEvent() { return true; }
}

/* A line that is written anew may hold another rule: what was said of it goes. */
function kept(value, transaction) {
  const { doc } = transaction.state;
  const touched = [];
  transaction.changes.iterChangedRanges((fromA, toA, from, to) => touched.push([doc.lineAt(from).from, doc.lineAt(to).to]));
  return value.map(transaction.changes).update({ filter: (at) => !touched.some(([from, to]) => from <= at && at <= to) });
}

const field = StateField.define({
  create: () => Decoration.none,
  update(value, transaction) {
    for (const effect of transaction.effects) if (effect.is(setRules)) return effect.value;
    return transaction.docChanged ? kept(value, transaction) : value;
  },
  provide: (rules) => EditorView.decorations.from(rules),
});

export class Rules {
  constructor({ url }) { this.url = url; }

  extension() { return field; }

  /* Asked for when the page opens, after a save, and whenever the test panel shows something new. */
  start(view) {
    const soon = () => {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.ask(view), 300);
    };
    this.ask(view);
    document.body.addEventListener("abl:saved", soon);
    document.body.addEventListener("htmx:afterSettle", (event) => event.target.closest?.("#p-test") && soon());
  }

  async ask(view) {
    const { doc } = view.state;
    let rules;
    try {
      ({ rules } = await send("POST", this.url, { text: doc.toString() }));
    } catch {
      return; // it is only said beside the text
    }
    if (view.state.doc !== doc) return;
    const ranges = rules.filter(({ line }) => line <= doc.lines).map((rule) => Decoration.widget({ widget: new Words(rule), side: 1 }).range(doc.line(rule.line).to));
    view.dispatch({ effects: setRules.of(Decoration.set(ranges, true)) });
  }
}
