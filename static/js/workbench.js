/* The frame of every page: theme, tabs, panes that share a slot, splitters, dialogs, toasts, time left.
   One delegated listener per kind of event, so that fragments swapped in by htmx need no set-up. */
import { startCountdowns } from "./countdown.js";

const root = document.documentElement;
const all = (query, within = document) => [...within.querySelectorAll(query)];

function toggleTheme() {
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  localStorage.setItem("theme", root.dataset.theme);
  document.dispatchEvent(new CustomEvent("wb:theme", { detail: root.dataset.theme }));
}

/* Panes with .slot take turns where they do not fit side by side (.switch above them chooses). */
function showPane(chip) {
  for (const other of all(".chip[data-show]", chip.parentElement)) {
    other.setAttribute("aria-pressed", other === chip);
    all(`[data-pane="${other.dataset.show}"]`).forEach((pane) => pane.classList.toggle("is-shown", other === chip));
  }
}

function chooseTab(tab) {
  for (const other of all("[role=tab]", tab.closest("[role=tablist]"))) {
    const on = other === tab;
    other.setAttribute("aria-selected", on);
    other.tabIndex = on ? 0 : -1;
    const panel = document.getElementById(other.getAttribute("aria-controls"));
    if (panel) panel.hidden = !on;
  }
}

export function toast(text, { state = "" } = {}) {
  const node = document.createElement("div");
  node.className = "toast";
  if (state) node.dataset.state = state;
  const words = document.createElement("span");
  words.textContent = text;
  node.append(words);
  document.getElementById("toasts").replaceChildren(node);
  setTimeout(() => node.remove(), 6000);
}

function openDialog(id) {
  const dialog = document.getElementById(id);
  if (dialog && !dialog.open) dialog.showModal();
}

document.addEventListener("click", (event) => {
  const at = (query) => event.target.closest(query);
  let hit;
  if (at("[data-do=theme]")) toggleTheme();
  if ((hit = at("[data-open]"))) openDialog(hit.dataset.open);
  if ((hit = at("[data-close-dialog]"))) hit.closest("dialog").close();
  if ((hit = at("[data-close]"))) hit.closest(hit.dataset.close).remove();
  if ((hit = at(".chip[data-show]"))) showPane(hit);
  if ((hit = at("[role=tab]"))) chooseTab(hit);
  if (event.target instanceof HTMLDialogElement) event.target.close();
});

const typing = (node) => node.closest("input, textarea, select, [contenteditable=true], .cm-editor");

document.addEventListener("keydown", (event) => {
  if (event.key === "?" && !typing(event.target)) openDialog("help");
  const tab = event.target.closest?.("[role=tab]");
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (tab && step) {
    const tabs = all("[role=tab]", tab.closest("[role=tablist]"));
    const next = tabs.at((tabs.indexOf(tab) + step) % tabs.length);
    chooseTab(next);
    next.focus();
  }
  const splitter = event.target.closest?.("[role=separator][data-size]");
  const move = { ArrowRight: 16, ArrowLeft: -16, ArrowDown: 16, ArrowUp: -16 }[event.key];
  if (splitter && move) {
    event.preventDefault();
    resize(splitter, Number(splitter.getAttribute("aria-valuenow")) + move * (splitter.dataset.from === "end" ? -1 : 1));
  }
});

/* Splitters: data-size names the custom property of the panes that holds the size in px; kept per page kind. */
function resize(splitter, size) {
  const low = Number(splitter.getAttribute("aria-valuemin")), high = Number(splitter.getAttribute("aria-valuemax"));
  const kept = Math.round(Math.min(Math.max(size, low), high));
  splitter.setAttribute("aria-valuenow", kept);
  splitter.closest(".panes").style.setProperty(splitter.dataset.size, `${kept}px`);
  localStorage.setItem(`split:${splitter.dataset.size}`, kept);
}

document.addEventListener("pointerdown", (event) => {
  const splitter = event.target.closest("[role=separator][data-size]");
  if (!splitter) return;
  event.preventDefault();
  splitter.setPointerCapture(event.pointerId);
  const flat = splitter.getAttribute("aria-orientation") === "horizontal";
  const from = flat ? event.clientY : event.clientX;
  const size = Number(splitter.getAttribute("aria-valuenow"));
  const sign = splitter.dataset.from === "end" ? -1 : 1;
  const drag = (moved) => resize(splitter, size + sign * ((flat ? moved.clientY : moved.clientX) - from));
  splitter.addEventListener("pointermove", drag);
  splitter.addEventListener("pointerup", () => splitter.removeEventListener("pointermove", drag), { once: true });
});

for (const splitter of all("[role=separator][data-size]")) {
  const kept = localStorage.getItem(`split:${splitter.dataset.size}`);
  if (kept) resize(splitter, Number(kept));
}

/* What htmx could not do is said, and nothing that was typed is lost. */
document.addEventListener("htmx:sendError", () => toast("The server is not responding. Your input is not lost.", { state: "warning" }));
document.addEventListener("htmx:responseError", (event) => {
  const { status } = event.detail.xhr;
  if (status === 503) toast("A service is unavailable. Your input is not lost. Try again in a moment.", { state: "warning" });
  else if (status === 507) toast("The disk is full, so nothing was saved. Ask an administrator to free up space.", { state: "error" });
  else if (status === 403 || status === 404) toast("It no longer exists, or you don't have access to it.", { state: "warning" });
  else toast(`Something went wrong (${status}).`, { state: "error" });
});

if (matchMedia("(max-width: 760px)").matches) {
  for (const group of all(".switch")) {
    const chip = group.querySelector(".chip.phone-only[aria-pressed=true]") ?? group.querySelector(".chip[aria-pressed=true]");
    if (chip) showPane(chip);
  }
}

startCountdowns();
