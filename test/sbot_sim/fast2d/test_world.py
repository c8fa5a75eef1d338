"""Fast2D worlds: the first step refuses objects that overlap, by shapely, and no others."""

import pytest
from fast2d_shapely import kinds, places, put, shape_of
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from solids import depth

from sbot_common.errors import InputError
from sbot_sim.fast2d import Fast2D


@settings(max_examples=100)
@given(st.lists(st.tuples(kinds(), places, st.booleans()), min_size=1, max_size=4))
def test_the_first_step_refuses_exactly_the_scenes_that_overlap(objects):
    shapes = [shape_of(k, p) for k, p, _ in objects]
    deepest = max((depth(shapes[i], shapes[j]) for i in range(len(objects)) for j in range(i)
                   if objects[i][2] or objects[j][2]), default=-1.0)
    assume(not 1e-10 < deepest < 1e-8)
    with Fast2D() as engine:
        for kind, pose, robot in objects:
            engine.add_object(put(engine, kind, pose, robot))
        if deepest > 1e-9:
            with pytest.raises(InputError, match='overlap'):
                engine.step(0.1)
        else:
            engine.step(0.1)
