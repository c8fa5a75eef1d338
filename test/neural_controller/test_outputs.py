"""Commands from the outputs of a network."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neural_controller.outputs import bounded, command_of_twist, command_of_wheels

shares = st.floats(-1, 1)


@given(shares, shares)
def test_wheels_turn_as_the_outputs_say(left, right):
    v, omega = command_of_wheels(left, right, 0.08, 0.095)
    assert v - omega * 0.095 / 2 == pytest.approx(0.08 * left, abs=1e-16)
    assert v + omega * 0.095 / 2 == pytest.approx(0.08 * right, abs=1e-16)


@given(shares, shares)
def test_twist(forward, turn):
    assert command_of_twist(forward, turn, 1.5, 2.0) == (1.5 * forward, 2.0 * turn)


@pytest.mark.parametrize(('share', 'kept'), [
    (7.0, 1.0), (-7.0, -1.0), (math.inf, 1.0), (-math.inf, -1.0), (math.nan, 0.0), (0.25, 0.25)])
def test_outputs_of_a_function_are_bounded(share, kept):
    assert bounded(share) == kept
    assert command_of_twist(share, share, 2.0, 3.0) == (2 * kept, 3 * kept)
