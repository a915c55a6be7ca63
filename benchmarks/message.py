"""From sending a message to the painted reply: Chromium, embedded broker, real worker (docs/architecture.md §8)."""

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

MESSAGES = 40
QUICK = {"messages": 2}
START = "/p/transfer-desk/test/"

# In the page: counts the agent's bubbles, and gives the time from the key that sends to the frame after the next one.
WAIT = """
() => {
  const chat = document.querySelector("[data-pane=chat]");
  const before = chat.querySelectorAll(".bubble--agent").length;
  let pressed;
  document.addEventListener("keydown", () => { pressed = performance.now(); }, {once: true, capture: true});
  window.waiting = new Promise((resolve) => {
    const observer = new MutationObserver(() => {
      if (chat.querySelectorAll(".bubble--agent").length === before) return;
      observer.disconnect();
      requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - pressed)));
    });
    observer.observe(chat, {subtree: true, childList: true});
  });
}
"""


def measure(messages: int = MESSAGES) -> dict[str, Any]:
    """Milliseconds: ``median`` and ``p95``; ``messages`` is how many were sent after five to warm up."""
    if CHROMIUM is None:
        return {"left_out": "Chromium is not here; scripts/chromium installs it"}
    with tempfile.TemporaryDirectory() as folder, running(Path(folder)) as workbench, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=BROWSER_FLAGS, headless=True)
        context = browser.new_context(base_url=workbench.url, viewport={"width": 1440, "height": 900})
        context.add_cookies(workbench.cookies())
        page = context.new_page()
        page.goto(START)
        page.select_option("select[name=entry]", "Transfer_Desk")
        page.get_by_role("button", name="Start a conversation").click()
        page.locator(".bubble--agent").first.wait_for()
        times = []
        for n in range(messages + 5):
            page.evaluate(WAIT)
            page.locator("#say").fill(str(5000 + n))  # over the limit: the agent says why and asks again
            page.locator("#say").press("Enter")
            times.append(page.evaluate("window.waiting"))
        browser.close()
    warm = sorted(times[5:])
    return {
        "messages": len(warm),
        "median": round(statistics.median(warm), 1),
        "p95": round(warm[int(len(warm) * 0.95)], 1),
    }


if __name__ == "__main__":
    print(json.dumps(measure(), indent=2))
