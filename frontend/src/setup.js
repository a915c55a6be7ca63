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

/* A new line is as far in as the one above, and further in below a line that opens a block. */
const indenting = indentService.of((context, position) => {
  const { text } = context.lineAt(position, -1);
  return indentation(text) + (/:\s*$/.test(text) ? 2 : 0);
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
  { commentTokens: { line: "#" }, closeBrackets: { brackets: ["(", "[", "{", '"'] } },
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
