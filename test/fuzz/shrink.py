# SPDX-License-Identifier: Apache-2.0
"""A smaller graph that fails alike: one result, the earliest, then fewer ops.
What a removed op made becomes an argument."""

from graph import function_text


def shrink(graph, fails, tries=120):
    """The text of a function; `fails(text)` says whether it fails alike."""
    nodes, results = graph.nodes, graph.results

    def attempt(some_nodes, some_results):
        nonlocal nodes, results, tries
        if tries == 0:
            return False
        tries -= 1
        some_nodes = needed(some_nodes, some_results)
        if not fails(function_text(graph.name, some_nodes, some_results)):
            return False
        nodes, results = some_nodes, some_results
        return True

    for value in [v for node in nodes for v in node.results]:
        if attempt(nodes, [value]):
            break
    size = max(len(nodes) // 2, 1)
    while True:
        at, smaller = 0, False
        while at < len(nodes):
            kept = nodes[:at] + nodes[at + size:]
            if len(kept) > 0 and attempt(kept, results):
                smaller = True
            else:
                at += size
        if size == 1 and (not smaller or tries == 0):
            return function_text(graph.name, nodes, results)
        size = max(size // 2, 1)


def needed(nodes, results):
    """The nodes that results depend on."""
    wanted, kept = {v.name for v in results}, []
    for node in reversed(nodes):
        if any(v.name in wanted for v in node.results):
            wanted.update(v.name for v in node.operands)
            kept.insert(0, node)
    return kept
