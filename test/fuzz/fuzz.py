#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles random graphs and compares each with the float64 reference.

    test/fuzz/fuzz.py --graphs=5000 --seed=7 [OPTIONS OF minic]
    test/fuzz/fuzz.py --print --seed=7 --first=12 --graphs=1

Options that this program does not know are minic's, as in --threads=2 or
--target=cuda. A graph that minic refuses counts as a failure, as does a wrong
value; each is made smaller and written to --out. The exit status is 1 then. The
same seed gives the same graphs with every Python."""

import argparse
import collections
import concurrent.futures
import pathlib
import sys
import time

import models
from shrink import shrink
from tensors import FLOATS
from tools import BATCH, RIGHT, Tools

HERE = pathlib.Path(__file__).resolve().parent


def arguments_of_command():
    parser = argparse.ArgumentParser(
        description=__doc__, allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path,
                        default=HERE.parents[1] / "build/release/bin")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0,
                        help="number of the first graph")
    parser.add_argument("--graphs", type=int, default=300)
    parser.add_argument("--only", nargs="+", default=models.TAGS,
                        metavar="OP", choices=models.TAGS)
    parser.add_argument("--without", nargs="+", default=[], metavar="OP",
                        choices=models.TAGS)
    parser.add_argument("--floats", nargs="+", default=FLOATS,
                        choices=FLOATS, help="float dtypes, the usual first")
    parser.add_argument("--data-seed", type=int, default=1)
    parser.add_argument("--out", type=pathlib.Path,
                        help="folder for graphs that fail")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--limit-s", type=float, default=1e9,
                        help="begin nothing after so many seconds")
    parser.add_argument("--timeout-s", type=float, default=120,
                        help="a process that runs for longer hangs")
    parser.add_argument("--print", action="store_true",
                        help="print the graphs and stop")
    parser.add_argument("--compile-only", action="store_true",
                        help="run nothing, as for a GPU that is not here")
    return parser.parse_known_args()


def report(tools, graph, verdict, heading, out, has_time):
    """Prints a failure and then, while `has_time()`, looks for a smaller graph
    that fails alike."""
    def fails_alike(text):
        return has_time() and tools.check(
            {graph.name: text})[graph.name].kind() == verdict.kind()

    def write(text):
        if out:
            out.mkdir(parents=True, exist_ok=True)
            (out / f"{heading.replace(' ', '-')}.mlir").write_text(
                f"// {heading}: {verdict.word}\n// {verdict.message}\n{text}")

    whole = graph.text()
    print(f"{heading}: {verdict.word}: {verdict.message}", flush=True)
    write(whole)
    smaller = shrink(graph, fails_alike)
    print(smaller, flush=True)
    write(f"{smaller}\n// Whole:\n{whole}")


def main():
    arguments, options = arguments_of_command()
    tags = [tag for tag in arguments.only if tag not in arguments.without]

    def graph_of(number):
        return models.function(arguments.seed, number, tags, arguments.floats)

    numbers = range(arguments.first, arguments.first + arguments.graphs)
    if arguments.print:
        for number in numbers:
            print(graph_of(number).text())
        return 0
    tools = Tools(arguments.bin, options, arguments.compile_only,
                  arguments.data_seed, arguments.timeout_s)
    begin = time.monotonic()

    def has_time():
        return time.monotonic() - begin < arguments.limit_s

    batches = [numbers[at:at + BATCH] for at in range(0, len(numbers), BATCH)]
    words, used = collections.Counter(), collections.Counter()

    def check(batch):
        if not has_time():
            return [], {}
        graphs = [graph_of(number) for number in batch]
        return graphs, tools.check({g.name: g.text() for g in graphs})

    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for batch, (graphs, verdicts) in zip(batches, pool.map(check, batches)):
            if not graphs:
                words["not begun"] += len(batch)
            for number, graph in zip(batch, graphs):
                verdict = verdicts[graph.name]
                words[verdict.word] += 1
                used.update({node.text.split()[0] for node in graph.nodes})
                if verdict.word != RIGHT:
                    report(tools, graph, verdict,
                           f"seed {arguments.seed} graph {number}",
                           arguments.out, has_time)
    print(f"seed {arguments.seed}, {len(used)} ops, "
          f"{time.monotonic() - begin:.0f} s: " +
          ", ".join(f"{count} {word}" for word, count in words.most_common()))
    return 0 if set(words) <= {RIGHT, "not begun"} else 1


if __name__ == "__main__":
    sys.exit(main())
