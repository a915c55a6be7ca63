/* Small helpers that make nodes. */

const SVG = "http://www.w3.org/2000/svg";
let sprite = "";

export function useSprite(url) { sprite = url; }

export function icon(name) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("class", "i");
  svg.setAttribute("aria-hidden", "true");
  const use = document.createElementNS(SVG, "use");
  use.setAttribute("href", `${sprite}#i-${name}`);
  svg.append(use);
  return svg;
}

export function el(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "class") node.className = value;
    else if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children);
  return node;
}

/* A message in which `x` is code. */
export function words(text) {
  return text.split("`").map((part, n) => (n % 2 ? el("code", {}, part) : part)).filter((part) => part !== "");
}

const SEVERITY = {
  error: ["error", "Error", "error", "errors"],
  warning: ["warned", "Warning", "warning", "warnings"],
  info: ["info", "Info", "info", "info"],
  hint: ["hint", "Hint", "hint", "hints"],
};
export const SEVERITIES = Object.keys(SEVERITY);
export const severityIcon = (severity) => icon(SEVERITY[severity][0]);
export const severityWord = (severity) => SEVERITY[severity][1];
export const counted = (n, severity) => `${n} ${SEVERITY[severity][n === 1 ? 2 : 3]}`;

/* Runs once the frame that is being made has been painted; a newer task of the same name replaces an older one. */
const waiting = new Map();
export function afterPaint(name, task) {
  const already = waiting.has(name);
  waiting.set(name, task);
  if (already) return;
  requestAnimationFrame(() => setTimeout(() => {
    const newest = waiting.get(name);
    waiting.delete(name);
    newest();
  }));
}

/* Makes the children of `list` those of `rows` ({key, …}, made by `make`), as `before` they were; what is the same stays. */
export function patchRows(list, before, rows, make) {
  const most = Math.min(before.length, rows.length);
  const same = (n, m) => before[n].key === rows[m].key;
  let head = 0, tail = 0;
  while (head < most && same(head, head)) head += 1;
  while (tail < most - head && same(before.length - 1 - tail, rows.length - 1 - tail)) tail += 1;
  if (before.length === rows.length) {
    for (let n = head; n < rows.length - tail; n += 1) if (!same(n, n)) list.children[n].replaceWith(make(rows[n]));
    return;
  }
  for (let n = before.length - tail; n > head; n -= 1) list.children[n - 1].remove();
  const following = list.children[head] ?? null;
  const fresh = document.createDocumentFragment();
  fresh.append(...rows.slice(head, rows.length - tail).map(make));
  list.insertBefore(fresh, following);
}

export const time = (date) => date.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", hour12: false });
