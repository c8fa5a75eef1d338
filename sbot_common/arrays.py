# SPDX-License-Identifier: Apache-2.0
"""Types of arrays for annotations, by what their elements are."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Integers = NDArray[np.int64]
Floats32 = NDArray[np.float32]
Indexes = NDArray[np.intp]
Integers32 = NDArray[np.int32]
Words = NDArray[np.uint32]
Bytes = NDArray[np.uint8]
