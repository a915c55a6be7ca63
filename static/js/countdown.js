/* Time left, ticking in the browser from expires_at and the server's clock (docs/architecture.md §5).

   Markup: <span class="countdown" data-expires-at="ISO" data-written-at="ISO">…<span>3d 4h</span>…</span>
   The visitor's clock may be wrong by an hour: only the difference between two readings of it counts. At zero the
   element sends "wb:expired" once (it bubbles), so that the page can fetch what is there now. */
const UNITS = [["d", 86400], ["h", 3600], ["m", 60], ["s", 1]];
const NEAR = 3600; // seconds: amber below this

const loaded = performance.now();
let serverAtLoad = Date.parse(document.documentElement.dataset.serverNow);

export const serverNow = () => serverAtLoad + (performance.now() - loaded);

/* Fragments carry a newer reading of the server's clock. */
export function adjust(iso) {
  const now = Date.parse(iso);
  if (!Number.isNaN(now)) serverAtLoad = now - (performance.now() - loaded);
}

export function timeLeft(seconds) {
  const from = UNITS.findIndex(([, size]) => seconds >= size);
  if (from < 0) return "0s";
  const parts = [];
  for (const [unit, size] of UNITS.slice(from, from + 2)) {
    parts.push(`${Math.floor(seconds / size)}${unit}`);
    seconds %= size;
  }
  return parts.join(" ");
}

function tick(node) {
  const expires = Date.parse(node.dataset.expiresAt);
  const left = Math.ceil((expires - serverNow()) / 1000);
  if (left <= 0) {
    if (!node.dataset.gone) {
      node.dataset.gone = "1";
      node.dispatchEvent(new CustomEvent("wb:expired", { bubbles: true }));
    }
    return;
  }
  const words = node.querySelector("span");
  const text = timeLeft(left);
  if (words && words.textContent !== text) words.textContent = text;
  const near = left <= NEAR ? "expiring" : "live";
  if (node.dataset.state !== near) node.dataset.state = near;
  const own = node.querySelector(".bar .own, .bar rect:last-child");
  const written = Date.parse(node.dataset.writtenAt);
  if (own && written < expires) own.setAttribute("width", Math.max(0, Math.min(100, ((expires - serverNow()) / (expires - written)) * 100)));
}

export function startCountdowns() {
  const tickAll = () => document.querySelectorAll(".countdown[data-expires-at]").forEach(tick);
  tickAll();
  setInterval(tickAll, 1000);
  document.addEventListener("htmx:afterSwap", (event) => {
    const fresh = event.target.querySelector?.("[data-server-now]") ?? (event.target.matches?.("[data-server-now]") ? event.target : null);
    if (fresh) adjust(fresh.dataset.serverNow);
    tickAll();
  });
}
