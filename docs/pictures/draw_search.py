#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws search.svg, the picture of docs/tuning.md: how a search goes.

    docs/pictures/draw_search.py            writes it
    docs/pictures/draw_search.py --check    says whether it is up to date

The counts are of the first attention in measurements/2026-11-26-search-descent.md:
legal schedules, those that guided search tried, and what descent tried beside. The
dots, bars and ticks only illustrate.
"""

import argparse
import pathlib
import sys

PICTURE = pathlib.Path(__file__).with_name("search.svg")
LEGAL, OFFERED, NEIGHBOURS = 1006, 29, 18
WIDTH, HEIGHT = 960, 588
PANEL_WIDTH, PANEL_HEIGHT = 286, 242
COLUMNS, ROWS = (14, 337, 660), (14, 308)

# The picture has its own ground, so that it can be read on any page.
STYLE = """
  svg { --ground: #ffffff; --panel: #f4f6f9; --line: #c3cad5; --ink: #1c2733;
        --soft: #55616f; --faint: #c9d1dc; --mark: #1f6fd1; --best: #c2570c;
        font-family: system-ui, "Segoe UI", Helvetica, Arial, sans-serif; }
  @media (prefers-color-scheme: dark) {
    svg { --ground: #14181d; --panel: #1e242c; --line: #465160; --ink: #e8edf3;
          --soft: #a9b4c1; --faint: #465160; --mark: #6cb0ff; --best: #ffa45c; }
  }
  .ground { fill: var(--ground); }
  .panel { fill: var(--panel); stroke: var(--line); }
  .title { fill: var(--ink); font-size: 16px; font-weight: 600; }
  .text { fill: var(--soft); font-size: 13px; }
  .count { fill: var(--mark); font-size: 14px; font-weight: 600; }
  .arrow { fill: none; stroke: var(--soft); stroke-width: 2; }
  .bypass { stroke-dasharray: 6 4; }
  .head { fill: var(--soft); }
  .faint { fill: var(--faint); }
  .mark { fill: var(--mark); }
  .best { fill: var(--best); }
  .step { fill: none; stroke: var(--best); stroke-width: 2; }
  .drum { fill: var(--ground); stroke: var(--mark); stroke-width: 2; }
  .round { fill: var(--ground); stroke: var(--line); }
  .tick { fill: none; stroke: var(--best); stroke-width: 3; }
"""
#: Column and row of the dots that are offered; the first three are the fastest.
CHOSEN = ((5, 2), (9, 3), (13, 1), (2, 1), (3, 4), (7, 4), (11, 0), (15, 3),
          (16, 0), (7, 1))
#: Time of each in the screen, in pixels.
SCREENED = (114, 121, 126, 149, 158, 172, 187, 203, 226, 258)
#: Order of the four finalists in each round.
ROUNDS = ((0, 1, 2, 3), (2, 0, 3, 1), (1, 3, 0, 2), (3, 0, 1, 2), (0, 2, 3, 1))


def text(x, y, words, kind="text", anchor="start"):
    return (f'<text class="{kind}" x="{x}" y="{y}" text-anchor="{anchor}">'
            f"{words}</text>")


def dot(x, y, kind, radius=4):
    return f'<circle class="{kind}" cx="{x:g}" cy="{y:g}" r="{radius}"/>'


def bar(x, y, width, kind, height=6):
    return (f'<rect class="{kind}" x="{x}" y="{y}" width="{width}" '
            f'height="{height}" rx="2"/>')


def place(column, row):
    return 18 + 14.6 * column, 48 + 17 * row


def lattice(marked):
    """The space, with the dots of `marked` in the colour that it names."""
    return [dot(*place(column, row), marked.get((column, row), "faint"))
            for row in range(5) for column in range(18)]


def space():
    return lattice({})


def offered():
    return lattice(dict.fromkeys(CHOSEN, "mark"))


def screen():
    return [bar(14, 46 + 9.2 * i, length, "best" if i < 3 else "mark")
            for i, length in enumerate(SCREENED)]


def neighbours():
    """From two of the best, a step at a time in one field."""
    paths = (((5, 2), (6, 2), (6, 3)), ((9, 3), (10, 3)))
    marked = dict.fromkeys(CHOSEN, "mark")
    drawn = []
    for path in paths:
        for at in path:
            for near in ((1, 0), (-1, 0), (0, 1), (0, -1)):
                marked.setdefault((at[0] + near[0], at[1] + near[1]), "mark")
        points = " ".join("{:g},{:g}".format(*place(*at)) for at in path)
        drawn.append(f'<polyline class="step" points="{points}"/>')
    marked.update((at, "best") for path in paths for at in path)
    return lattice(marked) + drawn


def final():
    """A tick for each sample, a line for each finalist, rounds after each other."""
    drawn = [text(14, 60 + 22 * i, name) for i, name in enumerate("ABCD")]
    for number, order in enumerate(ROUNDS):
        left = 34 + 48 * number
        drawn.append(f'<rect class="round" x="{left}" y="42" width="44" '
                     'height="88" rx="3"/>')
        for turn, finalist in enumerate(order):
            drawn.append(f'<path class="tick" d="M{left + 7 + 10 * turn} '
                         f'{49 + 22 * finalist}v14"/>')
    return drawn + [text(34, 148, "rounds, one after the other")]


def winner():
    x, y = 176, 58
    drum = (f'<path class="drum" d="M{x} {y}v58a34 11 0 0 0 68 0v-58"/>'
            f'<ellipse class="drum" cx="{x + 34}" cy="{y}" rx="34" ry="11"/>')
    return [dot(48, 87, "best", 11),
            text(48, 121, "winner", anchor="middle"), *arrow("M72 87H164"),
            drum, text(x + 34, y + 38, "database", anchor="middle")]


def arrow(path, kind="arrow"):
    return [f'<path class="{kind}" d="{path}" marker-end="url(#head)"/>']


PANELS = (
    ("1. All legal schedules", space, f"{LEGAL:,} schedules",
     ("A dot is a schedule: a value for each", "field, such as tile, split, packing.")),
    ("2. Offered by estimates", offered, f"{OFFERED} offered",
     ("Families say how long each should", "take and offer the best. Nothing ran.")),
    ("3. Checked, then screened", screen, f"{OFFERED} built and run",
     ("Wrong results drop out. The others", "are timed, a few samples each.")),
    ("4. Neighbours of the best", neighbours, f"{NEIGHBOURS} more, by descent",
     ("One field changes at a time, until", "none is faster or time is up.")),
    ("5. Final in rounds", final, "4 to 6 finalists",
     ("Side by side in random order: noise", "meets all alike. Intervals decide.")),
    ("6. Winner", winner, "1 kept, with all rows",
     ("It is right, and nothing was faster.", "The next compilation looks it up.")),
)


def panel(number):
    title, draw, count, lines = PANELS[number]
    x, y = COLUMNS[number % 3], ROWS[number // 3]
    yield f'<g transform="translate({x},{y})">'
    yield (f'<rect class="panel" width="{PANEL_WIDTH}" '
           f'height="{PANEL_HEIGHT}" rx="8"/>')
    yield text(14, 26, title, "title")
    yield from draw()
    yield text(14, 170, count, "count")
    for i, line in enumerate(lines):
        yield text(14, 196 + 20 * i, line)
    yield "</g>"


def arrows():
    middles = [row + 78 for row in ROWS]
    for middle in middles:
        for left, right in zip(COLUMNS, COLUMNS[1:]):
            yield from arrow(f"M{left + PANEL_WIDTH + 6} {middle}H{right - 8}")
    between = ROWS[0] + PANEL_HEIGHT + 29
    first, last = (column + PANEL_WIDTH // 2 for column in COLUMNS[::2])
    yield from arrow(f"M{last} {ROWS[0] + PANEL_HEIGHT + 4}V{between}"
                     f"H{first}V{ROWS[1] - 8}")
    yield text(WIDTH / 2, between - 7,
               "the fastest few; without --search=descent straight to 5",
               anchor="middle")


def picture():
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} '
             f'{HEIGHT}" width="{WIDTH}" height="{HEIGHT}" role="img">',
             "<title>How a search goes</title>", f"<style>{STYLE}</style>",
             '<defs><marker id="head" viewBox="0 0 10 10" refX="8" refY="5" '
             'markerWidth="6" markerHeight="6" orient="auto"><path '
             'class="head" d="M0 0L10 5L0 10Z"/></marker></defs>',
             f'<rect class="ground" width="{WIDTH}" height="{HEIGHT}" rx="8"/>',
             *arrows()]
    for number in range(len(PANELS)):
        lines += panel(number)
    lines.append(text(
        14, HEIGHT - 14, "Numbers: an attention of 12 heads, 69 queries and 146 "
        "keys on a CPU. --search=exhaustive takes all of 1 to 3."))
    return "\n".join(lines + ["</svg>"]) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    made = picture()
    if not arguments.check:
        PICTURE.write_text(made)
        return 0
    if PICTURE.read_text() != made:
        print(f"{PICTURE} is out of date: run {sys.argv[0]}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
