/* The list of problems below the code, the counts, and the status bar. */
import { EditorView } from "@codemirror/view";
import { SEVERITIES, counted, el, icon, patchRows, severityIcon, severityWord, words } from "./dom.js";

const MOST_SHOWN = 200;

export class Panel {
  constructor({ list, chips, empty, safeCount, tabCount, status, onShow }) {
    Object.assign(this, { list, chips, empty, safeCount, tabCount, status, onShow });
    this.hidden = new Set();
    this.key = null;
    this.isUnknown = false;
    this.problems = [];
    this.drawn = [];
    list.addEventListener("click", (event) => this.clicked(event));
    chips.addEventListener("click", (event) => this.filtered(event));
  }

  extension() {
    return EditorView.updateListener.of((update) => {
      if (update.selectionSet || update.docChanged) this.place(update.state);
    });
  }

  place(state) {
    const { head } = state.selection.main;
    const line = state.doc.lineAt(head);
    this.status.place.textContent = `Line ${line.number}, column ${[...line.text.slice(0, head - line.from)].length + 1}`;
  }

  clicked(event) {
    const row = event.target.closest(".problem");
    if (!row) return;
    event.preventDefault();
    this.list.querySelector("[aria-current]")?.removeAttribute("aria-current");
    row.setAttribute("aria-current", "true");
    this.onShow(this.drawn[[...this.list.children].indexOf(row.parentElement)].n);
  }

  filtered(event) {
    const chip = event.target.closest("[data-state]");
    if (!chip) return;
    const severity = chip.dataset.state;
    if (!this.hidden.delete(severity)) this.hidden.add(severity);
    const { isUnknown } = this;
    this.key = null;
    this.show(this.problems);
    if (isUnknown) this.unknown();
  }

  /* Redrawn only when something that it shows has changed. */
  show(problems) {
    this.problems = problems;
    this.isUnknown = false;
    const key = problems.map(keyOf).join("\n");
    if (key === this.key) return;
    this.key = key;
    const counts = SEVERITIES.map((severity) => [severity, problems.filter((p) => p.severity === severity).length]);
    this.chips.replaceChildren(...counts.filter(([, n]) => n).map(([severity, n]) =>
      el("button", { class: "chip", type: "button", "data-state": severity, "aria-pressed": String(!this.hidden.has(severity)) },
        severityIcon(severity), counted(n, severity))));
    const rows = problems.map((problem, n) => ({ problem, n, key: keyOf(problem) })).filter(({ problem }) => !this.hidden.has(problem.severity))
      .sort((a, b) => SEVERITIES.indexOf(a.problem.severity) - SEVERITIES.indexOf(b.problem.severity)).slice(0, MOST_SHOWN);
    patchRows(this.list, this.drawn, rows, row);
    this.drawn = rows;
    this.empty.hidden = problems.length > 0;
    const fixable = problems.filter((p) => p.fixes.some((fix) => fix.safe)).length;
    if (this.safeCount) {
      this.safeCount.hidden = fixable === 0;
      this.safeCount.textContent = fixable;
    }
    if (this.tabCount) this.tabCount.textContent = problems.length;
    this.status.counts.replaceChildren(...counts.filter(([s, n]) => n && (s === "error" || s === "warning")).map(([severity, n]) =>
      el("span", { class: "state", "data-state": severity }, severityIcon(severity), counted(n, severity))));
    if (!counts[0][1] && !counts[1][1]) {
      this.status.counts.replaceChildren(el("span", { class: "state", "data-state": "passed" }, icon("passed"), "No errors"));
    }
  }

  /* The text is another than the last answer was about: nothing is said of it until the next `show`. */
  unknown() {
    this.key = null;
    this.isUnknown = true;
    if (this.tabCount) this.tabCount.textContent = "?";
    this.empty.hidden = true;
    this.status.took.textContent = "";
    this.status.counts.replaceChildren(el("span", { class: "state", "data-state": "unset" }, icon("unset"), "Not checked"));
  }

  took(ms) { this.status.took.textContent = `Checked in ${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`; }

  connection(state, text) {
    const [data, symbol] = { ok: ["passed", "done"], away: ["warning", "warned"], wrong: ["error", "error"] }[state];
    const key = `${state} ${text}`;
    if (this.status.connection.dataset.key === key) return;
    this.status.connection.dataset.key = key;
    this.status.connection.dataset.state = data;
    this.status.connection.replaceChildren(icon(symbol), text);
  }
}

/* All that a row shows. */
const keyOf = (p) => `${p.line}:${p.column} ${p.code} ${p.severity} ${p.message} ${p.fixes.length > 0}`;

function row({ problem }) {
  return el("li", {}, el(
    "a",
    { class: "row problem", href: `?line=${problem.line}&column=${problem.column}`, "data-state": problem.severity },
    el("span", { class: "state" }, severityIcon(problem.severity), severityWord(problem.severity)),
    el("span", { class: "clip" }, ...words(problem.message)),
    el("span", { class: "muted small" }, ...(problem.fixes.length ? [icon("fix"), " fix"] : [])),
    el("span", { class: "line-up" },
      el("span", { class: "muted small mono" }, problem.code),
      el("span", { class: "muted small num at" }, `${problem.line}:${problem.column}`)),
  ));
}
