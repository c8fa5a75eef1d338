# SPDX-License-Identifier: Apache-2.0
"""What all packages share: time, angles, random numbers, errors, compilation, messages.

It simulates nothing and controls nothing.
"""

import os

# NumPy's OpenBLAS starts its threads when NumPy is imported. Each spins for 2**26 processor cycles
# before it sleeps, a quarter of the processor time of a short command. 2**4 cycles are its least.
# The number of threads stays, so that products of matrices keep their bits.
os.environ.setdefault('OPENBLAS_THREAD_TIMEOUT', '4')
