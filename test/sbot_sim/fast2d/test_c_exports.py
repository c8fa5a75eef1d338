"""When Fast2D says that it compiles."""

import pytest
from children import python


@pytest.mark.forked
def test_a_start_that_compiles_nothing_says_nothing_however_slow_it_is():
    load = 'from sbot_sim.fast2d.c_exports import load_compiled; load_compiled()'
    python('-c', load)  # fills the cache, where nobody has yet
    assert python('-c', load).stderr == ''
