"""Random sequences of Fast2D calls neither crash nor corrupt.

FAST2D_SEQUENCES sets how many (default 60); ten thousand take some minutes.
"""

import math
import os

import pytest
from fast2d_shapely import shape_of
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from solids import depth

from sbot_common.errors import InputError
from sbot_sim.fast2d import Fast2D

SEQUENCES = int(os.environ.get('FAST2D_SEQUENCES', '60'))
CALLS = 30  # in a sequence
places = st.floats(-1.0, 1.0)
sizes = st.floats(0.02, 0.6)
angles = st.floats(-7.0, 7.0)
speeds = st.one_of(st.floats(-2.0, 2.0), st.floats(-200.0, 200.0))


class Calls(RuleBasedStateMachine):
    """Hosts that build worlds, drive them, misuse them and begin again."""

    @initialize()
    def begin(self):
        self.engine = Fast2D()
        self.engine.init()
        self.fresh()

    def fresh(self):
        self.objects = []  # [reference, kind, robot, mass, expected pose if it cannot move]
        self.sensors = []  # [reference, range]
        self.running = False
        self.stepped = False

    def shapes(self):
        return [shape_of(kind, self.engine.object_get_transform(ref))
                for ref, kind, *_ in self.objects]

    @precondition(lambda self: not self.running and len(self.objects) < 7)
    @rule(robot=st.booleans(), width=sizes, height=st.none() | sizes, x=places, y=places,
          angle=angles, corner=st.sampled_from([0.0, 0.5]),
          mass=st.sampled_from([None, -1.0, 1.0, 0.01, 30.0]))
    def add(self, robot, width, height, x, y, angle, corner, mass):
        kind, pose = width / 2, (x, y, angle)
        if height is not None:
            u, v, shift = width / 2, height / 2, corner * width
            kind = [(-u + shift, -v), (u + shift, -v), (u + shift, v), (-u + shift, v)]
        new = shape_of(kind, pose)
        if any(depth(new, shape) > -1e-6 for shape in self.shapes()):
            return  # scenes begin free
        ref = self.engine.create_robot() if robot else self.engine.create_solid()
        if height is None:
            self.engine.object_set_bounding_radius(ref, kind)
        else:
            self.engine.object_set_bounding_rectangle(ref, *zip(*kind, strict=True))
        if mass is not None:
            self.engine.object_set_mass(ref, mass)
        self.engine.object_set_position(ref, x, y)
        self.engine.object_set_angle(ref, angle)
        self.engine.add_object(ref)
        fixed = not robot and (mass is None or mass < 0.0)
        self.objects.append((ref, kind, robot, pose if fixed else None))

    def pick(self, number, robots=True):
        listed = [o for o in self.objects if o[2] or not robots]
        return listed[number % len(listed)][0] if listed else None

    @precondition(lambda self: not self.running)
    @rule(number=st.integers(0, 9), x=places, y=places, angle=angles, reach=st.floats(0.01, 2.0),
          aperture=st.floats(0.0, 6.2), rays=st.integers(1, 10))
    def sense(self, number, x, y, angle, reach, aperture, rays):
        robot = self.pick(number)
        if robot is not None:
            ref = self.engine.create_irsensor(robot, x, y, angle, reach, aperture, rays,
                                              [1.0 / rays] * rays)
            self.sensors.append((ref, reach))

    @rule(number=st.integers(0, 9), dx=speeds, dy=speeds, da=speeds)
    def drive(self, number, dx, dy, da):
        robot = self.pick(number)
        if robot is not None:
            self.engine.robot_set_speed(robot, dx, dy)
            self.engine.robot_set_angular_speed(robot, da)

    @rule(dt=st.sampled_from([0.001, 0.032, 0.1, 1.0]), times=st.integers(1, 4))
    def step(self, dt, times):
        for _ in range(times):
            self.engine.step(dt)
        self.running = self.stepped = True

    @rule(dt=st.sampled_from([0.0, -1.0, math.nan, math.inf, 'x', None]))
    def step_badly(self, dt):
        with pytest.raises(InputError):
            self.engine.step(dt)

    @rule(number=st.integers(0, 9), value=st.sampled_from([math.nan, math.inf, None, 'x']))
    def drive_badly(self, number, value):
        robot = self.pick(number)
        with pytest.raises(InputError):
            self.engine.robot_set_speed(robot, value, 0.0)
        with pytest.raises(InputError):
            self.engine.robot_set_angular_speed(robot, value)

    @precondition(lambda self: self.running)
    @rule()
    def build_too_late(self):
        for call in (self.engine.create_robot, self.engine.create_solid, self.engine.init):
            with pytest.raises(InputError):
                call()

    @precondition(lambda self: self.objects)
    @rule()
    def set_too_late(self):
        with pytest.raises(InputError):
            self.engine.object_set_position(self.objects[0][0], 0.0, 0.0)

    @rule()
    def again(self):
        old = self.objects[:1]
        self.engine.cleanup()
        with pytest.raises(InputError):
            self.engine.step(0.1)
        self.engine.init()
        for ref, *_ in old:
            with pytest.raises(InputError):
                self.engine.object_get_transform(ref)
        self.fresh()

    @invariant()
    def transforms_are_finite(self):
        for ref, _, _, fixed in self.objects:
            pose = self.engine.object_get_transform(ref)
            assert all(math.isfinite(value) for value in pose)
            assert fixed is None or pose == fixed

    @invariant()
    def nothing_overlaps(self):
        if not self.stepped:
            return
        self.stepped = False
        shapes = self.shapes()
        # Half a micrometre a kilometre is what is left of doubles far from the origin.
        far = max((abs(v) for ref, *_ in self.objects
                   for v in self.engine.object_get_transform(ref)[:2]), default=0.0)
        for i in range(len(shapes)):
            for j in range(i):
                assert depth(shapes[i], shapes[j]) <= 1e-9 + 1e-14 * far

    @invariant()
    def sensors_read_within_their_range(self):
        for ref, reach in self.sensors:
            assert 0.0 <= self.engine.sensor_get_activation(ref) <= reach * (1.0 + 1e-12)

    def teardown(self):
        if hasattr(self, 'engine'):
            self.engine.cleanup()


Calls.TestCase.settings = settings(
    max_examples=SEQUENCES, stateful_step_count=CALLS, deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much,
                           HealthCheck.data_too_large])
TestCalls = Calls.TestCase
