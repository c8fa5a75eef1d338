"""When Fast2D says that it compiles."""

import pytest
from children import python

pytestmark = pytest.mark.forked

PLAY = """
from sbot_sim.fast2d.c_exports import load_compiled
load_compiled()
"""


def said():
    return python('-c', PLAY).stderr


def test_a_start_that_compiles_nothing_says_nothing_however_slow_it_is():
    said()  # fills the cache, where nobody has yet
    assert said() == ''
