# SPDX-License-Identifier: Apache-2.0
"""Ratios of times taken in the same rounds, with the 95 % interval of their
median by order statistics, which assumes nothing about their distribution."""

import math
import statistics


def interval_ranks(n):
    """0-based ranks of n sorted values that enclose the median with at least
    95 %; None where n is too small for that (below six)."""
    below, rank = 0.0, -1
    while below + math.comb(n, rank + 1) / 2 ** n <= 0.025:
        rank += 1
        below += math.comb(n, rank) / 2 ** n
    return (rank, n - 1 - rank) if rank >= 0 else None


def ratio(numerators, denominators):
    """(median, low, high) of the rounds' ratios; low and high are None where
    there are too few rounds."""
    ratios = sorted(a / b for a, b in zip(numerators, denominators))
    ranks = interval_ranks(len(ratios))
    middle = statistics.median(ratios)
    if ranks is None:
        return middle, None, None
    return middle, ratios[ranks[0]], ratios[ranks[1]]
