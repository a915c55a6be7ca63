/* Keys of the editing page. Escape, then Tab, leaves the code (CodeMirror does that by itself). */
import { closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, historyKeymap, indentWithTab, toggleComment } from "@codemirror/commands";
import { foldKeymap } from "@codemirror/language";
import { searchKeymap } from "@codemirror/search";
import { keymap } from "@codemirror/view";
import { closeTip, fixHere, nextProblem } from "./problems.js";

export function keys({ save, more }) {
  const saves = () => {
    save();
    return true;
  };
  return keymap.of([
    { key: "Mod-s", run: saves, preventDefault: true },
    { key: "F8", run: nextProblem(1), shift: nextProblem(-1), preventDefault: true },
    { key: "Mod-.", run: fixHere, preventDefault: true },
    { key: "Mod-/", run: toggleComment, preventDefault: true },
    ...more,
    { key: "Escape", run: closeTip },
    ...closeBracketsKeymap,
    ...completionKeymap,
    ...searchKeymap,
    ...historyKeymap,
    ...foldKeymap,
    indentWithTab,
    ...defaultKeymap,
  ]);
}
