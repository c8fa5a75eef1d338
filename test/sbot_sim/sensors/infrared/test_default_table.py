"""The default table is that of its model, and falls with the distance."""

import numpy as np

from sbot_sim.sensors.infrared.default_table import EXPONENTIAL


def test_it_falls_exponentially_over_150_millimetres():
    table = np.array(EXPONENTIAL)
    assert len(table) == 151
    steps = np.diff(np.log(table))
    assert (steps < 0.0).all()
    np.testing.assert_allclose(steps, steps[0], atol=1e-6)
