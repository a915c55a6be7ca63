/* Ctrl+K: one field that leads to every page of the project, its documents and conversations, and to what the page can do.

   A combobox over a listbox: the focus stays in the field, arrows move the choice, Enter takes it. Pages come with the
   page, documents and conversations from the API when the dialog opens; without an answer the rest still works. */

const MOST = 60;
const PAGE = 8;
const dialog = document.getElementById("palette");
const field = document.getElementById("palette-input");
const list = document.getElementById("palette-list");
const none = dialog?.querySelector("[data-palette-none]");
const count = dialog?.querySelector("[data-palette-count]");

/* What the API told, kept from one opening to the next: {label, hint, kind, icon, href}. */
let told = [];
let shown = [];
let chosen = 0;

/* What there is ---------------------------------------------------------------------------------------------------- */

const words = (node) => [...node.childNodes].filter((each) => each.nodeName !== "KBD").map((each) => each.textContent).join(" ").replace(/\s+/g, " ").trim();

function pages() {
  return [...dialog.querySelectorAll("[data-palette-pages] a")].map((link) => ({
    label: words(link), kind: "page", icon: link.dataset.icon, href: link.href,
  }));
}

/* The buttons of the page are its actions; each is done as if it were clicked. */
function actions() {
  const buttons = document.querySelectorAll(".page-bar :is(a, button).btn, main :is(a, button).btn--main, [data-palette-action]");
  const usable = [...new Set(buttons)].filter((each) => !each.disabled && each.checkVisibility() && words(each));
  const own = usable.map((each) => ({ label: words(each), icon: "play", click: each }));
  const frame = [
    { label: "Switch between light and dark", icon: "theme", click: document.querySelector("[data-do=theme]") },
    { label: "Keyboard shortcuts and help", icon: "help", click: document.querySelector("[data-open=help]") },
    { label: "Account and sign out", icon: "user", click: document.querySelector("[data-open=account]") },
  ];
  return [...own, ...frame].filter((each) => each.click).map((each) => ({ ...each, kind: "action" }));
}

/* What only the typed words can lead to. */
function offered(query) {
  const found = [];
  const step = document.querySelector("[data-conversation]")?.dataset.events;
  const { toConversation, toFacts, toMemory, toErasing } = dialog.dataset;
  if (/^\d{1,9}$/.test(query)) {
    if (step) found.push({ label: `Step ${query} of this conversation`, kind: "step", icon: "next", href: `${step}${query}/` });
    if (toConversation) found.push({ label: `Conversation ${query}`, kind: "conversation", icon: "test", href: `${toConversation}${query}/` });
  }
  if (toFacts && query) {
    const address = `${toFacts}?prefix=${encodeURIComponent(query)}`;
    found.push({ label: `Facts whose path starts with ${query}`, kind: "search", icon: "facts", href: address });
  }
  if (toMemory && query) {
    const address = `${toMemory}?find=${encodeURIComponent(query)}`;
    found.push({ label: `Users, sessions, banks and stores that start with ${query}`, kind: "search", icon: "search", href: address });
  }
  const owner = query.match(/^erase (?:user )?(\S+)$/i)?.[1];
  if (toErasing && owner) {
    const address = `${toErasing}?owner=${encodeURIComponent(owner)}`;
    found.push({ label: `Erase the user ${owner}`, hint: "shows a preview and asks first", kind: "erase", icon: "trash", href: address });
  }
  return found;
}

async function results(url) {
  if (!url) return [];
  const answer = await fetch(url, { headers: { Accept: "application/json" }, credentials: "same-origin" });
  return answer.ok ? (await answer.json()).results : [];
}

const pathOf = (name) => name.split("/").map(encodeURIComponent).join("/");

async function ask() {
  const { apiDocuments, toDocument, apiConversations, toConversation, apiProjects, toProject } = dialog.dataset;
  const most = (url) => url && `${url}?page_size=200`;
  const answers = await Promise.allSettled([results(most(apiDocuments)), results(apiConversations), results(most(apiProjects))]);
  const [texts, talks, others] = answers.map((each) => each.value ?? []);
  const by = (key) => (a, b) => String(a[key]).localeCompare(String(b[key]));
  const here = document.querySelector(".crumbs a")?.pathname;
  told = [
    ...texts.sort(by("name")).map((each) => ({ label: each.name, kind: each.kind, icon: "file", href: toDocument.replace("PATH", pathOf(each.name)) })),
    ...talks.map((each) => ({
      label: `Conversation ${each.number}`, hint: each.user, kind: "conversation", icon: "test", href: `${toConversation}${each.number}/`,
    })),
    ...others.sort(by("name")).map((each) => ({
      label: each.name, hint: each.slug, kind: "project", icon: "project", href: toProject.replace("SLUG", each.slug),
    })).filter((each) => each.href !== here),
  ];
  if (dialog.open) show();
}

/* Choosing among it ------------------------------------------------------------------------------------------------- */

/* 0 at the beginning of the label, 1 of one of its words, 2 inside it, 3 elsewhere; null when a word is missing. */
function rank(item, wanted) {
  const label = item.label.toLowerCase();
  const all = `${label} ${item.hint ?? ""} ${item.kind}`.toLowerCase();
  if (!wanted.every((word) => all.includes(word))) return null;
  const [first] = wanted;
  if (label.startsWith(first)) return 0;
  if (label.split(/[^\p{L}\p{N}]+/u).some((word) => word.startsWith(first))) return 1;
  return label.includes(first) ? 2 : 3;
}

function matching(query) {
  const all = [...pages(), ...told.filter((each) => each.kind !== "conversation"), ...actions(), ...told.filter((each) => each.kind === "conversation")];
  const wanted = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (!wanted.length) return all.slice(0, MOST);
  const ranked = all.map((item) => ({ item, rank: rank(item, wanted) })).filter((each) => each.rank !== null);
  const known = new Set(ranked.map((each) => each.item.href));
  const more = offered(query).filter((each) => !known.has(each.href));
  return [...ranked.sort((a, b) => a.rank - b.rank).map((each) => each.item), ...more].slice(0, MOST);
}

const SVG = "http://www.w3.org/2000/svg";

function picture(name) {
  const sprite = document.querySelector("svg.i use")?.getAttribute("href").split("#")[0] ?? "";
  const svg = document.createElementNS(SVG, "svg");
  const use = document.createElementNS(SVG, "use");
  svg.setAttribute("class", "i");
  svg.setAttribute("aria-hidden", "true");
  use.setAttribute("href", `${sprite}#i-${name}`);
  svg.append(use);
  return svg;
}

function piece(className, text) {
  const node = document.createElement("span");
  node.className = className;
  node.textContent = text;
  return node;
}

function option(item, index) {
  const node = document.createElement("div");
  Object.assign(node, { id: `palette-${index}`, className: "row", role: "option" });
  node.dataset.index = index;
  const label = piece("clip", item.label);
  label.dir = "auto";
  node.append(picture(item.icon), label, piece("muted small clip grow", item.hint ?? ""), piece("muted small", item.kind));
  return node;
}

function show() {
  const query = field.value.trim();
  shown = matching(query);
  list.replaceChildren(...shown.map(option));
  none.hidden = shown.length > 0;
  count.textContent = shown.length === 1 ? "1 result" : `${shown.length} results`;
  choose(0);
}

function choose(index) {
  chosen = shown.length ? (index + shown.length) % shown.length : 0;
  for (const node of list.children) node.setAttribute("aria-selected", Number(node.dataset.index) === chosen);
  const node = list.children[chosen];
  if (!node) return field.removeAttribute("aria-activedescendant");
  field.setAttribute("aria-activedescendant", node.id);
  node.scrollIntoView({ block: "nearest" });
}

function take(index, { apart = false } = {}) {
  const item = shown[index];
  if (!item) return;
  dialog.close();
  if (item.click) item.click.click();
  else if (apart) open(item.href, "_blank", "noopener");
  else location.assign(item.href);
}

/* Keys and clicks --------------------------------------------------------------------------------------------------- */

function toggle() {
  if (dialog.open) return dialog.close();
  if (document.querySelector("dialog[open]")) return;
  field.value = "";
  dialog.showModal();
  show();
  field.focus();
  ask();
}

const STEPS = { ArrowDown: 1, ArrowUp: -1 };
const LEAPS = { PageDown: PAGE, PageUp: -PAGE };

function pressed(event) {
  if (event.isComposing) return;
  if (event.key === "Enter") take(chosen, { apart: event.ctrlKey || event.metaKey });
  else if (STEPS[event.key]) choose(chosen + STEPS[event.key]);
  else if (LEAPS[event.key]) choose(Math.min(Math.max(chosen + LEAPS[event.key], 0), shown.length - 1));
  else return;
  event.preventDefault();
}

if (dialog) {
  /* Before the code editor and the browser see it. */
  document.addEventListener("keydown", (event) => {
    if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    toggle();
  }, true);
  document.addEventListener("click", (event) => event.target.closest("[data-palette]") && toggle());
  field.addEventListener("input", show);
  field.addEventListener("keydown", pressed);
  list.addEventListener("click", (event) => {
    const node = event.target.closest("[role=option]");
    if (node) take(Number(node.dataset.index), { apart: event.ctrlKey || event.metaKey });
  });
}
