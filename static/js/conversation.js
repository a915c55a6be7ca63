/* One test conversation on a page: sending, following by server-sent events, and what happens when a part is away.

   Nothing typed is lost: the text stays in its field until the server has taken it, and is kept over a reload. A message
   has its id before it is sent, so sending again after a break is harmless. */

const RETRY_MS = 1500;
const LONGEST_RETRY_MS = 15000;
const STALLED_MS = 3000;
const DRAWN_AFTER_MS = 300;
const FULL = 507; /* no room to write; reading works */
let current = null;
/* Turns that the stream told of: a script that starts later than this one asks here for what it did not hear. */
export const heard = new Set();

const fragment = (html) => document.createRange().createContextualFragment(html);

export async function fetchFragment(url) {
  const answer = await fetch(url, { headers: { "HX-Request": "true" }, credentials: "same-origin" });
  /* A redirect leads to the sign-in page, which is no fragment. */
  if (!answer.ok || answer.redirected) throw Object.assign(new Error(String(answer.status)), { answered: true });
  return fragment(await answer.text());
}

const newId = () => Array.from(crypto.getRandomValues(new Uint8Array(16)), (b) => b.toString(16).padStart(2, "0")).join("");

class Conversation {
  constructor(root) {
    this.root = root;
    this.chat = root.querySelector("[data-chat]");
    this.scroller = root.querySelector("[data-chat-scroll]");
    this.composer = root.querySelector("[data-composer]");
    this.live = root.querySelector("[data-trace-live]");
    this.version = Number(root.dataset.version);
    this.loading = new Map();
    this.later = new Map();
    this.onVisibility = () => (document.hidden ? this.close() : this.open());
    document.addEventListener("visibilitychange", this.onVisibility);
    if (this.composer) this.compose();
    this.scrollDown();
    if (!document.hidden) this.open();
    this.watch = setInterval(() => this.showStalled(), 500);
  }

  stop() {
    this.close();
    clearInterval(this.watch);
    document.removeEventListener("visibilitychange", this.onVisibility);
  }

  /* Following ------------------------------------------------------------------------------------------------- */

  open() {
    if (this.source || !this.root.isConnected) return;
    const source = (this.source = new EventSource(`${this.root.dataset.stream}?brief&after=${this.version}`));
    source.onopen = () => {
      this.lost = 0;
      this.tell("passed", "Connected", "done");
    };
    source.onerror = () => {
      this.tell("warning", "Connection lost, reconnecting", "warned");
      if (source.readyState !== EventSource.CLOSED) return;
      this.close();
      this.lost = (this.lost ?? 0) + 1;
      setTimeout(() => !document.hidden && this.open(), Math.min(RETRY_MS * this.lost, LONGEST_RETRY_MS));
    };
    source.addEventListener("turn", (event) => this.turnChanged(JSON.parse(event.data)));
    source.addEventListener("trace", (event) => this.traced(JSON.parse(event.data)));
    source.addEventListener("version", (event) => (this.version = Math.max(this.version, JSON.parse(event.data).version)));
    source.addEventListener("gone", () => this.gone());
    source.addEventListener("away", () => this.tell("warning", "Database unavailable, reconnecting", "warned"));
    source.addEventListener("back", () => this.tell("passed", "Connected", "done"));
  }

  close() {
    this.source?.close();
    this.source = null;
  }

  tell(state, words, icon) {
    const node = document.querySelector("[data-connection]");
    if (!node || node.textContent === words) return;
    node.dataset.state = state;
    const sprite = document.querySelector("svg.i use")?.getAttribute("href").split("#")[0] ?? "";
    node.replaceChildren(fragment(`<svg class="i" aria-hidden="true"><use href="${sprite}#i-${icon}"/></svg>`), words);
  }

  /* Most turns are done before anybody could read "queued": only a turn that takes a while is drawn on its way. */
  turnChanged(turn) {
    const known = document.getElementById(`chat-turn-${turn.index}`);
    const finished = !["queued", "running"].includes(turn.status);
    clearTimeout(this.later.get(turn.index));
    if (!known || Number(known.dataset.version) < turn.version) {
      if (finished) this.refresh(turn.index);
      else this.later.set(turn.index, setTimeout(() => this.refresh(turn.index), DRAWN_AFTER_MS));
    }
    heard.add(turn.index);
    document.dispatchEvent(new CustomEvent("wb:turn", { detail: turn }));
    if (turn.ended && this.composer) this.end();
  }

  /* What was typed and not sent stays in view. */
  end(words = "The session has ended", told = this.composer.querySelector("[data-ended]")) {
    const field = this.composer.querySelector("textarea");
    field?.setAttribute("placeholder", words);
    for (const each of this.composer.querySelectorAll("textarea, input, button")) each.disabled = true;
    if (!told || !this.root.isConnected || field?.value) return;
    for (const part of this.composer.children) part.hidden = part !== told;
  }

  gone() {
    this.stop();
    const words = "This conversation was deleted";
    this.tell("warning", words, "warned");
    if (this.composer) this.end(words, null);
  }

  traced(message) {
    document.dispatchEvent(new CustomEvent("wb:trace", { detail: message }));
  }

  /* One request per turn at a time; a change meanwhile asks once more. */
  async refresh(index) {
    const state = this.loading.get(index);
    if (state) return this.loading.set(index, "again");
    this.loading.set(index, "once");
    try {
      const fresh = await fetchFragment(`${this.root.dataset.turns}${index}/chat/`);
      this.place(index, fresh);
      if (this.live) await this.showRules(index);
    } catch {
      setTimeout(() => this.refresh(index), RETRY_MS);
    }
    const again = this.loading.get(index) === "again";
    this.loading.delete(index);
    if (again) this.refresh(index);
  }

  get atEnd() {
    return !this.scroller || this.scroller.scrollHeight - this.scroller.scrollTop - this.scroller.clientHeight < 80;
  }

  place(index, fresh) {
    const { atEnd } = this;
    const known = document.getElementById(`chat-turn-${index}`);
    if (known) known.replaceWith(fresh);
    else {
      const later = [...this.chat.querySelectorAll("[data-turn]")].find((node) => Number(node.dataset.turn) > index);
      this.chat.insertBefore(fresh, later ?? null);
    }
    if (atEnd) this.scrollDown();
    this.showClock();
  }

  /* The message is on the page at once; the server's version of the turn takes its place. */
  anticipate(index, data) {
    if (document.getElementById(`chat-turn-${index}`)) return;
    const node = document.createElement("div");
    Object.assign(node, { id: `chat-turn-${index}`, className: "chat-turn" });
    Object.assign(node.dataset, { turn: index, status: "queued", version: 0, queued: new Date().toISOString() });
    if (data.kind === "say") {
      const bubble = document.createElement("p");
      bubble.className = "bubble bubble--user";
      bubble.dir = "auto";
      bubble.textContent = data.text;
      node.append(bubble);
    }
    this.place(index, node);
    this.scrollDown();
    this.later.set(index, setTimeout(() => this.refresh(index), DRAWN_AFTER_MS));
  }

  async showRules(index) {
    const turn = document.getElementById(`chat-turn-${index}`);
    if (turn?.dataset.status !== "done") return;
    const fresh = await fetchFragment(`${this.root.dataset.turns}${index}/rules/`);
    const { atEnd } = this;
    this.live.replaceChildren(fresh);
    if (atEnd) this.scrollDown(); /* the rules take room from the messages */
  }

  /* On a phone the page scrolls, not the messages. */
  scrollDown() {
    if (!this.scroller) return;
    this.scroller.scrollTop = this.scroller.scrollHeight;
    const flows = getComputedStyle(this.scroller).overflowY === "visible";
    if (flows && this.scroller.checkVisibility()) this.composer?.scrollIntoView({ block: "end" });
  }

  showClock() {
    const shown = this.root.querySelector("[data-clock]");
    const last = [...this.chat.querySelectorAll("[data-clock-at]")].at(-1);
    if (shown && last) {
      shown.dateTime = last.dataset.clockAt;
      shown.textContent = last.dataset.clockWords;
    }
  }

  showStalled() {
    for (const node of this.chat?.querySelectorAll("[data-status=queued]") ?? []) {
      const first = !node.previousElementSibling || !["queued", "running"].includes(node.previousElementSibling.dataset.status);
      const waits = Date.now() - Date.parse(node.dataset.queued) > STALLED_MS;
      const note = node.querySelector("[data-stalled]");
      if (note) note.hidden = !(first && waits);
    }
  }

  /* Sending --------------------------------------------------------------------------------------------------- */

  compose() {
    const field = this.composer.querySelector("textarea");
    this.key = `say:${this.root.dataset.turns}`;
    const kept = JSON.parse(sessionStorage.getItem(this.key) ?? "null");
    if (field && kept?.text) field.value = kept.text;
    this.messageId = kept?.id ?? newId();
    field?.addEventListener("input", () => this.keep(field.value));
    field?.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      this.say(field);
    });
    this.composer.addEventListener("submit", (event) => {
      event.preventDefault();
      this.submit(event.target, event.submitter);
    });
  }

  keep(text) {
    if (text) sessionStorage.setItem(this.key, JSON.stringify({ text, id: this.messageId }));
    else sessionStorage.removeItem(this.key);
  }

  submit(form, button) {
    if (form.dataset.send === "say") return this.say(form.querySelector("textarea"));
    if (form.dataset.send === "advance") return this.send({ kind: "advance", by: button.value, message_id: newId() });
    return this.setValue(form);
  }

  async setValue(form) {
    const { name, value } = form.elements;
    const sent = await this.send({ kind: "set", name: name.value.trim(), value: value.value.trim(), message_id: newId() });
    if (!sent) return;
    name.value = value.value = "";
    name.focus();
  }

  async say(field) {
    const text = field.value.trim();
    if (!text) field.value = "";
    if (!text || this.sending) return;
    this.sending = true;
    this.keep(field.value);
    const sent = await this.send({ kind: "say", text, message_id: this.messageId });
    this.sending = false;
    if (!sent) return;
    if (field.value.trim() === text) field.value = "";
    this.messageId = newId();
    this.keep(field.value);
  }

  /* True when the server has taken it. A server that is away is asked again, with the same id, until it answers. */
  async send(data) {
    document.dispatchEvent(new CustomEvent("wb:sending"));
    for (;;) {
      try {
        const answer = await this.post(this.root.dataset.turns, data);
        if (answer.ok) {
          this.unsent("");
          const turn = await answer.json();
          if (turn.created) this.anticipate(turn.index, data);
          return true;
        }
        if (answer.status < 500) {
          this.unsent(await problem(answer));
          return false;
        }
        if (answer.status === FULL) this.unsent(`Not sent yet. ${await problem(answer)} Your message will be sent as soon as possible.`);
        else this.unsent("Not sent yet: a service is unavailable. Your message will be sent when it is back.");
      } catch {
        this.unsent("Not sent yet: the server is not responding. Your message will be sent when it is back.");
      }
      await new Promise((done) => setTimeout(done, RETRY_MS));
      if (!this.root.isConnected) return false;
    }
  }

  post(url, data) {
    const body = new FormData();
    for (const [name, value] of Object.entries(data)) body.append(name, value);
    const token = document.querySelector("meta[name=csrf-token]")?.content ?? "";
    return fetch(url, { method: "POST", body, headers: { Accept: "application/json", "X-CSRFToken": token }, credentials: "same-origin" });
  }

  unsent(text) {
    const note = this.composer.querySelector("[data-unsent]");
    if (!note) return;
    note.hidden = !text;
    note.querySelector("[data-unsent-text]").textContent = text;
  }
}

async function problem(answer) {
  if (!answer.headers.get("Content-Type")?.includes("json")) return `Something went wrong (${answer.status}).`;
  const { title, detail } = await answer.json();
  return detail || title;
}

/* Cancelling needs no page of its own; the stream tells how it went. */
document.addEventListener("submit", async (event) => {
  const form = event.target.closest("[data-cancel]");
  if (!form || !current) return;
  event.preventDefault();
  form.querySelector("button").disabled = true;
  const answer = await current.post(form.action, {}).catch(() => null);
  if (!answer?.ok) form.querySelector("button").disabled = false;
});

/* A page has at most one conversation that is followed: browsers allow six streams to a host. */
function attach() {
  const root = document.querySelector("[data-conversation]");
  if (current?.root === root) return;
  current?.stop();
  current = root ? new Conversation(root) : null;
}

document.addEventListener("htmx:afterSettle", attach);
addEventListener("pagehide", () => current?.close());
addEventListener("pageshow", () => current && !document.hidden && current.open());
attach();
