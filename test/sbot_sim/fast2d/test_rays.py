"""Fast2D's rays against shapely: among discs and rectangles, anywhere, of any aperture."""

import math

import pytest
from fast2d_shapely import kinds, places, put, ray_distance, shape_of
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from solids import depth

from sbot_sim.fast2d import Fast2D


@settings(max_examples=150)
@given(st.lists(st.tuples(kinds(), places, st.sampled_from(['robot', 'solid', 'pushable'])),
                max_size=5),
       kinds(), places, places, st.integers(1, 12), st.floats(0.0, 2 * math.pi),
       st.floats(0.05, 3.0))
def test_rays_are_as_long_as_shapely_says(others, kind, pose, mount, rays, aperture, reach):
    shapes = [shape_of(k, p) for k, p, _ in others]
    c, s = math.cos(pose[2]), math.sin(pose[2])
    x, y = pose[0] + c * mount[0] - s * mount[1], pose[1] + s * mount[0] + c * mount[1]
    own = shape_of(kind, pose)
    # A sensor within rounding of an edge may be on either side of it.
    for shape in [own, *shapes]:
        assume(abs(depth(shape, (x, y, 0.0))) > 1e-7)
    if depth(own, (x, y, 0.0)) > 0.0:
        # What overlaps the sensor's own body is no scene.
        assume(all(depth(shape, (x, y, 0.0)) <= 0.0 for shape in shapes))
    with Fast2D() as engine:
        for k, p, what in others:
            ref = put(engine, k, p, what == 'robot')
            if what == 'pushable':
                engine.object_set_mass(ref, 2.0)
            engine.add_object(ref)
        robot = put(engine, kind, pose, True)
        engine.add_object(robot)
        refs = []
        for ray in range(rays):  # each ray by itself, by weights
            weights = [float(k == ray) for k in range(rays)]
            refs.append(engine.create_irsensor(robot, *mount, reach, aperture, rays, weights))
        for ray, ref in enumerate(refs):
            offset = 0.0 if rays == 1 else -aperture / 2 + ray * aperture / (rays - 1)
            angle = pose[2] + mount[2] + offset
            found = engine.sensor_get_activation(ref)
            near = [ray_distance(shapes, x, y, angle + d, reach) for d in (-1e-9, 0.0, 1e-9)]
            # Rays that graze a corner may hit or miss it.
            assert min(near) - 1e-6 <= found <= max(near) + 1e-6
            if max(near) - min(near) < 1e-7:
                assert found == pytest.approx(near[1], abs=1e-7)
