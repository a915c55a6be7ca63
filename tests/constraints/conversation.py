"""The page of a conversation in a browser: when it is whole, and saying something on it."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

STEP = re.compile(r"/events/\d+/(?:$|\?)")


def settled(page: Page) -> None:
    """Wait until the start of a conversation is done and its page is whole.

    The turn may be done before the page is drawn. What follows needs the scripts: the stream is open, and the step that
    the page selects by itself is on it and in the address.
    """
    expect(page.locator("#chat-turn-0[data-status=done]")).to_be_attached()
    expect(page.locator("[data-connection][data-state=passed]")).to_be_attached()
    expect(page).to_have_url(STEP)
    expect(page.locator("#trace .event[aria-current=step]")).to_have_count(1)


def say(page: Page, text: str, index: int) -> None:
    """Send a message and wait until its turn is done and the field is free for the next."""
    field = page.get_by_label(re.compile("^Message as"))
    field.fill(text)
    field.press("Enter")
    expect(page.locator(f"#chat-turn-{index}[data-status=done]")).to_be_attached()
    expect(field).to_have_value("")


def failed_step(page: Page) -> re.Pattern[str]:
    """What the address of the failed rule ends with that is selected, once it is."""
    expect(page.locator("#step .badge[data-state=failed]").first).to_be_visible()
    address = re.compile(rf"/events/{page.locator('#stepper').get_attribute('data-seq')}/$")
    expect(page).to_have_url(address)
    expect(page.locator("#trace .event[aria-current=step]")).to_have_count(1)
    return address
