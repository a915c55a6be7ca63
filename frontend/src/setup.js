/* What the code editor is made of, apart from what talks to the server. */
import { autocompletion, closeBrackets } from "@codemirror/autocomplete";
import { history } from "@codemirror/commands";
import { bracketMatching, codeFolding, foldService, indentOnInput, indentService, indentUnit } from "@codemirror/language";
import { highlightSelectionMatches, search } from "@codemirror/search";
import { EditorState } from "@codemirror/state";
import {
  EditorView, crosshairCursor, drawSelection, dropCursor, highlightActiveLine, highlightActiveLineGutter, highlightSpecialChars,
  lineNumbers, rectangularSelection,
} from "@codemirror/view";

const indentation = (text) => /^[ \t]*/.exec(text)[0].length;

/* Lines whose next line belongs to them: what opens a block, an entry of a list with properties, the signature of a tool. */
const opening = [
  /:\s*$/, /^\s*- (?:REQUIRE|LIMIT|RESTRICT|WARN)\b/, /^\s*- [A-Za-z_][\w.]*\s*:(?=\s)/, /^\s*[A-Za-z_]\w*\(.*\)(?:\s*(?:->|→).*)?$/,
];
const declaring = /^\s*(?:session|persistent):\s*$/i;

/* The nearest line above that fits, without the blank ones. */
function above(state, number, fits) {
  for (let n = number - 1; n > 0; n -= 1) {
    const { text } = state.doc.line(n);
    if (text.trim() && fits(text)) return text;
  }
  return null;
}

/* True for `- name` below `session:` or `persistent:`: its properties follow. */
const declares = (state, number, text) =>
  /^\s*- [\w.]+\s*$/.test(text) && declaring.test(above(state, number, (line) => indentation(line) < indentation(text)) ?? "");

/* A new line is as far in as the one above, and further in below a line that others belong to. A dash that is typed below
   an entry begins the next one, so it goes to the column of the dash before, unless a list may begin there. */
const indenting = indentService.of((context, position) => {
  const { state } = context;
  const { text } = context.lineAt(position, -1);
  const { number } = state.doc.lineAt(position);
  const own = indentation(text);
  if (context.simulatedBreak === null) {
    const before = /^\s*- /.test(text) ? above(state, number, () => true) : null;
    if (before === null || /[:|]\s*$/.test(before)) return own;
    return indentation(above(state, number, (line) => /^\s*- /.test(line) && indentation(line) <= own) ?? text);
  }
  return own + (opening.some((line) => line.test(text)) || declares(state, number, text) ? 2 : 0);
});

/* Lines further in than one belong to it. */
const folding = foldService.of((state, from) => {
  const line = state.doc.lineAt(from);
  if (!line.text.trim()) return null;
  const own = indentation(line.text);
  let last = line;
  for (let n = line.number + 1; n <= state.doc.lines; n += 1) {
    const next = state.doc.line(n);
    if (!next.text.trim()) continue;
    if (indentation(next.text) <= own) break;
    last = next;
  }
  return last.number > line.number ? { from: line.to, to: last.to } : null;
});

const language = EditorState.languageData.of(() => [
  { commentTokens: { line: "#" }, closeBrackets: { brackets: ["(", "[", "{", '"'] }, indentOnInput: /^\s*- $/ },
]);

export function common({ nonce }) {
  return [EditorView.cspNonce.of(nonce), EditorState.tabSize.of(2), highlightSpecialChars(), drawSelection()];
}

export function editing({ complete, readOnly, label }) {
  return [
    lineNumbers(), history(), dropCursor(), EditorState.allowMultipleSelections.of(true), indentOnInput(), indentUnit.of("  "),
    language, indenting, folding, codeFolding(), bracketMatching(), closeBrackets(), rectangularSelection(), crosshairCursor(),
    highlightActiveLine(), highlightActiveLineGutter(), highlightSelectionMatches({ minSelectionLength: 2 }), search({ top: true }),
    autocompletion({ override: [complete], icons: false }),
    EditorState.readOnly.of(readOnly),
    EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0", spellcheck: "false", autocorrect: "off", autocapitalize: "off" }),
  ];
}
