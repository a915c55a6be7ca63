/* The editing page: a real textarea in a real form, enhanced. Each part is a module; this one joins them. */
import { EditorState } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { Analyser } from "./analyse.js";
import { completeFrom, explainFrom } from "./ask.js";
import { afterPaint, el, icon, time, useSprite } from "./dom.js";
import { Drafts } from "./draft.js";
import { Fixes } from "./fixes.js";
import { send } from "./http.js";
import { keys } from "./keys.js";
import { goTo, marked, placeInAddress } from "./marked.js";
import { Names } from "./names.js";
import { Outline } from "./outline.js";
import { Panel } from "./panel.js";
import { explainAddress, problems, problemsOf, showProblem } from "./problems.js";
import { Rules } from "./rules.js";
import { Saver } from "./save.js";
import { common, editing } from "./setup.js";
import { tokenColours } from "./tokens.js";

const byId = (id) => document.getElementById(id);
const form = byId("editor");
const area = form.elements.text;
const page = form.dataset;
const nonce = document.querySelector("meta[name=csp-nonce]").content;
const editable = page.editable === "true";
const base = page.base ? Number(page.base) : null;
const storageKey = `abl-draft:${page.user}:${page.document}`;
useSprite(page.sprite);

const panel = new Panel({
  list: byId("problem-list"), chips: byId("problem-chips"), empty: byId("problem-none"), safeCount: byId("safe-count"), tabCount: byId("problem-count"),
  status: { counts: byId("status-counts"), place: byId("status-place"), took: byId("status-took"), connection: byId("status-connection") },
  onShow: (n) => { const found = problemsOf(view.state)[n]; if (found) showProblem(view, found); },
});
const outline = new Outline({
  list: byId("outline"), filter: byId("outline-filter"),
  go: (symbol) => { goTo(view, symbol); view.focus(); },
});
const analyser = new Analyser({
  url: page.analyse,
  told: ({ failed, problems: found, outline: symbols, took }) => {
    if (failed) {
      notAnswered(failed);
      return void afterPaint("analysed", () => panel.unknown());
    }
    outline.take(symbols);
    afterPaint("analysed", () => {
      panel.show(found);
      panel.took(took);
      panel.connection("ok", "Connected");
      outline.show(found);
    });
  },
});
const names = new Names({ path: page.path, urls: { places: page.places, rename: page.rename, format: page.format }, editable });
const fixes = new Fixes({ url: page.fixes, names, editable });
const rules = new Rules({ url: page.rules });
const drafts = new Drafts({ url: page.draft, key: storageKey, base, savedText: editable && page.isDraft ? null : plain(area.value), told: draftTold });
const saver = new Saver({ url: page.save, current: page.current, message: form.elements.message, drafts, dialog: byId("conflict"), nonce, common: common({ nonce }), told: saveTold });

function plain(text) { return text.replace(/\r\n?/g, "\n"); }

/* What this browser kept and the server did not get: it is newer than what the page came with. */
function recalled() {
  const kept = editable && Drafts.recall(storageKey);
  if (!kept || typeof kept.text !== "string" || kept.text === plain(area.value)) return null;
  return kept;
}

const kept = recalled();
const view = new EditorView({
  parent: form.querySelector("[data-code]"),
  state: EditorState.create({
    doc: area.value,
    extensions: [
      keys({ save, more: [...names.bindings, ...fixes.bindings] }), ...common({ nonce }), ...editing({ complete: completeFrom(page.complete), readOnly: !editable, label: page.path }),
      tokenColours, problems, marked, explainFrom(page.hover), explainAddress.of((code) => page.explain.replace("CODE", code)),
      outline.extension(), panel.extension(), names.extension(), rules.extension(),
      EditorView.updateListener.of((update) => { if (update.docChanged) changed(); }),
      analyser.extension(), ...(editable ? [drafts.extension()] : []),
    ],
  }),
});
area.hidden = true;
form.addEventListener("submit", (event) => {
  event.preventDefault();
  save();
});
form.classList.add("is-enhanced");

drafts.start(view, page.isDraft ? plain(area.value) : null);
saver.start(view);
analyser.start(view);
rules.start(view);
panel.place(view.state);
if (kept) {
  drafts.base = kept.base;
  view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: kept.text } });
  const behind = page.head && Number(page.head) !== kept.base ? ` Revision ${page.head} was saved after you started them.` : "";
  say(`Restored unsaved changes from this browser. Press Ctrl+Z to go back to the server's text.${behind}`, { compare: Boolean(behind) });
}
const place = placeInAddress(location.search);
if (place) goTo(view, place, { mark: true });
if (matchMedia("(min-width: 761px)").matches) view.focus();
document.addEventListener("keydown", (event) => {
  if ((event.ctrlKey || event.metaKey) && event.key === "s" && !event.defaultPrevented) {
    event.preventDefault();
    save();
  }
});
byId("compare")?.addEventListener("click", compare);
byId("format")?.addEventListener("click", () => {
  view.focus();
  names.format(view).catch((failed) => names.tell(view, failed.message));
});
byId("fix-all")?.addEventListener("click", () => fixes.open(view));
window.addEventListener("abl:goto", (event) => goTo(view, event.detail, { mark: true }));

function save() {
  if (editable) saver.save();
}

async function compare() {
  try {
    await saver.settle(await send("GET", page.current));
  } catch (failed) {
    saveTold("failed", failed.message);
  }
}

let isDirty = null;
function changed(dirty = editable) {
  if (dirty === isDirty) return;
  isDirty = dirty;
  const badge = byId("draft-badge");
  if (badge) badge.hidden = !dirty;
}

function draftTold(state, detail) {
  const revision = drafts.base ? `, based on revision ${drafts.base}` : "";
  changed(state !== "clean");
  if (state === "typing") return;
  if (state === "kept" || state === "clean") panel.connection("ok", "Connected");
  if (saver.waiting) return void (state === "offline" || saver.again());
  if (state === "clean") {
    tell(drafts.base ? `Saved, revision ${drafts.base}` : "No changes yet");
    byId("notice").querySelector("[data-state=info]")?.remove();
  }
  if (state === "kept") tell(`Draft saved ${time(detail)}${revision}`);
  if (state === "offline") tell("Offline: your changes are kept in this browser", "warning");
  if (state === "signed-out") tell("Signed out: your changes are kept in this browser. Sign in again in another tab", "warning");
  if (state === "failed") tell(`Draft not saved: ${detail}`, "error");
}

function saveTold(state, detail) {
  byId("save")?.toggleAttribute("aria-busy", state === "saving");
  if (state === "saved") {
    tell(`Saved, revision ${detail}`);
    changed(false);
    byId("notice").replaceChildren();
    document.body.dispatchEvent(new CustomEvent("abl:saved", { detail: { revision: detail } }));
  }
  if (state === "waiting") tell("Not saved yet: saving resumes when the server is back", "warning");
  if (state === "failed") tell(`Not saved. ${detail}`, "error");
  if (state === "signed-out") tell("Not saved: you are signed out. Sign in again in another tab", "warning");
  if (state === "conflict") tell("Someone else saved a newer revision", "warning");
}

function notAnswered(failed) {
  if (failed.offline) panel.connection("away", "Offline, reconnecting");
  else if (failed.busy) panel.connection("away", "Server busy, retrying");
  else if (failed.signedOut) panel.connection("away", "Signed out");
  else panel.connection("wrong", failed.message);
}

function tell(text, state = "") {
  const node = byId("draft-state");
  if (node.textContent !== text) node.textContent = text; // said once, however often it is tried
  node.title = text;
  if (state) node.dataset.state = state;
  else delete node.dataset.state;
}

function say(text, { compare: comparable }) {
  const button = el("button", { class: "btn btn--small", type: "button", onclick: compare }, "Compare");
  byId("notice").replaceChildren(el(
    "div", { class: "notice small", "data-state": "warning" },
    icon("warned"), el("div", { class: "line-up wrap" }, text, ...(comparable ? [button] : [])),
  ));
}
