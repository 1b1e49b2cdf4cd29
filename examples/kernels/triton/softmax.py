# SPDX-License-Identifier: Apache-2.0
"""Softmax of rows in Triton. COLUMNS is a power of two, at least n_cols."""

import triton
import triton.language as tl


@triton.autotune(configs=[
    triton.Config({"ROWS": 1}, num_warps=1),
    triton.Config({"ROWS": 1}, num_warps=4),
    triton.Config({"ROWS": 2}, num_warps=4),
    triton.Config({"ROWS": 4}, num_warps=4),
    triton.Config({"ROWS": 4}, num_warps=8),
], key=["n_cols"])
@triton.jit
def softmax(x, y, n_rows, n_cols, COLUMNS: tl.constexpr, ROWS: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    columns = tl.arange(0, COLUMNS)
    offsets = rows[:, None] * n_cols + columns[None, :]
    mask = (rows < n_rows)[:, None] & (columns < n_cols)[None, :]
    v = tl.load(x + offsets, mask=mask, other=-float("inf"))
    v = v - tl.max(v, axis=1)[:, None]
    e = tl.exp(v)
    tl.store(y + offsets, e / tl.sum(e, axis=1)[:, None], mask=mask)
