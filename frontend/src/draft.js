/* What was typed and not saved: kept at once in this browser, soon on the server. Nothing is lost when either is away. */
import { EditorView } from "@codemirror/view";
import { send } from "./http.js";

const PAUSE = 800, LONGEST = 4000, LOCAL = 250;
const RETRY = [2000, 4000, 8000, 15000];

export class Drafts {
  /* told(state, detail): "clean", "typing", "kept" (a Date), "offline", "signed-out", "failed" (a text). */
  constructor({ url, key, base, savedText, told }) {
    this.url = url;
    this.key = key;
    this.base = base;
    this.savedText = savedText;
    this.told = told;
    this.keptText = null;
    this.failures = 0;
    this.sending = null; // the promise of the request under way
    this.held = false;
  }

  extension() {
    return EditorView.updateListener.of((update) => {
      if (!update.docChanged) return;
      this.told("typing");
      clearTimeout(this.localTimer);
      this.localTimer = setTimeout(() => this.remember(), LOCAL);
      this.soon(PAUSE);
    });
  }

  start(view, keptText) {
    this.view = view;
    this.keptText = keptText;
    addEventListener("pagehide", () => { if (this.dirty) this.remember(); });
    addEventListener("online", () => { if (this.dirty) this.keep(); });
  }

  get text() { return this.view.state.doc.toString(); }
  get dirty() { return this.text !== this.savedText && this.text !== this.keptText; }

  soon(pause) {
    this.due ??= performance.now() + LONGEST;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.keep(), Math.max(0, Math.min(pause, this.due - performance.now())));
  }

  /* The copy in this browser; a full or forbidden storage only costs this copy. */
  remember() {
    try {
      localStorage.setItem(this.key, JSON.stringify({ text: this.text, base: this.base, at: Date.now() }));
    } catch { /* the server's copy remains */ }
  }

  forget() {
    clearTimeout(this.localTimer);
    localStorage.removeItem(this.key);
  }

  static recall(key) {
    try {
      return JSON.parse(localStorage.getItem(key));
    } catch {
      return null;
    }
  }

  /* No draft goes out beside a save: one that arrives after it would look like something newer. */
  hold() {
    this.held = true;
    return this.sending;
  }

  release() { this.held = false; }

  async keep() {
    this.due = undefined;
    if (this.sending || this.held) return void this.soon(PAUSE);
    this.sending = this.post().finally(() => { this.sending = null; });
    await this.sending;
  }

  async post() {
    const { text } = this;
    try {
      const answer = await send("POST", this.url, { text, base_revision: this.base });
      this.failures = 0;
      this.keptText = text;
      if (this.text === text) this.forget();
      this.told(answer.kept_at ? "kept" : "clean", answer.kept_at && new Date(answer.kept_at));
    } catch (failed) {
      this.remember();
      this.told(failed.signedOut ? "signed-out" : failed.offline ? "offline" : "failed", failed.message);
      this.soon(RETRY[Math.min(this.failures++, RETRY.length - 1)]);
      this.due = undefined;
    }
  }

  /* A save was done: `text` is revision `base` now. What was typed meanwhile stays a draft on it. */
  saved(text, base) {
    this.base = base;
    this.savedText = text;
    this.keptText = null;
    clearTimeout(this.timer);
    this.due = undefined;
    if (this.text === text) {
      this.forget();
      this.told("clean");
    } else {
      this.soon(0);
    }
  }
}
