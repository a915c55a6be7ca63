/* Saving against the revision that the text began from; after a conflict, the author decides with both sides in view. */
import { send } from "./http.js";
import { resolveConflict } from "./conflict.js";

const plain = (text) => text.replaceAll("\r\n", "\n");

export class Saver {
  /* told(state, detail): "saving", "saved" (revision), "failed" (text), "signed-out", "conflict". */
  constructor({ url, message, drafts, dialog, nonce, common, told }) {
    Object.assign(this, { url, message, drafts, dialog, nonce, common, told });
    this.busy = false;
  }

  start(view) { this.view = view; }

  async save(base = this.drafts.base) {
    if (this.busy) return;
    this.busy = true;
    const text = this.view.state.doc.toString();
    this.told("saving");
    try {
      const { revision } = await send("POST", this.url, { text, base_revision: base, message: this.message?.value ?? "" });
      if (this.message) this.message.value = "";
      this.drafts.saved(text, revision);
      this.told("saved", revision);
    } catch (failed) {
      this.drafts.remember();
      if (failed.status === 409 && failed.problem?.current) {
        this.busy = false;
        return void this.settle(failed.problem.current);
      }
      this.told(failed.signedOut ? "signed-out" : "failed", failed.message);
    } finally {
      this.busy = false;
    }
  }

  async settle(found) {
    this.told("conflict");
    const current = { ...found, text: plain(found.text) };
    const mine = this.view.state.doc.toString();
    const { choice, text } = await resolveConflict({ dialog: this.dialog, mine, current, nonce: this.nonce, common: this.common });
    if (choice === "later") {
      this.told("failed", "Your text is kept as a draft.");
      return void this.drafts.keep();
    }
    if (text !== mine) {
      this.view.dispatch({ changes: { from: 0, to: this.view.state.doc.length, insert: text }, userEvent: "input.merge" });
    }
    if (choice === "theirs") {
      this.drafts.saved(current.text, current.revision);
      await send("DELETE", this.drafts.url).catch(() => {});
      this.told("saved", current.revision);
    } else {
      await this.save(current.revision);
    }
    this.view.focus();
  }
}
