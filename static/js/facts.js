/* The facts page: new facts appear while it is open, a fact whose time is up becomes "expired", choices survive both. */
import { toast } from "./workbench.js";

const POLL = 3000;
const byId = (id) => document.getElementById(id);
const chosen = new Set();

const inDetail = () => byId("facts-detail")?.dataset.detail;

/* The list, unless nothing was written since it was fetched (204); `always` when time alone changed it. */
function refresh({ always = false } = {}) {
  const list = byId("facts-list");
  if (!list) return;
  const url = new URL(list.dataset.refresh, location.href);
  if (!always) url.searchParams.set("seen", list.dataset.seen);
  htmx.ajax("GET", url.pathname + url.search, { target: "#facts-list", swap: "outerHTML" });
}

/* The details of the open fact, unless they are the same as shown (204); `always` after a change by this page. */
function refreshDetail({ always = false } = {}) {
  const address = inDetail();
  behind = false;
  if (!address) return;
  const url = new URL(address + location.search, location.href);
  if (!always) url.searchParams.set("seen", byId("facts-detail").dataset.stamp);
  htmx.ajax("GET", url.pathname + url.search, { target: "#facts-detail", swap: "outerHTML" });
}

const busy = () => document.hidden || document.querySelector("dialog[open]") !== null || document.querySelector(".htmx-request") !== null;

/* The details follow the list, but what somebody types into a form of theirs stays. */
let behind = false;
const typing = () => [...document.querySelectorAll("#facts-detail :is(input, textarea):not([type=hidden])")].some((field) => field === document.activeElement || field.value !== field.defaultValue);
const follow = () => { if (behind && !busy() && !typing()) refreshDetail(); };

setInterval(() => {
  follow();
  if (!busy()) refresh();
}, POLL);
document.addEventListener("visibilitychange", () => { if (!document.hidden) refresh({ always: true }); });

/* Many facts may run out in the same second: one fetch for all, a moment later than the last. */
let due = 0;
document.addEventListener("wb:expired", () => {
  clearTimeout(due);
  due = setTimeout(() => refresh({ always: true }), 150);
});

document.addEventListener("facts:changed", (event) => {
  byId("facts-modal")?.close();
  chosen.clear();
  toast(event.detail.words);
  refresh({ always: true });
  refreshDetail({ always: true });
});

/* Whether the server answers, by the requests that the page makes anyway. */
function tell(connected) {
  const node = document.querySelector("[data-connection]");
  const words = connected ? "Connected" : "Not connected";
  if (!node || node.textContent === words) return;
  node.dataset.state = connected ? "passed" : "warning";
  const icon = document.querySelector("svg.i").cloneNode(true);
  icon.firstElementChild.setAttribute("href", icon.firstElementChild.getAttribute("href").replace(/#.*/, connected ? "#i-done" : "#i-warned"));
  node.replaceChildren(icon, words);
}
document.addEventListener("htmx:beforeOnLoad", (event) => tell(event.detail.xhr.status < 500));
for (const lost of ["htmx:sendError", "htmx:timeout"]) document.addEventListener(lost, () => tell(false));

/* Deleted in the meantime: the detail has nothing to show, and who was in it goes on in the list. */
document.addEventListener("htmx:beforeOnLoad", (event) => {
  if (event.detail.xhr.status === 404 && event.detail.target?.id === "facts-detail") {
    event.preventDefault();
    const list = byId("facts-list").dataset.refresh;
    const lost = document.activeElement === document.body || byId("facts-detail").contains(document.activeElement);
    history.replaceState(null, "", list);
    htmx.ajax("GET", list, { target: "#facts-detail", swap: "outerHTML" }).then(() => {
      const chip = document.querySelector(".chip[data-show=table]");
      if (chip && matchMedia("(max-width: 760px)").matches) chip.click();
      if (lost) document.querySelector("[data-pane=table] .pane-body")?.focus();
    });
  }
});

/* Empty fields are no part of an address. */
document.addEventListener("htmx:configRequest", (event) => {
  const { verb, parameters, target } = event.detail;
  if (verb !== "get" || target?.id !== "facts-list") return;
  for (const name of Object.keys(parameters)) if (parameters[name] === "") delete parameters[name];
});

/* Fields follow the address where a link changed it, but for the one that is being typed in. */
function followAddress() {
  const given = new URLSearchParams(location.search);
  for (const field of byId("facts-narrow")?.elements ?? []) {
    if (!field.name || field.type === "hidden" || field === document.activeElement) continue;
    const value = given.get(field.name) ?? "";
    if (field.value !== value) field.value = value;
  }
}
for (const moved of ["htmx:pushedIntoHistory", "htmx:replacedInHistory", "htmx:historyRestore"]) document.addEventListener(moved, followAddress);

/* What had the focus may be gone from the new details, such as the question before a reveal. */
let inside = false;
document.addEventListener("htmx:beforeSwap", (event) => {
  if (event.detail.target?.id === "facts-detail") inside = event.detail.target.contains(document.activeElement);
});

/* Dialogs come from the server. */
document.addEventListener("htmx:afterSwap", (event) => {
  const modal = byId("facts-modal");
  if (event.detail.target?.id === "facts-dialog" && !modal.open) modal.showModal();
  if (event.detail.target?.id === "facts-detail" && inside && document.activeElement === document.body) byId("facts-detail").querySelector(".pane-body")?.focus();
  if (event.detail.requestConfig?.elt?.matches?.("[data-reveal]")) byId("reveal-reason")?.focus();
  if (event.detail.target?.id === "facts-saved") byId("view-name")?.focus();
  if (event.detail.target?.id === "facts-list") {
    behind = true;
    setTimeout(follow); // once this request is no longer under way
  }
  if (event.detail.target?.id === "facts-detail") showDetail(event.detail.requestConfig?.elt?.closest?.("#facts-list") != null);
  mark();
});

/* On a phone the panes take turns: choosing a fact goes to its details, a refresh of them stays where one is. */
function showDetail(chosenNow) {
  const chip = document.querySelector(".chip[data-show=detail]");
  const phone = matchMedia("(max-width: 760px)").matches;
  if (chip && phone && (chosenNow || chip.getAttribute("aria-pressed") === "true")) chip.click();
}

/* The row whose fact is open. */
function mark() {
  const open = inDetail()?.match(/(\d+)\/$/)?.[1];
  for (const link of document.querySelectorAll("#facts-list .path a")) {
    if (link.id === `fact-${open}`) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
  for (const box of document.querySelectorAll("[data-choose]")) box.checked = chosen.has(box.value);
  showChosen();
}

function showChosen() {
  const boxes = [...document.querySelectorAll("[data-choose]")];
  const number = boxes.filter((box) => box.checked).length;
  const chosenOnes = document.querySelector("[data-chosen]");
  if (chosenOnes) {
    chosenOnes.hidden = number === 0;
    chosenOnes.querySelector("[data-chosen-number]").textContent = number;
    for (const other of document.querySelectorAll("[data-found]")) other.hidden = number > 0;
  }
  const every = document.querySelector("[data-choose-all]");
  if (every) {
    every.checked = number > 0 && number === boxes.length;
    every.indeterminate = number > 0 && number < boxes.length;
  }
}

document.addEventListener("change", (event) => {
  const every = event.target.matches("[data-choose-all]");
  if (!every && !event.target.matches("[data-choose]")) return;
  const boxes = every ? document.querySelectorAll("[data-choose]") : [event.target];
  for (const box of boxes) {
    box.checked = event.target.checked;
    if (box.checked) chosen.add(box.value);
    else chosen.delete(box.value);
  }
  showChosen();
});

document.addEventListener("click", (event) => {
  const close = event.target.closest("[data-close-modal]");
  if (close?.closest("dialog")) {
    event.preventDefault();
    close.closest("dialog").close();
  }
  const copy = event.target.closest("[data-copy]");
  if (copy) navigator.clipboard?.writeText(copy.dataset.copy).then(() => toast("Copied"));
});

/* The icon follows the state that the countdown sets. */
new MutationObserver((changes) => {
  for (const { target } of changes) {
    const use = target.matches(".countdown") && target.querySelector("use");
    if (use) use.setAttribute("href", use.getAttribute("href").replace(/#.*/, `#i-${target.dataset.state}`));
  }
}).observe(document.body, { subtree: true, attributeFilter: ["data-state"] });

mark();
tell(true);
