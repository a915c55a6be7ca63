/* The trace of a conversation: select a step, walk through the steps, load rows when they are wanted, follow new turns.
   The server renders every part; a step's answer holds the parts that show it, and each replaces its namesake. */
import { fetchFragment, heard } from "./conversation.js";
import { toast } from "./workbench.js";

const trace = document.querySelector("[data-trace]");
/* On a phone the page scrolls, not the list. */
const scrolls = () => trace && getComputedStyle(trace).overflowY !== "visible";
const page = document.querySelector("[data-conversation]");
let asked = 0;
/* After a message the newest turn that is done is shown, until somebody picks a step. This is the last turn that nobody
   waits for any more; null: nothing is followed. */
let follow = null;

/* Selecting ------------------------------------------------------------------------------------------------------ */

async function select(url, { push = true } = {}) {
  const ask = ++asked;
  let parts;
  try {
    parts = await fetchFragment(url);
  } catch (failed) {
    if (failed.answered && push === true) location.assign(url); /* a step that nobody asked for is no reason to leave */
    else if (!failed.answered) toast("The server is not responding. Try again in a moment.", { state: "warning" });
    return;
  }
  if (ask !== asked) return;
  const held = document.activeElement?.dataset?.step;
  replaceNamesakes([...parts.children]);
  if (held) document.querySelector(`#stepper [data-step=${held}]`)?.focus();
  const address = `${page.dataset.events}${stepper().dataset.seq}/`;
  if (push === "replace") history.replaceState({ step: address }, "", address);
  else if (push) history.pushState({ step: address }, "", address);
  await mark();
  showSource();
}

/* Every part of an answer takes the place of what has its id; a pane stays as shown, and as focused, as it was. */
function replaceNamesakes(parts) {
  for (const part of parts) {
    const old = document.getElementById(part.id);
    if (!old) continue;
    if (old.classList.contains("pane")) part.classList.toggle("is-shown", old.classList.contains("is-shown"));
    const held = old.contains(document.activeElement);
    old.replaceWith(part);
    if (held) part.querySelector(".pane-body, .code")?.focus({ preventScroll: true });
  }
}

const stepper = () => document.getElementById("stepper");

async function mark({ scroll = true } = {}) {
  const { seq, turn } = stepper()?.dataset ?? {};
  if (!seq) return;
  for (const each of document.querySelectorAll("[data-turn-to]")) {
    if (each.dataset.turnTo === turn) each.setAttribute("aria-current", "true");
    else each.removeAttribute("aria-current");
  }
  trace.querySelectorAll("[aria-current=step]").forEach((row) => row.removeAttribute("aria-current"));
  const box = document.getElementById(`trace-turn-${turn}`);
  if (box && !document.getElementById(`e${seq}`)) await loadTurn(box, seq);
  if (box) box.open = true;
  const row = document.getElementById(`e${seq}`);
  row?.setAttribute("aria-current", "step");
  /* A filter may leave the row out; then its turn is shown. */
  const place = row ?? document.getElementById(`trace-turn-${turn}`)?.querySelector("summary");
  if (place && scroll) reveal(place);
}

/* Scrolls the list only, and no further than needed; the head of a turn covers the first rows. */
function reveal(row) {
  const box = trace.getBoundingClientRect(), at = row.getBoundingClientRect();
  if (!scrolls()) return;
  if (at.top < box.top + 40) trace.scrollTop += at.top - box.top - 60;
  else if (at.bottom > box.bottom) trace.scrollTop += at.bottom - box.bottom + 40;
}

function showSource() {
  const line = document.querySelector("#source [data-scroll]");
  const box = line?.closest(".code");
  if (box) box.scrollTop += line.getBoundingClientRect().top - box.getBoundingClientRect().top - box.clientHeight / 4;
}

document.addEventListener("click", (event) => {
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  const link = event.target.closest("a.event, a[data-step], a[data-step-to]");
  if (link?.closest("[data-empty]")) return event.preventDefault();
  if (link && (page?.contains(link) || document.querySelector(".page-bar")?.contains(link))) {
    event.preventDefault();
    follow = null;
    select(link.href);
    if (link.matches("a.event") && !scrolls()) document.querySelector(".chip[data-show=step]")?.click();
  }
  const turn = event.target.closest("[data-turn-to]");
  const landmark = turn && document.getElementById(`trace-turn-${turn.dataset.turnTo}`)?.dataset.landmark;
  if (turn && page?.contains(turn)) {
    event.preventDefault();
    follow = null;
    select(landmark ? `${page.dataset.events}${landmark}/` : turn.href);
  }
  const chip = event.target.closest("[data-filter]");
  if (chip) filter(chip);
  const copy = event.target.closest("[data-copy]");
  if (copy) copyLink(copy);
});

function copyLink(button) {
  const address = new URL(button.dataset.copy, location).href;
  const copied = navigator.clipboard?.writeText(address) ?? Promise.reject();
  copied.then(
    () => toast("Link copied"),
    () => toast("This browser blocked copying. Copy the address of this page instead.", { state: "warning" }),
  );
}

addEventListener("popstate", () => {
  follow = null;
  select(location.href, { push: false });
});

const KEYS = { j: "after", k: "before", F8: "failure" };

function addressOf(name, back) {
  if (name === "failure" && back) return stepper()?.dataset.failureBefore;
  return stepper()?.querySelector(`a[data-step=${name}]`)?.href;
}

document.addEventListener("keydown", (event) => {
  const typing = event.target.closest?.("input, textarea, select, [contenteditable=true]");
  const name = KEYS[event.key];
  if (!name || event.ctrlKey || event.metaKey || event.altKey || (typing && event.key !== "F8")) return;
  if (document.querySelector("dialog[open]")) return;
  const address = addressOf(name, event.shiftKey);
  if (address) {
    event.preventDefault();
    follow = null;
    select(address);
  }
});

/* Loading rows -----------------------------------------------------------------------------------------------------
   A turn comes in blocks; those far from the selected step are empty and keep their height until they scroll near. */

const only = () => document.querySelector("[data-filter][aria-pressed=true]")?.dataset.filter ?? "";

const loads = new Map();

/* The turn's new node; undefined when a later question overtook this one, null when nobody answered. */
async function loadTurn(box, around = 0) {
  const load = (loads.get(box.id) ?? 0) + 1;
  loads.set(box.id, load);
  const fresh = await fetchFragment(`${box.dataset.rows}?around=${around}&only=${only()}`).catch(() => null);
  if (load !== loads.get(box.id)) return undefined;
  if (!fresh) return null;
  const [node, ...counts] = fresh.children;
  replaceNamesakes(counts);
  /* As open as it is now: somebody may have opened or closed it since the question was asked. */
  const old = document.getElementById(box.id);
  node.open = old ? old.open : follow !== null;
  if (old) old.replaceWith(node);
  else trace.insertBefore(node, later(node));
  watchBlocks(node);
  followTo(node);
  return node;
}

/* Answers about two turns may come in any order. */
const later = (node) => [...trace.querySelectorAll(".turn")].find((each) => Number(each.dataset.turn) > Number(node.dataset.turn)) ?? null;

/* Whoever loaded a turn that is followed, a filter as well as the stream: when it is done it is shown. That is no step of
   the person's own, so Back does not lead through it. */
function followTo(node) {
  const { status, landmark, turn } = node.dataset;
  if (status !== "done" || !landmark || follow === null || Number(turn) <= follow) return;
  follow = Number(turn);
  trace.querySelectorAll(".turn[open]").forEach((other) => (other.open = false));
  node.open = true;
  select(`${page.dataset.events}${landmark}/`, { push: "replace" });
}

async function fillBlock(block) {
  if (block.dataset.busy) return;
  block.dataset.busy = "1";
  const rows = await fetchFragment(block.querySelector("a").href).catch(() => null);
  delete block.dataset.busy;
  if (!rows) return;
  block.replaceChildren(rows);
  delete block.dataset.empty;
  near.unobserve(block);
  const { seq } = stepper()?.dataset ?? {};
  document.getElementById(`e${seq}`)?.setAttribute("aria-current", "step");
}

const near = new IntersectionObserver((entries) => {
  for (const entry of entries) if (entry.isIntersecting) fillBlock(entry.target);
}, { root: scrolls() ? trace : null, rootMargin: "800px" });

function watchBlocks(within) {
  for (const block of within.querySelectorAll(".block")) {
    block.style.setProperty("--rows", block.dataset.size);
    if ("empty" in block.dataset) near.observe(block);
  }
}

trace?.addEventListener("toggle", (event) => {
  const box = event.target;
  if (box.open && !("loaded" in box.dataset)) loadTurn(box).then((node) => node && (node.open = true));
}, true);

/* Filtering is done by the server: a filter must also find what is not on the page. */
async function filter(chip) {
  const on = chip.getAttribute("aria-pressed") !== "true";
  for (const other of document.querySelectorAll("[data-filter]")) other.setAttribute("aria-pressed", other === chip && on);
  for (const box of trace.querySelectorAll(".turn")) {
    if (box.open) await loadTurn(box, stepper()?.dataset.seq ?? 0);
    else delete box.dataset.loaded;
  }
}

/* Following -------------------------------------------------------------------------------------------------------- */

const pending = new Map();

/* At most one request per turn in 250 ms: events arrive in batches much faster. */
function refreshSoon(index, wait) {
  if (pending.has(index)) return;
  pending.set(index, setTimeout(async () => {
    pending.delete(index);
    await refresh(index);
  }, wait));
}

async function refresh(index) {
  const old = document.getElementById(`trace-turn-${index}`);
  const box = old ?? { id: `trace-turn-${index}`, dataset: { rows: `${page.dataset.turns}${index}/events/` } };
  const before = asked;
  const node = await loadTurn(box);
  if (node === null) refreshSoon(index, 1500);
  if (!node) return;
  if (asked !== before || !stepper()?.dataset.seq) return;
  await mark({ scroll: false });
  if (FINISHED.includes(node.dataset.status)) await refreshStepper();
}

/* There are steps behind the selected one that were not there when it was drawn. */
async function refreshStepper() {
  const { seq } = stepper().dataset;
  const parts = await fetchFragment(`${page.dataset.events}${seq}/`).catch(() => null);
  const fresh = parts && [...parts.children].find((part) => part.id === "stepper");
  if (!fresh || stepper().dataset.seq !== seq) return;
  const held = document.activeElement?.dataset?.step;
  stepper().replaceWith(fresh);
  if (held) document.querySelector(`#stepper [data-step=${held}]`)?.focus();
}

const FINISHED = ["done", "failed", "cancelled"];
const finished = () => [...trace.querySelectorAll(".turn")].filter((box) => FINISHED.includes(box.dataset.status));

const lastFinished = () => Math.max(-1, ...finished().map((box) => Number(box.dataset.turn)));

/* Said before the message leaves: the stream can be faster than the answer. */
document.addEventListener("wb:sending", () => (follow = lastFinished()));
document.addEventListener("wb:turn", (event) => refreshSoon(event.detail.index, 0));
document.addEventListener("wb:trace", (event) => refreshSoon(event.detail.index, 250));

/* On an address without a step the page selects one by itself, and shows the turns that run as they are done. A turn may
   have been done while the page was drawn: then its rows are here and its step is not. */
function begin() {
  const { seq } = stepper()?.dataset ?? {};
  if (!seq) {
    follow = -1;
    finished().forEach(followTo);
    return;
  }
  history.replaceState({}, "", `${page.dataset.events}${seq}/`);
  if (finished().length < trace.querySelectorAll(".turn").length) follow = lastFinished();
}

if (trace) {
  watchBlocks(trace);
  if (!location.pathname.includes("/events/")) begin();
  mark().then(showSource);
  for (const index of heard) refreshSoon(index, 0);
}
