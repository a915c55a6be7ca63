/* Problems in the text: underlined spans, icons in the gutter, a tip with its fixes, F8 and Ctrl+. */
import { Facet, RangeSet, StateEffect, StateField } from "@codemirror/state";
import { Decoration, EditorView, GutterMarker, gutter, hoverTooltip, showTooltip } from "@codemirror/view";
import { SEVERITIES, el, icon, severityIcon, severityWord, words } from "./dom.js";

/* A list of problems whose offsets fit the document as it is after the transaction. */
export const setProblems = StateEffect.define();
const openTip = StateEffect.define();

export const explainAddress = Facet.define({ combine: (values) => values[0] ?? ((code) => `#${code}`) });

/* Problems of an answer, carried through what changed since it was asked for. */
export function carried(problems, since) {
  if (since.empty) return problems;
  return problems.map((problem) => ({
    ...problem,
    from: since.mapPos(problem.from, 1),
    to: since.mapPos(problem.to, -1),
    fixes: problem.fixes.map((fix) => ({
      ...fix,
      edits: fix.edits.map((edit) => ({ ...edit, from: since.mapPos(edit.from, 1), to: since.mapPos(edit.to, -1) })),
    })),
  }));
}

class Icon extends GutterMarker {
  constructor(severity, title) {
    super();
    this.severity = severity;
    this.title = title;
  }

  eq(other) { return other.severity === this.severity && other.title === this.title; }

  toDOM() { return el("span", { "data-state": this.severity, title: this.title }, severityIcon(this.severity)); }
}

const rank = (problem) => SEVERITIES.indexOf(problem.severity);

/* An empty span, or one that an edit has emptied, still shows: it takes the character beside it. */
function visible(problem, doc) {
  let { from, to } = problem;
  from = Math.min(from, doc.length);
  to = Math.min(Math.max(to, from), doc.length);
  if (to > from) return { from, to };
  const line = doc.lineAt(from);
  if (from < line.to) return { from, to: from + 1 };
  return from > line.from ? { from: from - 1, to: from } : null;
}

function build(problems, doc) {
  const marks = [], icons = new Map();
  for (const problem of problems) {
    const at = visible(problem, doc);
    const line = doc.lineAt(Math.min(problem.from, doc.length)).from;
    if (!icons.has(line) || rank(problem) < rank(icons.get(line))) icons.set(line, problem);
    if (at) marks.push(Decoration.mark({ class: "sq", attributes: { "data-state": problem.severity } }).range(at.from, at.to));
  }
  const gutterIcons = [...icons].map(([line, p]) => new Icon(p.severity, `${p.code}: ${p.message.replaceAll("`", "")}`).range(line));
  return { problems, marks: Decoration.set(marks, true), icons: RangeSet.of(gutterIcons, true) };
}

export const problemField = StateField.define({
  create: (state) => build([], state.doc),
  update(value, transaction) {
    for (const effect of transaction.effects) if (effect.is(setProblems)) return build(effect.value, transaction.newDoc);
    if (!transaction.docChanged) return value;
    const { changes } = transaction;
    return { problems: carried(value.problems, changes), marks: value.marks.map(changes), icons: value.icons.map(changes) };
  },
  provide: (field) => EditorView.decorations.from(field, (value) => value.marks),
});

export const problemsOf = (state) => state.field(problemField).problems;

export const problemGutter = gutter({
  class: "cm-problem-gutter",
  markers: (view) => view.state.field(problemField).icons,
});

export function problemsAt(state, position, end = position) {
  return problemsOf(state).filter((p) => p.from <= end && Math.max(p.to, p.from) >= position).sort((a, b) => rank(a) - rank(b));
}

export function applyFix(view, fix) {
  const length = view.state.doc.length;
  const changes = fix.edits.filter((edit) => edit.from <= edit.to && edit.to <= length);
  view.dispatch({ changes, userEvent: "input.fix", effects: openTip.of(null), scrollIntoView: true });
  view.focus();
}

/* The fix that Ctrl+. takes: the preferred one, or the only one there is. */
export const bestFix = (problem) => problem.fixes.find((fix) => fix.preferred) ?? (problem.fixes.length === 1 ? problem.fixes[0] : undefined);

const indentOf = (text) => /^[ \t]*/.exec(text)[0];

/* True within the lines of a `|` text, where a comment would be said to the user. */
function inText(state, line) {
  let own = indentOf(line.text).length;
  for (let n = line.number - 1; n > 0 && own > 0; n -= 1) {
    const { text } = state.doc.line(n);
    if (!text.trim() || indentOf(text).length >= own) continue;
    if (/:\s*\|[-+]?\s*$/.test(text)) return true;
    own = indentOf(text).length;
  }
  return false;
}

/* A comment above the line switches the problem off there, or above all of them for the file (docs/spec 05 §1). */
function ignoreHere(view, problem) {
  const line = view.state.doc.lineAt(Math.min(problem.from, view.state.doc.length));
  const edit = inText(view.state, line)
    ? { from: 0, to: 0, insert: `# abl-ignore-file ${problem.code}\n` }
    : { from: line.from, to: line.from, insert: `${indentOf(line.text)}# abl-ignore ${problem.code}\n` };
  applyFix(view, { edits: [edit] });
}

function tipNode(view, problem) {
  const best = bestFix(problem);
  const fixes = problem.fixes.map((fix) =>
    el(
      "button",
      { class: fix === best ? "btn btn--main btn--small" : "btn btn--small", type: "button", onclick: () => applyFix(view, fix) },
      icon("fix"), el("span", {}, ...words(fix.title)), ...(fix === best ? [el("kbd", {}, "Ctrl .")] : []),
    ));
  const address = view.state.facet(explainAddress)(problem.code);
  return el(
    "div",
    { class: "problem-tip", "data-state": problem.severity, role: "group", "aria-label": "Problem and fixes" },
    el(
      "span",
      { class: "line-up" },
      el("span", { class: "state", "data-state": problem.severity }, severityIcon(problem.severity), el("strong", {}, severityWord(problem.severity))),
      el("span", { class: "grow" }),
      el("a", { class: "mono small", href: address, target: "_blank" }, `${problem.code} ${problem.name}`),
    ),
    el("span", {}, ...words(problem.message)),
    ...problem.related.map((r) => el("span", { class: "small soft" }, `${r.path}: `, ...words(r.message))),
    el(
      "span",
      { class: "line-up wrap" },
      ...(view.state.readOnly ? [] : fixes),
      el("a", { class: "btn btn--small", href: address, target: "_blank" }, "Explain"),
      ...(view.state.readOnly ? [] : [
        el("button", { class: "btn btn--quiet btn--small", type: "button", onclick: () => ignoreHere(view, problem) }, "Ignore here"),
      ]),
    ),
  );
}

function tip(problems) {
  const found = visible(problems[0], { length: Infinity, lineAt: () => ({ from: 0, to: Infinity }) }) ?? problems[0];
  return {
    pos: found.from,
    end: found.to,
    above: false,
    create: (view) => ({ dom: el("div", { class: "cm-tip" }, ...problems.slice(0, 4).map((p) => tipNode(view, p))) }),
  };
}

const hover = hoverTooltip((view, position) => {
  if (view.state.field(tipField)) return null;
  const problems = problemsAt(view.state, position);
  return problems.length ? { ...tip(problems), pos: problems[0].from, end: Math.max(problems[0].to, position) } : null;
}, { hoverTime: 250, hideOnChange: true });

/* The tip that F8 or a click in the list opens; it goes with the next edit or move. */
const tipField = StateField.define({
  create: () => null,
  update(value, transaction) {
    for (const effect of transaction.effects) if (effect.is(openTip)) return effect.value;
    return transaction.docChanged || transaction.selection ? null : value;
  },
  provide: (field) => showTooltip.from(field),
});

export function showProblem(view, problem) {
  const length = view.state.doc.length;
  const from = Math.min(problem.from, length);
  view.dispatch({
    selection: { anchor: from },
    effects: [EditorView.scrollIntoView(from, { y: "nearest", yMargin: 80 }), openTip.of(tip([problem]))],
  });
  view.focus();
}

export const nextProblem = (step) => (view) => {
  const problems = [...problemsOf(view.state)].sort((a, b) => a.from - b.from);
  if (!problems.length) return false;
  const { head } = view.state.selection.main;
  const here = problems.find((p) => p.from < head && head <= p.to); // what was just typed is the first to look at
  const next = step > 0
    ? here ?? problems.find((p) => p.from > head) ?? problems[0]
    : problems.findLast((p) => p.from < head) ?? problems.at(-1);
  showProblem(view, next);
  return true;
};

export function fixHere(view) {
  if (view.state.readOnly) return false;
  const { from, to } = view.state.selection.main;
  const line = view.state.doc.lineAt(from);
  const near = [...problemsAt(view.state, from, to), ...problemsAt(view.state, line.from, line.to)];
  const fixable = near.find((problem) => bestFix(problem));
  if (fixable) applyFix(view, bestFix(fixable));
  else if (near.length) showProblem(view, near[0]);
  return near.length > 0;
}

export function closeTip(view) {
  if (!view.state.field(tipField)) return false;
  view.dispatch({ effects: openTip.of(null) });
  return true;
}

export const problems = [problemField, problemGutter, tipField, hover];
