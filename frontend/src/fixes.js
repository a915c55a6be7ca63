/* "Fix all": every fix that reaches over the document, with how many places it has and what it would change. */
import { el, icon, words } from "./dom.js";
import { send } from "./http.js";

const SIGNS = { "-": "minus", "+": "plus", " ": "same", "…": "same" };

const counted = (places) => `${places} ${places === 1 ? "place" : "places"}`;

function preview({ lines, more }) {
  const rows = lines.map(({ sign, number, text }) => el("span", { class: SIGNS[sign] }, ...(sign === "…" ? ["…"] : [el("span", { class: "diff-no" }, String(number)), text])));
  if (more) rows.push(el("span", { class: "same muted" }, `… and ${more} more lines`));
  return el("div", { class: "diff", tabindex: "0", role: "group", "aria-label": "What would change" }, ...rows);
}

export class Fixes {
  constructor({ url, names, editable }) {
    Object.assign(this, { url, names, editable });
  }

  get bindings() {
    return [{ key: "Mod-Shift-.", run: (view) => this.open(view), preventDefault: true }];
  }

  open(view) {
    if (!this.editable) return false;
    this.ask(view).catch((failed) => this.names.tell(view, failed.message));
    return true;
  }

  async ask(view) {
    const text = view.state.doc.toString();
    const { fixes } = await send("POST", this.url, { text });
    if (!fixes.length) return void this.names.tell(view, "No fixes available");
    const rows = fixes.map((fix, n) => this.row(view, text, fix, `fix-preview-${n}`));
    const list = el("ol", { class: "names-list fixes-list" }, ...rows);
    this.names.open(view, fixes.length === 1 ? "1 fix for the whole document" : `${fixes.length} fixes for the whole document`, list, () => rows[0].firstChild.focus());
  }

  /* The button shows what would change; only the one below that changes it. */
  row(view, text, fix, id) {
    const apply = el("button", { class: "btn btn--main btn--small", type: "button", onclick: () => this.apply(view, text, fix) }, icon("fix"), `Apply to ${counted(fix.places)}`);
    const shown = el("div", { class: "fix-preview", id, hidden: true }, preview(fix), el("span", {}, apply));
    const toggle = el(
      "button", { class: "row", type: "button", "aria-expanded": "false", "aria-controls": id, onclick: () => {
        shown.hidden = !shown.hidden;
        toggle.setAttribute("aria-expanded", String(!shown.hidden));
        toggle.firstChild.replaceWith(icon(shown.hidden ? "fold" : "down"));
      } },
      icon("fold"), el("span", { class: "grow" }, ...words(fix.title)), el("span", { class: "muted small" }, counted(fix.places)),
    );
    return el("li", {}, toggle, shown);
  }

  apply(view, text, fix) {
    if (view.state.doc.toString() !== text) return void this.names.tell(view, "The text has changed. Open Fix all again");
    view.dispatch({ changes: fix.edits, userEvent: "input.fix", scrollIntoView: true });
    this.names.close(view);
    view.focus();
  }
}
