/* Somebody saved in between: both texts side by side, and three ways on. None of them loses a text: the one that is left
   stays in the undo history (theirs taken) or in the revisions (mine saved). */
import { MergeView } from "@codemirror/merge";
import { EditorState } from "@codemirror/state";
import { EditorView, lineNumbers } from "@codemirror/view";

/* Resolves to {choice: "mine" | "theirs" | "merged" | "later", text}. */
export function resolveConflict({ dialog, mine, current, nonce, common }) {
  const host = dialog.querySelector("[data-merge]");
  const side = [...common, lineNumbers(), EditorView.cspNonce.of(nonce)];
  dialog.querySelector("[data-theirs]").textContent = `Revision ${current.revision}, ${current.author_name ?? "unknown user"}`;
  const merge = new MergeView({
    parent: host,
    a: { doc: current.text, extensions: [...side, EditorState.readOnly.of(true), EditorView.editable.of(false), EditorView.contentAttributes.of({ "aria-label": "Their text", tabindex: "0" })] },
    b: { doc: mine, extensions: [...side, EditorView.contentAttributes.of({ "aria-label": "Your text, can be edited", tabindex: "0" })] },
    revertControls: "a-to-b",
    collapseUnchanged: { margin: 3, minSize: 6 },
    gutter: true,
  });
  dialog.showModal();
  merge.b.focus();
  return new Promise((resolve) => {
    let choice = "later";
    const choose = (event) => {
      const button = event.target.closest("[data-choose]");
      if (!button) return;
      choice = button.dataset.choose;
      dialog.close();
    };
    dialog.addEventListener("click", choose);
    dialog.addEventListener("close", () => {
      const merged = merge.b.state.doc.toString();
      merge.destroy();
      dialog.removeEventListener("click", choose);
      resolve({ choice, text: { mine, theirs: current.text, merged, later: mine }[choice] });
    }, { once: true });
  });
}
