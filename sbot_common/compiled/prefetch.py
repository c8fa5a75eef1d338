"""Prefetching in compiled code: ask for memory before it is needed.

Robots are looked at in order of place, and their rows are anywhere in memory. A load that waits
for such a row waits alone, because nobody can foresee the branches after it; rows that many robots
are going to need, asked for together, arrive together.
"""

from __future__ import annotations

from sbot_common.compiled.jit import intrinsic

TOGETHER = 32  # robots whose memory is asked for before the first of them is looked at

# prefetch(array, i): ask for row i of an array; no result depends on it, and no i is wrong.
prefetch = intrinsic('prefetch')
