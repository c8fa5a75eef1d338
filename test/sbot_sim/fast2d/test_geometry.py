"""Fast2D's overlaps and rays against shapely: discs and rectangles, turned, touching, nested."""

import math

import numpy as np
import pytest
from fast2d_shapely import depth, ray_distance, shape_of
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from sbot_common.errors import InputError
from sbot_sim.collision.body_contacts import body_contact, with_fixed
from sbot_sim.fast2d import Fast2D
from sbot_sim.fast2d.scene import Object, make_indexed
from sbot_sim.fast2d.shapes import disc, rectangle
from sbot_sim.world.shapes import boxes_at, centres

sizes = st.floats(0.05, 1.5)
places = st.tuples(st.floats(-1.5, 1.5), st.floats(-1.5, 1.5), st.floats(-4.0, 4.0))


@st.composite
def kinds(draw):
    """Return a radius, or four corners: of a box anywhere in its object's frame, turned."""
    if draw(st.booleans()):
        return draw(sizes)
    u, v, turn = draw(sizes) / 2, draw(sizes) / 2, draw(st.sampled_from([0.0, 0.7, 2.0, -3.0]))
    x, y = draw(st.sampled_from([(0.0, 0.0), (0.3, -0.2)]))
    c, s = math.cos(turn), math.sin(turn)
    return [(x + c * a - s * b, y + s * a + c * b)
            for a, b in ((-u, -v), (u, -v), (u, v), (-u, v))]


def described(kind, pose, robot=True):
    shape = disc(kind, '') if isinstance(kind, float) else rectangle(*zip(*kind, strict=True), '')
    return Object('o', robot, 1.0 if robot else math.inf, shape, list(pose), added=True)


def contacts(first, second):
    """Return (overlap, ux, uy) of the pair: as bodies both ways, and the second one fixed."""
    both = make_indexed([described(*first), described(*second)])
    boxes = boxes_at(both.shapes, centres(both.shapes, np.array([first[1], second[1]])))
    fixed = make_indexed([described(*first), described(*second, robot=False)])
    return (body_contact(boxes, 0, 1, 0.0, 0.0), body_contact(boxes, 1, 0, 0.0, 0.0),
            with_fixed(fixed.fixed, 0, boxes, 0, boxes[0, 0], boxes[0, 1]))


@settings(max_examples=300, deadline=None)
@given(kinds(), places, kinds(), places)
def test_overlaps_are_as_deep_as_shapely_says(kind_a, pose_a, kind_b, pose_b):
    expected = depth(shape_of(kind_a, pose_a), shape_of(kind_b, pose_b))
    forward, backward, fixed = contacts((kind_a, pose_a), (kind_b, pose_b))
    assert forward[0] == backward[0]
    assert forward[1:] == (-backward[1], -backward[2])
    for overlap, ux, uy in (forward, fixed):
        if expected <= 0.0:
            assert overlap <= 1e-12
            continue
        assert overlap == pytest.approx(expected, abs=1e-12)
        # The direction leads out by that much, so that they touch.
        out = (pose_a[0] + overlap * ux, pose_a[1] + overlap * uy, pose_a[2])
        assert abs(depth(shape_of(kind_a, out), shape_of(kind_b, pose_b))) < 1e-9


@pytest.mark.parametrize(('first', 'second', 'expected'), [
    ((0.5, (0, 0, 0)), (0.2, (0.1, 0, 0)), 0.6),  # nested discs
    (('box', (0, 0, 0)), (0.1, (0.3, 0.1, 0)), 0.3),  # a disc in a box: 0.2 to the side, and 0.1
    (('box', (0, 0, 0)), ('box', (0, 0, 0)), 1.0),  # equal places
    (('box', (0, 0, 0)), ('box', (1.0, 0, 0)), 0.0),  # side to side
    (('box', (0, 0, 0)), ('box', (0.5 + math.sqrt(0.5), 0, math.pi / 4)), 0.0),  # corner to side
    (('box', (0, 0, 0)), (0.5, (0.5 + 0.3, 0.5 + 0.4, 0)), 0.0),  # disc on a corner
    ((0.5, (0, 0, 0)), (0.5, (0, 0, 0)), 1.0),  # coincident centres
])
def test_nested_and_touching(first, second, expected):
    corners = [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)]
    pair = [(corners if kind == 'box' else kind, pose) for kind, pose in (first, second)]
    for overlap, ux, uy in contacts(*pair):
        assert max(overlap, 0.0) == pytest.approx(expected, abs=1e-12)
        assert overlap <= 1e-12 or math.hypot(ux, uy) == pytest.approx(1.0)


def put(engine, kind, pose, robot):
    ref = engine.create_robot() if robot else engine.create_solid()
    if isinstance(kind, float):
        engine.object_set_bounding_radius(ref, kind)
    else:
        engine.object_set_bounding_rectangle(ref, *zip(*kind, strict=True))
    engine.object_set_position(ref, *pose[:2])
    engine.object_set_angle(ref, pose[2])
    return ref


@settings(max_examples=150, deadline=None)
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
        gap = depth(shape, ('disc', x, y, 0.0))
        assume(abs(gap) > 1e-7)
    if depth(own, ('disc', x, y, 0.0)) > 0.0:
        # What overlaps the sensor's own body is no scene.
        assume(all(depth(shape, ('disc', x, y, 0.0)) <= 0.0 for shape in shapes))
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


@settings(max_examples=100, deadline=None)
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
