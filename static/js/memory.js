/* Pages of memory beside the facts: what runs out is fetched again once, and fields follow the address of a link. */

const byId = (id) => document.getElementById(id);

/* Many things may run out in the same second: one fetch for all, a moment later than the last. */
let due = 0;
document.addEventListener("wb:expired", () => {
  clearTimeout(due);
  due = setTimeout(again, 150);
});

/* A whole page stays while somebody types into it. */
function again() {
  const list = byId("memory-list");
  if (list) return htmx.ajax("GET", list.dataset.refresh, { target: list, swap: "outerHTML" });
  const fields = [...document.querySelectorAll("main :is(input, textarea):not([type=hidden])")];
  if (!fields.some((field) => field.value !== field.defaultValue)) location.reload();
}

/* Empty fields are no part of an address. */
document.addEventListener("htmx:configRequest", (event) => {
  const { verb, parameters, target } = event.detail;
  if (verb !== "get" || target?.id !== "memory-list") return;
  for (const name of Object.keys(parameters)) if (parameters[name] === "") delete parameters[name];
});

function followAddress() {
  const given = new URLSearchParams(location.search);
  for (const id of ["memory-find", "memory-search", "memory-state"]) {
    const field = byId(id);
    if (!field || field === document.activeElement) continue;
    field.value = given.get(field.name) ?? "";
  }
}
for (const moved of ["htmx:pushedIntoHistory", "htmx:replacedInHistory", "htmx:historyRestore"]) document.addEventListener(moved, followAddress);

/* The tree is a new one: the focus goes to what was chosen. On a phone the panes take turns: on to what there is. */
document.addEventListener("htmx:afterSwap", (event) => {
  const chosen = event.detail.requestConfig?.elt?.closest?.("#memory-tree");
  if (chosen) byId("memory-tree").querySelector("[aria-current]")?.focus();
  const chip = document.querySelector(".chip[data-show=table]");
  if (chosen && chip && matchMedia("(max-width: 760px)").matches) chip.click();
});
