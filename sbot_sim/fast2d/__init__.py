# SPDX-License-Identifier: Apache-2.0
"""Fast2D: the simulator as an engine for a host program (document 004).

``Fast2D`` objects are worlds; the functions of the document are in ``functions``, which programs
in C call through the shared library.
"""

from sbot_sim.fast2d.functions import *  # noqa: F403 - its __all__ is the document's list
from sbot_sim.fast2d.functions import __all__ as __all__
