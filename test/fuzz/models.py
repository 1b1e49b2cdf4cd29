# SPDX-License-Identifier: Apache-2.0
"""Random functions over the ops of docs/ops.md.

A tag is the name of an op. `function(seed, number, tags)` is always the same
for the same arguments."""

import images
import moves
import pointwise
import products
import rows
import transformers
from graph import Graph
from rng import Rng
from tensors import FLOATS

GENERATORS = {**pointwise.GENERATORS, **products.GENERATORS,
              **moves.GENERATORS, **rows.GENERATORS,
              **transformers.GENERATORS, **images.GENERATORS}
TAGS = tuple(GENERATORS)


def function(seed, number, tags=TAGS, floats=FLOATS, most_ops=14):
    """The Graph of function `number` of a seed."""
    # Products of large odd numbers, so that neighbours share no state.
    rng = Rng(seed * 1_000_003 + number)
    graph = Graph(rng, f"random{number}", set(tags).__contains__,
                  tuple(floats))
    weights = [GENERATORS[tag][0] for tag in tags]
    for _ in range(rng.integer(1, most_ops)):
        GENERATORS[rng.weighted(tags, weights)][1](graph)
        graph.settle()
    graph.finish()
    return graph
