"""The order of a command's speeds."""

import numpy as np

from sbot_common.twist import OMEGA, STOP, VX, VY, Twist


def test_columns_are_the_fields_in_order():
    assert (Twist._fields[VX], Twist._fields[VY], Twist._fields[OMEGA]) == ('vx', 'vy', 'omega')
    rows = np.zeros((1, 3))
    rows[0] = Twist(1.0, omega=2.0)
    assert rows.tolist() == [[1.0, 0.0, 2.0]]
    assert STOP == (0.0, 0.0, 0.0)
