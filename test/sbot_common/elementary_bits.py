"""One hash over a million results of the elementary functions; run as a script, it prints it."""

import hashlib

import numpy as np

from sbot_common import elementary
from sbot_common.compiled.jit import njit
from sbot_common.elementary import atan2_of, exp_of, hypot_of, log_of, sincos_of

COUNT = 70_000


@njit
def _scalar_ones(x, y, out):
    for i in range(x.shape[0]):
        out[0, i] = elementary.asin(y[i])
        out[1, i] = elementary.acos(y[i])
        out[2, i] = elementary.pow(abs(x[i]), y[i])
        out[3, i] = elementary.log10(abs(x[i]))
        out[4, i] = elementary.atan(x[i])


def patterns(rng, count):
    """Doubles of any bits: all magnitudes, infinities, NaN."""
    return rng.integers(0, 2 ** 64, count, np.uint64).view(np.float64)


def fingerprint() -> str:
    rng = np.random.Generator(np.random.PCG64(14))
    digest = hashlib.sha256()
    # Not rng.uniform: where NumPy is compiled with fused operations, its bits are others.
    usual = 200.0 * rng.random(COUNT) - 100.0
    for x in (usual, patterns(rng, COUNT)):
        y = 2.0 * rng.random(COUNT) - 1.0
        out = np.empty((12, COUNT))
        sincos_of(x, out[5], out[6])
        atan2_of(y, x, out[7])
        hypot_of(x, y, out[8])
        exp_of(x, out[9])
        log_of(np.abs(x), out[10])
        _scalar_ones(x, y, out)
        exp_of(y, out[11])
        digest.update(out.tobytes())
    return digest.hexdigest()


if __name__ == '__main__':
    print(fingerprint())
