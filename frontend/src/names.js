/* F12, Shift+F12, F2 and Shift+Alt+F: where a name comes from and where else it stands, another name for it, the layout. */
import { StateEffect, StateField } from "@codemirror/state";
import { showPanel } from "@codemirror/view";
import { place } from "./ask.js";
import { el, icon, words } from "./dom.js";
import { send } from "./http.js";
import { goTo } from "./marked.js";

const setPanel = StateEffect.define();

const panelField = StateField.define({
  create: () => null,
  update(value, transaction) {
    for (const effect of transaction.effects) if (effect.is(setPanel)) return effect.value;
    return value;
  },
  provide: (field) => showPanel.from(field),
});

const ROLES = { declaration: "declared", write: "set", read: "read" };

export class Names {
  constructor({ path, urls, editable }) {
    Object.assign(this, { path, urls, editable });
  }

  extension() { return panelField; }

  get bindings() {
    const asks = (work) => (view) => {
      work(view).catch((failed) => this.tell(view, failed.message));
      return true;
    };
    return [
      { key: "F12", run: asks((view) => this.lead(view, false)), shift: asks((view) => this.lead(view, true)), preventDefault: true },
      { key: "F2", run: asks((view) => this.ask(view)), preventDefault: true },
      { key: "Shift-Alt-f", run: asks((view) => this.format(view)), preventDefault: true },
    ];
  }

  at(view) {
    const { doc, selection } = view.state;
    return { text: doc.toString(), ...place(doc, selection.main.head) };
  }

  /* One declaration is gone to at once; several places are listed. */
  async lead(view, everywhere) {
    const { places } = await send("POST", this.urls.places, { ...this.at(view), everywhere });
    if (!places.length) return void this.tell(view, everywhere ? "No symbol here" : "No definition found");
    if (places.length === 1 && !everywhere) return void this.go(view, places[0]);
    this.list(view, places, everywhere);
  }

  go(view, found) {
    if (found.path !== this.path) return void location.assign(found.address);
    goTo(view, { line: found.line, column: found.column, endLine: found.line, endColumn: found.end_column }, { mark: true });
    view.focus();
  }

  list(view, places, everywhere) {
    const title = `${places.length} ${places.length === 1 ? "place" : "places"}${everywhere ? "" : " where it is declared"}`;
    this.openPlaces(view, title, places);
  }

  openPlaces(view, title, places) {
    const rows = places.map((found) => el(
      "li", {},
      el(
        "a", { class: "row", href: found.address, onclick: (event) => {
          if (found.path !== this.path || event.ctrlKey || event.metaKey || event.shiftKey) return;
          event.preventDefault();
          this.go(view, found);
        } },
        el("span", { class: "muted small" }, `${found.path}:${found.line}`), el("span", { class: "mono clip grow" }, found.text),
        el("span", { class: "muted small" }, ROLES[found.role] ?? ""),
      )));
    this.open(view, title, el("ol", { class: "names-list" }, ...rows), () => rows[0].firstChild.focus());
  }

  async ask(view) {
    if (!this.editable) return void this.tell(view, "You have read-only access");
    const where = this.at(view);
    const { name, refused, note } = await send("POST", this.urls.rename, where);
    if (refused) return void this.tell(view, refused);
    const field = el("input", { class: "input", name: "new-name", value: name, "aria-label": `New name for ${name}`, autocomplete: "off", spellcheck: "false" });
    const said = el("span", { class: "small", role: "status" }, note);
    let agreed = "";
    const form = el(
      "form", { class: "line-up wrap", onsubmit: async (event) => {
        event.preventDefault();
        try {
          agreed = await this.rename(view, { ...where, old: name }, field.value, agreed, said);
        } catch (failed) {
          said.textContent = failed.message;
        }
      } },
      field, el("button", { class: "btn btn--main btn--small", type: "submit" }, "Rename"), said,
    );
    this.open(view, `Rename ${name}`, form, () => field.select());
  }

  /* Other documents are named first and saved with the second Enter; `agreed` is the name that was shown so. */
  async rename(view, where, name, agreed, said) {
    if (view.state.doc.toString() !== where.text) {
      said.textContent = "The text has changed. Press F2 again";
      return "";
    }
    const { old, ...place } = where;
    const answer = await send("POST", this.urls.rename, { ...place, name, apply: agreed === name && Boolean(name) });
    if (answer.refused) {
      said.replaceChildren(...words(answer.refused));
      return "";
    }
    if (answer.others.length && agreed !== name) {
      const many = answer.others.length === 1 ? "is" : "are";
      said.textContent = `Also changes ${answer.others.join(", ")}, which ${many} saved immediately. Press Enter again to rename.`;
      return name;
    }
    if (view.state.doc.toString() === where.text) view.dispatch({ changes: answer.edits, userEvent: "input.rename" });
    if (answer.left.length) this.openPlaces(view, `Renamed. ${old} still appears in:`, answer.left);
    else this.close(view);
    return "";
  }

  async format(view) {
    if (!this.editable) return;
    const text = view.state.doc.toString();
    const { edits } = await send("POST", this.urls.format, { text });
    if (view.state.doc.toString() !== text) return; // typed on: what was asked about is no more
    if (edits.length) view.dispatch({ changes: edits, userEvent: "input.format", scrollIntoView: true });
    else this.tell(view, "Already formatted");
  }

  tell(view, message) {
    const close = () => this.close(view);
    this.open(view, "", el("span", { role: "status" }, ...words(message)), close, true);
  }

  open(view, title, content, ready, brief = false) {
    const panel = () => {
      const dom = el(
        "div", { class: "names-panel", onkeydown: (event) => event.key === "Escape" && this.close(view) },
        el(
          "div", { class: "line-up" },
          ...(title ? [el("strong", { class: "small" }, title)] : []), ...(brief ? [content] : []), el("span", { class: "grow" }),
          el("button", { class: "btn btn--quiet btn--icon btn--small", type: "button", "aria-label": "Close", onclick: () => this.close(view) }, icon("close")),
        ),
        ...(brief ? [] : [content]),
      );
      return { dom, top: false };
    };
    view.dispatch({ effects: setPanel.of(panel) });
    if (!brief) ready();
    else this.leaving = setTimeout(() => view.state.field(panelField) === panel && ready(), 4000);
  }

  close(view) {
    const inside = view.dom.querySelector(".names-panel")?.contains(document.activeElement);
    view.dispatch({ effects: setPanel.of(null) });
    if (inside) view.focus();
  }
}
