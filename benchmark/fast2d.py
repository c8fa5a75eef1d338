#!/usr/bin/env python3
"""Cost of a Fast2D step with sensors beside the same scene through World.

The robots and boxes of the standard workload, walls included, and sensors of 3 rays on the
robots' rims, evenly spaced, that see 2 m. Through World that is move, separate and the very same
rays, as scans of 3 beams mounted at each of these places ("mounts"), or as one scan with as many
beams from the centre ("one scan"). "host" adds what a host calls from Python: set_speed for every
robot, get_activation for every sensor, get_transform for every robot. Both sides drive alike, one
thread each, and take turns.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from sbot.bench import make_bench_scene
from sbot_common.observation import OMEGA, VX
from sbot_sim.collision.fixed_objects import FixedObjects
from sbot_sim.collision.separation import separate
from sbot_sim.dynamics.motion import drive, move
from sbot_sim.engine.simulation import world_of
from sbot_sim.fast2d import Fast2D, RobotRef, SensorRef
from sbot_sim.sensors.laser import Lasers, ScanParameters
from sbot_sim.sensors.odometry import OdometryParameters
from sbot_sim.world.bodies import BodyArrays
from sbot_sim.world.geometry import World
from sbot_sim.worlds.parameters import Senses, SimulationParameters
from wind_model.parameters import WakeParameters

SEES = 2.0  # m
APERTURE = 0.5  # rad
RAYS = 3
SPEED = 0.5  # m/s
STEP = 0.1  # s
WALL = 1.0  # m


def scans(sensors: int, radius: float) -> list[ScanParameters]:
    """Return a scan of 3 beams for each place on the rim."""
    angles = [2.0 * math.pi * k / sensors for k in range(sensors)]
    return [ScanParameters(RAYS, -APERTURE / 2, APERTURE / (RAYS - 1), 0.0, SEES, True, 0.0,
                           radius * math.cos(a), radius * math.sin(a), a) for a in angles]


class ThroughWorld:
    """The scene as the simulator runs it."""

    def __init__(self, world: World, bodies: BodyArrays, pose: np.ndarray, sensors: int) -> None:
        self.world, self.bodies, self.pose = world, bodies, pose
        self.fixed = FixedObjects.of(world, bodies.safety_radius)
        each = scans(sensors, float(bodies.radius[0]))
        beams = sensors * RAYS
        one = each[0]._replace(beams=beams, angle_min=-math.pi, laser_x=0.0,
                               angle_increment=2.0 * math.pi / beams)
        self.mounts, self.one_scan = self.looking(each), self.looking([one])

    def looking(self, lasers: list[ScanParameters]) -> Callable[[], None]:
        """Return what scans with lasers that all robots have."""
        n = len(self.pose)
        found = world_of(SimulationParameters.make(
            dt=STEP, bodies=self.bodies, world=self.world,
            senses=Senses(Lasers.pack([tuple(lasers)] * n)), odometry=[OdometryParameters()] * n,
            wake=WakeParameters(), wind_height=0.5))
        program = found.program(found.tick.sensing(found.setting, sent=False))

        def look() -> None:
            found.state.pose[:] = self.pose
            found.run(program)
        return look

    def move(self, twist: np.ndarray) -> None:
        driven = drive(self.bodies, twist)
        proposed = move(self.bodies, self.pose, driven, np.zeros((len(self.pose), 2)), STEP)
        self.pose = separate(self.fixed, self.bodies.shape, self.pose, proposed).pose


class ThroughFast2D:
    """The scene as a host describes it."""

    def __init__(self, world: World, bodies: BodyArrays, pose: np.ndarray, sensors: int) -> None:
        self.engine = Fast2D()
        self.engine.init()
        xmin, ymin, xmax, ymax = world.bounds.tolist()
        across, up = xmax - xmin + 2 * WALL, ymax - ymin + 2 * WALL
        boxes = [*world.rectangles.tolist(),
                 [xmin - WALL / 2, (ymin + ymax) / 2, WALL, up, 0.0],
                 [xmax + WALL / 2, (ymin + ymax) / 2, WALL, up, 0.0],
                 [(xmin + xmax) / 2, ymin - WALL / 2, across, WALL, 0.0],
                 [(xmin + xmax) / 2, ymax + WALL / 2, across, WALL, 0.0]]
        for x, y, width, height, yaw in boxes:
            solid = self.engine.create_solid()
            u, v = width / 2, height / 2
            self.engine.object_set_bounding_rectangle(solid, [-u, u, u, -u], [-v, -v, v, v])
            self.engine.object_set_position(solid, x, y)
            self.engine.object_set_angle(solid, yaw)
            self.engine.add_object(solid)
        self.robots: list[RobotRef] = []
        self.sensors: list[SensorRef] = []
        for (x, y, yaw), radius in zip(pose.tolist(), bodies.radius.tolist(), strict=True):
            robot = self.engine.create_robot()
            self.engine.object_set_bounding_radius(robot, radius)
            self.engine.object_set_position(robot, x, y)
            self.engine.object_set_angle(robot, yaw)
            self.engine.add_object(robot)
            self.robots.append(robot)
            for scan in scans(sensors, radius):
                self.sensors.append(self.engine.create_irsensor(
                    robot, scan.laser_x, scan.laser_y, scan.laser_yaw, SEES, APERTURE, RAYS,
                    [0.25, 0.5, 0.25]))

    def command(self, velocity: np.ndarray) -> None:
        for robot, (dx, dy, da) in zip(self.robots, velocity.tolist(), strict=True):
            self.engine.robot_set_speed(robot, dx, dy)
            self.engine.robot_set_angular_speed(robot, da)

    def read(self) -> None:
        for sensor in self.sensors:
            self.engine.sensor_get_activation(sensor)
        for robot in self.robots:
            self.engine.object_get_transform(robot)


def timed(function: Callable[..., Any], *given: Any) -> float:  # noqa: ANN401
    """Return the milliseconds of CPU that a call takes."""
    start = time.process_time()
    function(*given)
    return (time.process_time() - start) * 1e3


def run(robots: int, sensors: int, seconds: float) -> dict[str, float]:
    """Return the median ms per step of each part."""
    world, bodies, pose, _ = make_bench_scene(robots)
    ours, theirs = (kind(world, bodies, pose, sensors) for kind in (ThroughFast2D, ThroughWorld))
    rng = np.random.default_rng(1)
    twist, velocity = np.zeros((robots, 3)), np.empty((robots, 3))
    twist[:, VX] = SPEED
    heading = np.zeros(robots)
    rows: list[list[float]] = []
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(rows) < 11:
        twist[:, OMEGA] = rng.uniform(-1.0, 1.0, robots)
        if len(rows) % 30 == 0:
            heading = rng.uniform(-math.pi, math.pi, robots)
        velocity[:, 0], velocity[:, 1] = SPEED * np.cos(heading), SPEED * np.sin(heading)
        velocity[:, 2] = twist[:, OMEGA]
        rows.append([timed(ours.command, velocity), timed(ours.engine.step, STEP),
                     timed(ours.engine.activations), timed(ours.read), timed(theirs.move, twist),
                     timed(theirs.mounts), timed(theirs.one_scan)])
    names = ('command', 'step', 'sense', 'read', 'move', 'mounts', 'one scan')
    return dict(zip(names, np.median(rows[1:], axis=0).tolist(), strict=True))


def main() -> int:
    """Print the table; 1 if a step costs more than twice the same through World."""
    parser = argparse.ArgumentParser(allow_abbrev=False, description=__doc__.splitlines()[0])
    parser.add_argument('--robots', type=int, default=1000)
    parser.add_argument('--sensors', type=int, default=8, help='a robot, of 3 rays each')
    parser.add_argument('--seconds', type=float, default=5.0)
    arguments = parser.parse_args()
    found = run(arguments.robots, arguments.sensors, arguments.seconds)
    ours = found['step'] + found['sense']
    mounts, one = found['move'] + found['mounts'], found['move'] + found['one scan']
    print(f'{arguments.robots} robots, {arguments.sensors} sensors of {RAYS} rays; CPU ms a step')
    print(f'Fast2D                 {ours:8.3f}  (step {found["step"]:.3f}, sense '
          f'{found["sense"]:.3f})')
    print(f'World, same rays       {mounts:8.3f}  (move {found["move"]:.3f}, mounts '
          f'{found["mounts"]:.3f})  ratio {ours / mounts:.2f}')
    print(f'World, one scan        {one:8.3f}  (scan {found["one scan"]:.3f})  '
          f'ratio {ours / one:.2f}')
    print(f"host's calls in Python {found['command'] + found['read']:8.3f}  (commands "
          f'{found["command"]:.3f}, readings {found["read"]:.3f})')
    return int(ours > 2.0 * mounts)


if __name__ == '__main__':
    sys.exit(main())
