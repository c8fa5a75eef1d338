# SPDX-License-Identifier: Apache-2.0
"""Random numbers by counter: a number is a function of seed, robot, purpose, tick and index.

J. K. Salmon, M. A. Moraes, R. O. Dror and D. E. Shaw, Parallel Random Numbers: As Easy as 1, 2, 3
(SC 2011). There is no state: whoever draws changes nothing, the order of draws means nothing, and
a sensor that is off draws nothing.
"""
