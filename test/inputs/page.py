# SPDX-License-Identifier: Apache-2.0
"""Opens a page of `minic --trace` or `explain --against` in Chromium and uses it.

    page.py trace.html [--run=FILE] [--bad-run=FILE] [--screenshot=FILE] [--dark]
        [--open-seconds=S] [--most-nodes=N]

Clicks an op of the picture, then its fusion, by mouse and by keyboard, opens a
run's timeline, or looks at differences, and prints what the page shows; and what a
screen reader is told, by the browser's own accessibility tree. Fails at a message on the console, or if
the page took longer to open: by the browser's own clock, from the start of the
navigation on, the fastest of some, as a machine may have other work.
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
        first = page.locator(".picture").first.locator("g.node")
        node = first.nth(min(2, first.count() - 1))
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
    print("without a name:", len(nameless(page)), *nameless(page)[:3])
    repetitions(page)


def repetitions(page):
    """Shows the last layer of each stretch, and clicks an op of the last one."""
    choosers = page.locator("select[id*=captured-repetition]")
    for chooser in choosers.all():
        nodes = page.locator(".picture").first.locator("g.node")
        names = "nodes => nodes.map(node => node.getAttribute('aria-label'))"
        before = nodes.evaluate_all(names)
        chooser.select_option(index=chooser.locator("option").count() - 1)
        after = nodes.evaluate_all(names)
        changed = [i for i, name in enumerate(before) if name != after[i]]
        nodes.nth(changed[0]).dispatch_event("click")
        print("last of layers:", len(changed), "nodes are others, chosen",
              after[changed[0]], page.locator("#details h2").inner_text()
              == "Captured: " + after[changed[0]])


def timeline(page, options):
    """What a run looks like, embedded or opened."""
    inputs = page.locator("input[type=file]")
    region = page.get_by_role("region", name="Timeline", exact=True).first
    if options.bad_run:
        inputs.first.set_input_files(options.bad_run)
        print("refused:", region.get_by_role("alert").inner_text())
    if options.run:
        inputs.first.set_input_files(options.run)
        region.locator("svg").wait_for()
    if not region.locator("svg").count():
        print("timeline: none")
        return
    boxes = region.locator("rect.box:not(.worker)")
    print("timeline:", boxes.count(), "commands,",
          region.locator("rect.worker").count(), "of workers")
    boxes.first.dispatch_event("click")
    print("by mouse:", page.locator("#details h2").inner_text())
    summary = region.locator("summary")
    summary.focus()
    page.keyboard.press("Enter")
    row = region.locator("tbody tr").first
    row.wait_for()
    print("rows:", region.locator("tbody tr").count())
    page.keyboard.press("Tab")  # the table, which scrolls
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    print("by keyboard:", page.locator("#details h2").inner_text())


def differences(page):
    """What a person sees of two artifacts, and goes to by keyboard."""
    print("title:", page.locator("h1").inner_text())
    for section in page.locator("main section").all():
        print("function:", section.locator("h2").inner_text())
        print("summary:", section.locator("p").first.inner_text())
        for row in section.locator("tbody tr").all():
            print("difference:", " | ".join(row.locator("td").all_inner_texts()))
    page.keyboard.press("Tab")  # behind the link to the content
    page.keyboard.press("Enter")
    print("by keyboard:", page.evaluate("decodeURIComponent(location.hash)"))
    print("wider than the window:", page.evaluate(
        "document.documentElement.scrollWidth > innerWidth"))
    print("without a name:", len(nameless(page)), *nameless(page)[:3])


def tree(page):
    """(role, name, properties) of what a screen reader is told."""
    session = page.context.new_cdp_session(page)
    nodes = session.send("Accessibility.getFullAXTree")["nodes"]
    return [(n["role"]["value"], n.get("name", {}).get("value", ""),
             {p["name"]: p["value"].get("value")
              for p in n.get("properties", [])})
            for n in nodes if not n.get("ignored") and "role" in n]


def nameless(page):
    """What can be used or is a picture, and has no name."""
    return [role for role, name, _ in tree(page)
            if role in ("button", "link", "image", "img", "region", "combobox",
                        "heading", "navigation") and not name.strip()]


def structure(page):
    """Landmarks and headings; Tab goes to the content first."""
    found = tree(page)
    roles = [role for role, _, _ in found]
    print("landmarks:", *(f"{role} {roles.count(role)}" for role in
                          ("main", "navigation", "complementary")))
    levels = [p["level"] for role, _, p in found if role == "heading"]
    print("headings skip a level:", any(
        b > a + 1 for a, b in zip([0] + levels, levels)))
    page.keyboard.press("Tab")
    print("first stop:", page.evaluate("document.activeElement.textContent"))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("page", type=pathlib.Path)
    parser.add_argument("--run")
    parser.add_argument("--bad-run")
    parser.add_argument("--most-nodes", type=int)
    parser.add_argument("--text", action="append", default=[],
                        help="that people shall see")
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
        seconds = float("inf")
        for _ in range(5 if options.open_seconds else 1):
            page.goto(options.page.resolve().as_uri())
            # The end is written once the load event's handlers are done.
            page.wait_for_function("() => performance.getEntriesByType("
                                   "'navigation')[0].loadEventEnd > 0")
            seconds = min(seconds, 1e-3 * page.evaluate(
                "() => performance.getEntriesByType('navigation')[0]"
                ".loadEventEnd"))
        ready = page.evaluate("() => document.body.dataset.ready")
        print("ready", ready, "after %.0f ms" % (1e3 * seconds),
              file=sys.stderr)
        if ready != "1":
            messages.append("the page is not ready")
        drawn = page.locator(".picture g.node").count()
        if options.most_nodes and drawn > options.most_nodes:
            messages.append(f"draws {drawn} nodes, expected at most "
                            f"{options.most_nodes}")
        if not messages:
            structure(page)
            if options.text:
                content = page.locator("#main").text_content()
                print("shown as text:", sum(t in content for t in options.text),
                      "of", len(options.text))
            if page.evaluate("data.format") == "minic-against":
                differences(page)
            else:
                use(page)
                timeline(page, options)
        if options.screenshot:
            page.screenshot(path=options.screenshot, full_page=True)
        browser.close()
    if options.open_seconds and seconds > options.open_seconds:
        messages.append(f"opened in {seconds:.2f} s, expected at most "
                        f"{options.open_seconds}")
    for message in messages:
        print("page:", message)
    return bool(messages)


if __name__ == "__main__":
    sys.exit(main())
