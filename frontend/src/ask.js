/* Completion and explanations: the server's answers about a place in the text. */
import { hoverTooltip } from "@codemirror/view";
import { el, words } from "./dom.js";
import { send } from "./http.js";
import { problemsAt } from "./problems.js";

const WORD = /[A-Za-z_@][\w.]*$/;
const INDEXED = /\]\.$/; // behind an index stand the fields of the item
const CM_TYPES = { snippet: "text", section: "keyword", key: "property", value: "enum", step: "constant", agent: "class", tool: "function", path: "variable" };

/* A place as the server counts: from 1, in characters. */
export function place(doc, position) {
  const line = doc.lineAt(position);
  return { line: line.number, column: [...line.text.slice(0, position - line.from)].length + 1 };
}

export function completeFrom(url) {
  return async (context) => {
    const word = context.matchBefore(WORD);
    if (!word && !context.explicit && !context.matchBefore(INDEXED)) return null;
    let items;
    try {
      ({ items } = await send("POST", url, { text: context.state.doc.toString(), ...place(context.state.doc, context.pos) }));
    } catch {
      return null;
    }
    // A word that is complete needs no offer: Enter then begins a new line.
    const whole = new Set(items.map((item) => item.label));
    if (!items.length || (!context.explicit && whole.has(word?.text))) return null;
    return {
      from: word?.from ?? context.pos,
      validFor: (text) => /^[\w.@]*$/.test(text) && !whole.has(text),
      options: items.slice(0, 200).map((item, n) => ({
        label: item.label,
        type: CM_TYPES[item.kind] ?? item.kind,
        apply: item.insert,
        detail: item.detail.length > 48 ? `${item.detail.slice(0, 47)}…` : item.detail,
        info: item.detail.length > 48 ? item.detail : undefined,
        boost: Math.max(-99, 99 - n),
      })),
    };
  };
}

/* A problem under the pointer says more than an explanation of what stands there. */
export function explainFrom(url) {
  return hoverTooltip(async (view, position) => {
    if (problemsAt(view.state, position).length) return null;
    let about;
    try {
      ({ about } = await send("POST", url, { text: view.state.doc.toString(), ...place(view.state.doc, position) }));
    } catch {
      return null;
    }
    if (!about) return null;
    const at = view.state.wordAt(position);
    return {
      pos: at?.from ?? position,
      end: at?.to ?? position,
      create: () => ({ dom: el("div", { class: "cm-tip problem-tip" }, el("strong", {}, ...words(about.title)), el("span", { class: "lines" }, ...words(about.text))) }),
    };
  }, { hoverTime: 400, hideOnChange: true });
}
