"""From a keystroke to the painted problem in Chromium, on an agent of 2,000 lines (docs/architecture.md §8).

``measure()`` starts a workbench of its own, types into the code editor and takes, in the browser, the time from the key
event to the frame after the one in which the underline of the problem stood in the document.
"""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.chromium import BROWSER_FLAGS, CHROMIUM
from tests.workbench import running

LINES = 2_000
KEYS = 26
QUICK = {"keys": 6}
STEP = """\
  step_{n}:
    REASONING: false
    GATHER:
      - title_{n}: required
        prompt: "Which book for shelf {n}?"
    SET:
      - fee_{n} = days_late * 0.5 + {n}
    CHECK: fee_{n} < 20
    ON_FAIL:
      RESPOND: "Shelf {n}: {{{{fee_{n}}}}} is too much."
      GOTO: step_0
    THEN: {next}
"""

# In the page: types one key that makes (or ends) a problem on the line of the cursor and waits until it is painted.
TYPE = """
async (key) => {
  const view = document.querySelector(".cm-content");
  const before = document.querySelectorAll(".cm-activeLine .sq").length;
  const painted = new Promise((resolve) => {
    const look = () => {
      if (document.querySelectorAll(".cm-activeLine .sq").length !== before) {
        requestAnimationFrame(() => setTimeout(() => resolve(performance.now())));
        return true;
      }
      return false;
    };
    const observer = new MutationObserver(() => { if (look()) observer.disconnect(); });
    observer.observe(view, {subtree: true, childList: true, attributes: true});
  });
  window.pressed = null;
  view.addEventListener("keydown", () => { window.pressed = performance.now(); }, {once: true, capture: true});
  window.waiting = painted.then((at) => at - window.pressed);
}
"""


def agent(lines: int) -> str:
    """An agent of about that many lines; the benchmark types at the end of an assignment in the middle."""
    count = lines // STEP.count("\n")
    names = ", ".join(f"step_{n}" for n in range(count))
    steps = "".join(STEP.format(n=n, next=f"step_{n + 1}" if n + 1 < count else "COMPLETE") for n in range(count))
    memory = "MEMORY:\n  session:\n    - days_late\n      TYPE: number\n      INITIAL: 0\n"
    return f'AGENT: Shelf_Desk\nGOAL: "Lend books"\n{memory}FLOW:\n  entry_point: step_0\n  steps: [{names}]\n{steps}'


def measure(keys: int = KEYS) -> dict[str, Any]:
    """Milliseconds: ``median``, ``p95``, ``server_median`` (the server's part), ``keys`` and ``lines``."""
    if CHROMIUM is None:
        return {"left_out": "Chromium is not here; scripts/chromium installs it"}
    with tempfile.TemporaryDirectory() as folder, running(Path(folder)) as workbench:
        with workbench.client() as client:
            headers = {"Accept": "application/json"}
            made = client.post("/api/v1/projects/", json={"name": "Keys"}, headers=headers).raise_for_status().json()
            text = agent(LINES)
            body = {"name": "shelf.agent.abl", "text": text}
            client.post(f"/api/v1/projects/{made['slug']}/agents/", json=body, headers=headers).raise_for_status()
        address = f"{workbench.url}/p/{made['slug']}/edit/shelf.agent.abl"
        lines = text.splitlines()
        middle = next(n for n in range(len(lines) // 2, len(lines)) if lines[n].startswith("      - fee_"))
        return typed(f"{address}?line={middle + 1}", workbench.cookies(), len(lines), keys)


def typed(address: str, cookies: list[dict[str, str]], lines: int, keys: int) -> dict[str, Any]:
    """Opens the address, types, and gives the figures."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=BROWSER_FLAGS, headless=True)
        context = browser.new_context(viewport={"width": 1440, "height": 900})
        context.add_cookies(cookies)
        page = context.new_page()
        page.goto(address)
        page.wait_for_selector("#status-took:not(:empty)")
        page.locator(".cm-content").focus()
        page.keyboard.press("End")
        times, server = [], []
        for n in range(keys):
            # Another letter each time, so that no text is one that the server has seen.
            page.evaluate(TYPE)
            page.keyboard.press(chr(ord("a") + n % 26))
            times.append(page.evaluate("window.waiting"))
            page.wait_for_timeout(150)
            server.append(float(page.inner_text("#status-took").split()[-2]))
            page.evaluate(TYPE)
            page.keyboard.press("Backspace")
            page.evaluate("window.waiting")
            page.wait_for_timeout(150)
        browser.close()
    warm = sorted(times[4:])
    return {
        "lines": lines,
        "keys": len(warm),
        "median": round(statistics.median(warm), 1),
        "p95": round(warm[int(len(warm) * 0.95)], 1),
        "server_median": round(statistics.median(server[4:]), 1),
    }


if __name__ == "__main__":
    print(json.dumps(measure(), indent=2))
