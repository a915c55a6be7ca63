/* Saving against the revision that the text began from; after a conflict, the author decides with both sides in view. */
import { send } from "./http.js";
import { resolveConflict } from "./conflict.js";

const plain = (text) => text.replaceAll("\r\n", "\n");

const RETRY = [1000, 2000, 5000];
const MOST_UNANSWERED = 20;

export class Saver {
  /* told(state, detail): "saving", "saved" (revision), "waiting", "failed" (text), "signed-out", "conflict". */
  constructor({ url, current, message, drafts, dialog, nonce, common, told }) {
    Object.assign(this, { url, current, message, drafts, dialog, nonce, common, told });
    this.busy = false;
    this.waiting = false; // a save that was asked for is done as soon as the server is back
    this.failures = 0;
    this.unanswered = new Set(); // texts sent without an answer: one of them may have become a revision
    addEventListener("online", () => this.again());
  }

  start(view) { this.view = view; }

  /* Something else reached the server: a save that waits need not wait for its turn. */
  again() {
    if (this.waiting && !this.dialog.open) this.save();
  }

  async save() {
    clearTimeout(this.timer);
    if (this.busy) return;
    this.busy = true;
    this.told("saving");
    await this.drafts.hold();
    const text = this.view.state.doc.toString();
    let found;
    try {
      const { revision } = await send("POST", this.url, { text, base_revision: this.drafts.base, message: this.message?.value ?? "" });
      if (this.message) this.message.value = "";
      this.done(text, revision);
    } catch (failed) {
      this.drafts.remember();
      found = await this.newest(failed);
      if (!found) this.failed(failed, text);
    } finally {
      this.drafts.release();
      this.busy = false;
    }
    if (found) await this.others(found);
  }

  done(text, revision) {
    this.rest();
    this.unanswered.clear();
    this.drafts.saved(text, revision);
    this.told("saved", revision);
  }

  rest() {
    clearTimeout(this.timer);
    this.waiting = false;
    this.failures = 0;
  }

  /* The newest revision, where the text began from another one, or from one that is no more (data was restored). */
  async newest({ status, problem }) {
    if (status === 409) return problem?.current;
    return problem?.fields?.base_revision ? send("GET", this.current).catch(() => undefined) : undefined;
  }

  failed(failed, text) {
    if (!failed.offline) {
      this.rest();
      return void this.told(failed.signedOut ? "signed-out" : "failed", failed.message);
    }
    if (this.unanswered.size < MOST_UNANSWERED) this.unanswered.add(text);
    this.waiting = true;
    this.told("waiting");
    this.timer = setTimeout(() => this.again(), RETRY[Math.min(this.failures++, RETRY.length - 1)]);
  }

  /* A newer revision that was sent from here, and whose answer was lost, is no conflict: what was typed since follows it. */
  async others(found) {
    const text = plain(found.text);
    if (!this.unanswered.has(text)) return this.settle(found);
    this.done(text, found.revision);
    return this.view.state.doc.toString() === text ? undefined : this.save();
  }

  async settle(found) {
    this.rest();
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
      this.drafts.base = current.revision;
      await this.save();
    }
    this.view.focus();
  }
}
