/* The place that an address names (?line=21&column=7&end_line=26&end_column=20): its lines, and the span itself. */
import { StateEffect, StateField } from "@codemirror/state";
import { Decoration, EditorView } from "@codemirror/view";

const setMarked = StateEffect.define();
const lineMark = Decoration.line({ class: "is-marked" });
const spanMark = Decoration.mark({ class: "is-marked-span" });

export const marked = StateField.define({
  create: () => Decoration.none,
  update(value, transaction) {
    for (const effect of transaction.effects) if (effect.is(setMarked)) return effect.value;
    return value.map(transaction.changes);
  },
  provide: (field) => EditorView.decorations.from(field),
});

/* Offset of a 1-based line and a 1-based column in code points. */
function offset(doc, line, column) {
  const at = doc.line(Math.min(Math.max(line, 1), doc.lines));
  return at.from + [...at.text].slice(0, Math.max(column, 1) - 1).join("").length;
}

export function goTo(view, { line, column = 1, endLine, endColumn }, { mark = false } = {}) {
  const { doc } = view.state;
  const from = offset(doc, line, column);
  const to = endLine ? Math.max(from, offset(doc, endLine, endColumn ?? Infinity)) : from;
  const effects = [EditorView.scrollIntoView(from, { y: "center" })];
  if (mark) {
    const ranges = [];
    for (let n = doc.lineAt(from).number; n <= doc.lineAt(to).number; n += 1) ranges.push(lineMark.range(doc.line(n).from));
    if (to > from && doc.lineAt(to).number === doc.lineAt(from).number) ranges.push(spanMark.range(from, to));
    effects.push(setMarked.of(Decoration.set(ranges, true)));
  }
  view.dispatch({ selection: { anchor: from }, effects });
}

export function placeInAddress(search) {
  const asked = new URLSearchParams(search);
  const number = (name) => (/^\d{1,7}$/.test(asked.get(name) ?? "") ? Number(asked.get(name)) : undefined);
  const line = number("line");
  return line && { line, column: number("column"), endLine: number("end_line"), endColumn: number("end_column") };
}
