# SPDX-License-Identifier: Apache-2.0
"""Whether what ran is as right as PyTorch's f32, beside PyTorch in double precision.

After a few layers the bound of a whole model is wider than its output and says
nothing: it is vacuous. What is allowed then is a multiple of the error that
PyTorch's own f32 has on the same inputs. Both round as often; only the order of
sums and the functions differ. A defect is larger by orders of magnitude: bf16
where f32 should be has 2**16 times the rounding, and one key of 1024 that is
left out changes a row by 1e-3.

An output of few elements, such as the logits of an image, has too few to tell: the
ratio of two errors spreads by a factor of 2. `errors` then takes several inputs.
"""

import dataclasses

import numpy

#: A bound is vacuous above this part of the output's RMS (minic-run --check).
VACUOUS = 0.25
#: RMS error over all of an output, of that of PyTorch's f32.
ALL = 1.5
#: RMS error of the worst row, along the last axis, of that of PyTorch's worst
#: row. A row has few elements, so it spreads more; without this, one wrong row
#: among thousands passes.
ROW = 4.0
#: Elements below which errors are to be taken over several inputs.
FEW = 1000


def rms(x, axis=None):
    return numpy.sqrt(numpy.mean(numpy.square(x), axis=axis))


@dataclasses.dataclass
class Errors:
    """Of an output. RMS errors are parts of the output's RMS."""
    worst: float      # largest error of an element, of its bound
    bound: float      # RMS of the bounds
    rms: float
    torch_rms: float
    row: float        # of the worst row
    torch_row: float

    @property
    def is_vacuous(self):
        return not self.bound <= VACUOUS

    def wrong(self):
        """What is wrong, empty if nothing is."""
        if not self.worst <= 1:
            return f"is off by {self.worst:.3g} bounds"
        if not self.is_vacuous:
            return ""
        if not self.rms <= ALL * self.torch_rms:
            return (f"has an RMS error of {self.rms:.2g}, "
                    f"PyTorch's f32 {self.torch_rms:.2g}")
        if not self.row <= ROW * self.torch_row:
            return (f"has a row with an RMS error of {self.row:.2g}, "
                    f"PyTorch's f32 at most {self.torch_row:.2g}")
        return ""


def errors(got, single, exact, tolerances, more=()):
    """`got` ran, `single` is PyTorch's f32, `exact` its double precision;
    `tolerances` are those of minic's reference. All of one shape. `more` has
    (got, single, exact) for other inputs."""
    size = rms(exact)
    with numpy.errstate(divide="ignore", invalid="ignore"):
        off = abs(got - exact) / tolerances
    # Exact, where nothing else is allowed.
    off = numpy.where(got == exact, 0, off)
    runs = [(got, single, exact), *more]
    columns = exact.shape[-1] if exact.ndim else 1

    def rows(x):
        """RMS error of each row, over all inputs."""
        return numpy.concatenate([
            rms((run[x] - run[2]).reshape(-1, columns), axis=1) / rms(run[2])
            for run in runs])
    ours, theirs = rows(0), rows(1)
    return Errors(
        # NaN counts as infinitely wrong.
        worst=float(numpy.nan_to_num(off, nan=numpy.inf).max()),
        bound=float(rms(tolerances) / size),
        rms=float(rms(ours)), torch_rms=float(rms(theirs)),
        row=float(ours.max()), torch_row=float(theirs.max()))
