# SPDX-License-Identifier: Apache-2.0
"""Opens a page of `minic --trace` in Chromium and uses it.

    page.py trace.html [--screenshot=FILE] [--dark] [--open-seconds=S]

Clicks an op of the picture, then its fusion, by mouse and by keyboard, and prints
what the page shows. Fails at a message on the console, or if the page took longer
to open: by the browser's own clock, from the start of the navigation on.
"""

import argparse
import pathlib
import sys

from playwright.sync_api import sync_playwright


def use(page):
    """What a person would do."""
    nodes = page.locator(".picture g.node")
    print("pictures with", nodes.count(), "nodes")
    tables = page.locator("table").count()
    print("tables", tables)
    if nodes.count():
        node = nodes.nth(min(2, nodes.count() - 1))
        node.focus()
        page.keyboard.press("Enter")
        print("by keyboard:", page.locator("#details h2").inner_text())
    else:
        print("note:", page.locator("#missing-pictures").inner_text())
        page.locator("summary").filter(has_text="as a table").first.click()
        page.locator("tr[data-key] button").first.click()
        print("by mouse:", page.locator("#details h2").inner_text())
    page.locator("#details li button").first.click()
    print("then:", page.locator("#details h2").inner_text())
    print("marked rows:", page.locator("tr.linked").count() > 0)
    page.locator("#details a").first.click()
    offer = page.locator("details[id*=offer]").first
    offer.locator("summary").first.click()
    # A details element fills itself when it hears that it was opened, and that
    # message comes later than the click.
    offer.locator("h3, table").first.wait_for()
    print("candidates:", offer.locator("tbody tr").count() > 0)
    print("samples:", offer.locator("svg.chart").count() > 0)
    names = page.evaluate(
        "() => [...document.querySelectorAll('svg[role=img], [role=button], "
        "[role=region]')].filter(e => !e.getAttribute('aria-label')).length")
    print("without a name:", names)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("page", type=pathlib.Path)
    parser.add_argument("--screenshot")
    parser.add_argument("--dark", action="store_true")
    parser.add_argument("--open-seconds", type=float)
    options = parser.parse_args()
    messages = []
    with sync_playwright() as driver:
        browser = driver.chromium.launch(
            executable_path="/usr/bin/chromium-headless-shell",
            args=["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"],
            timeout=300e3)
        page = browser.new_page(viewport={"width": 1400, "height": 1000},
                                color_scheme="dark" if options.dark else "light")
        page.set_default_timeout(120e3)
        page.on("console", lambda message: messages.append(message.text))
        page.on("pageerror", lambda error: messages.append(str(error)))
        page.on("request", lambda request: request.url.startswith(
            ("file:", "data:")) or messages.append("asks for " + request.url))
        page.goto(options.page.resolve().as_uri())
        ready = page.evaluate("() => document.body.dataset.ready")
        seconds = page.evaluate(
            "() => performance.getEntriesByType('navigation')[0].loadEventEnd")
        print("ready", ready, "after %.0f ms" % seconds, file=sys.stderr)
        if ready != "1":
            messages.append("the page is not ready")
        if not messages:
            use(page)
        if options.screenshot:
            page.screenshot(path=options.screenshot, full_page=True)
        browser.close()
    if options.open_seconds and seconds > 1e3 * options.open_seconds:
        messages.append(f"opened in {seconds / 1e3:.2f} s, expected at most "
                        f"{options.open_seconds}")
    for message in messages:
        print("page:", message)
    return bool(messages)


if __name__ == "__main__":
    sys.exit(main())
