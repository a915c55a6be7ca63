/* The outline beside the code: a tree of links with the problems inside each part; a filter; the part of the cursor. */
import { EditorView } from "@codemirror/view";
import { SEVERITIES, el, icon, patchRows, severityIcon } from "./dom.js";

const ICONS = { tool: "tool", step: "graph", trigger: "store", recall: "recall", agent: "file", supervisor: "file" };

export class Outline {
  constructor({ list, filter, go }) {
    Object.assign(this, { list, filter, go });
    this.symbols = [];
    this.drawn = [];
    this.folded = new Set();
    this.problems = [];
    this.line = 1;
    filter?.addEventListener("input", () => this.draw());
    list.addEventListener("click", (event) => this.clicked(event));
  }

  extension() {
    return EditorView.updateListener.of((update) => {
      if (!update.selectionSet && !update.docChanged) return;
      const line = update.state.doc.lineAt(update.state.selection.main.head).number;
      if (line !== this.line) {
        this.line = line;
        this.mark();
      }
    });
  }

  /* The parts of an answer; null says that they are as they were. */
  take(symbols) {
    if (!symbols) return;
    this.symbols = symbols;
    this.key = null;
  }

  /* Redrawn only when a part or a count has changed. */
  show(problems) {
    const key = problems.map((p) => `${p.line} ${p.severity}`).join("\n");
    if (key === this.key) return;
    this.key = key;
    this.problems = problems;
    cancelIdle(this.idle);
    this.idle = whenIdle(() => this.draw());
  }

  clicked(event) {
    const link = event.target.closest("a");
    if (!link) return;
    event.preventDefault();
    const { symbol, name } = this.drawn[[...this.list.children].indexOf(link.parentElement)];
    if (event.target.closest(".fold")) {
      if (!this.folded.delete(name)) this.folded.add(name);
      this.draw();
    } else {
      this.go(symbol);
    }
  }

  /* Problems come in order of line, so those inside a part stand together. */
  counts({ line, end_line: end }) {
    const counts = {};
    let low = 0, high = this.problems.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.problems[middle].line < line) low = middle + 1; else high = middle;
    }
    for (let n = low; n < this.problems.length && this.problems[n].line <= end; n += 1) {
      const { severity } = this.problems[n];
      counts[severity] = (counts[severity] ?? 0) + 1;
    }
    return SEVERITIES.filter((severity) => counts[severity]).map((severity) => [severity, counts[severity]]);
  }

  draw() {
    const wanted = this.filter?.value.trim().toLowerCase() ?? "";
    const rows = [];
    const matches = (symbol) => symbol.name.toLowerCase().includes(wanted) || symbol.children.some(matches);
    const walk = (symbols, depth, path) => {
      for (const symbol of symbols) {
        const name = `${path}/${symbol.kind}:${symbol.name}`;
        if (wanted && !matches(symbol)) continue;
        const open = wanted || !this.folded.has(name);
        const counts = this.counts(symbol);
        const key = [depth, open, symbol.children.length > 0, symbol.detail, counts.flat().join(" "), name].join("\n");
        rows.push({ symbol, depth, name, open, counts, key });
        if (open) walk(symbol.children, depth + 1, name);
      }
    };
    walk(this.symbols, 0, "");
    const before = this.drawn;
    this.drawn = rows;
    patchRows(this.list, before, rows, (row) => this.row(row));
    this.address();
    this.list.nextElementSibling?.toggleAttribute("hidden", rows.length > 0);
    this.mark();
  }

  /* Rows that stay may have moved to another line. */
  address() {
    this.drawn.forEach(({ symbol }, n) => {
      const link = this.list.children[n].firstElementChild;
      const href = `?line=${symbol.line}`;
      if (link.getAttribute("href") !== href) link.setAttribute("href", href);
    });
  }

  row({ symbol, depth, open, counts: given }) {
    const mark = icon(symbol.children.length ? (open ? "down" : "fold") : ICONS[symbol.kind] ?? "mark");
    if (symbol.children.length) mark.classList.add("fold");
    const name = depth === 0 ? el("strong", {}, symbol.name) : ruleName(symbol);
    const counts = given.map(([severity, count]) =>
      el("span", { class: "state small", "data-state": severity }, severityIcon(severity), String(count), el("span", { class: "sr" }, ` ${severity}`)));
    const plain = !symbol.children.length && !ICONS[symbol.kind];
    return el(
      "li", {},
      el(
        "a",
        { href: `?line=${symbol.line}`, "data-depth": Math.min(depth, 5), class: plain ? "leaf" : undefined },
        ...(plain ? [] : [mark]),
        el("span", { class: "grow clip" }, name),
        ...counts,
        ...(symbol.detail && !isRule(symbol) ? [el("span", { class: "muted small clip outline-detail" }, symbol.detail)] : []),
      ),
    );
  }

  /* The innermost part that holds the cursor. */
  mark() {
    let best = -1;
    this.drawn.forEach(({ symbol }, n) => { if (symbol.line <= this.line && symbol.end_line >= this.line) best = n; });
    const link = this.list.children[best]?.firstElementChild;
    const current = this.list.querySelector("[aria-current]");
    if (link === current) return;
    const moved = this.drawn[best]?.name !== this.current;
    this.current = this.drawn[best]?.name;
    current?.removeAttribute("aria-current");
    link?.setAttribute("aria-current", "true");
    if (link && moved && !this.list.matches(":hover")) link.scrollIntoView({ block: "nearest" });
  }
}

/* REQUIRE amount: the word of the rule looks as in the code. */
function ruleName(symbol) {
  return isRule(symbol) ? el("span", {}, el("span", { class: "t-kind" }, symbol.detail), ` ${symbol.name}`) : symbol.name;
}

const isRule = (symbol) => symbol.kind === "rule" && /^[A-Z]+$/.test(symbol.detail);

const whenIdle = (task) => (window.requestIdleCallback ? requestIdleCallback(task, { timeout: 300 }) : setTimeout(task, 60));
const cancelIdle = (id) => (window.cancelIdleCallback ? cancelIdleCallback(id) : clearTimeout(id));
