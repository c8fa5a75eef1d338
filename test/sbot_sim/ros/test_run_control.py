"""Clock of time-outs."""

import pytest

from sbot_sim.ros.run_control import AwakeClock


def test_times_in_which_nobody_looked_hardly_count():
    now = 100.0
    clock = AwakeClock(lambda: now, longest=0.25)
    assert clock() == 0.0
    now += 0.2
    assert clock() == pytest.approx(0.2)
    now += 3600.0
    assert clock() == pytest.approx(0.45)
    assert clock() == pytest.approx(0.45)
    now += 0.1
    assert clock() == pytest.approx(0.55)
