"""Run one other simulator on the standard scene; a separate program without our imports.

It is run by ``peers.run_peer`` with the interpreter that has the simulator, gets the scene as JSON
on its input, and prints one JSON object: milliseconds of wall and processor time a step.
"""

from __future__ import annotations

import json
import logging
import math
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

Stepper = Callable[[Any], None]


def irsim_step(scene: dict[str, Any]) -> Stepper:
    """Return a step of ir-sim for turn rates (N,): robots, boxes, walls, 2D lidars."""
    logging.disable(logging.CRITICAL)
    import irsim  # type: ignore[import-not-found]  # optional

    side, radius = scene['side'], scene['radius']
    walls = [[[0, 0], [side, 0]], [[side, 0], [side, side]], [[side, side], [0, side]],
             [[0, side], [0, 0]]]
    robots = [{'kinematics': {'name': 'diff'}, 'shape': {'name': 'circle', 'radius': radius},
               'state': pose, 'vel_max': [10, 10], 'vel_min': [-10, -10],
               'sensors': [{'name': 'lidar2d', 'range_min': 0, 'range_max': scene['range'],
                            'angle_range': math.pi, 'number': scene['beams']}]
               if scene['beams'] else []} for pose in scene['poses']]
    obstacles = [{'shape': {'name': 'rectangle', 'length': w, 'width': h},
                  'state': [x, y, 0]} for x, y, w, h in scene['boxes']]
    obstacles += [{'shape': {'name': 'linestring', 'vertices': wall}} for wall in walls]
    world = {'world': {'height': side, 'width': side, 'step_time': scene['dt'],
                       'sample_time': scene['dt'], 'collision_mode': 'stop'},
             'robot': robots, 'obstacle': obstacles}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / 'world.yaml'
        path.write_text(json.dumps(world), encoding='utf-8')
        env = irsim.make(str(path), headless=True, log_level='ERROR')
    ids = list(range(len(robots)))

    def step(turns: Any) -> None:  # noqa: ANN401 - numpy array, untyped here
        env.step([np.array([[scene['speed']], [turn]]) for turn in turns], action_id=ids)
    return step


def navground_step(scene: dict[str, Any]) -> Stepper:
    """Return a step of navground for turn rates (N,): agents, walls, lidars."""
    from navground import core, sim  # type: ignore[import-not-found]  # optional
    lidar_of = sim.state_estimations.LidarStateEstimation

    world, side = sim.World(), scene['side']
    corners = [(0, 0), (side, 0), (side, side), (0, side)]
    loops = [corners] + [[(x - w / 2, y - h / 2), (x + w / 2, y - h / 2), (x + w / 2, y + h / 2),
                          (x - w / 2, y + h / 2)] for x, y, w, h in scene['boxes']]
    for loop in loops:
        for start, end in zip(loop, loop[1:] + loop[:1], strict=True):
            world.add_wall(sim.Wall(np.array(start, np.float32), np.array(end, np.float32)))
    agents = []
    for x, y, yaw in scene['poses']:
        kinematics = core.kinematics.TwoWheelsDifferentialDriveKinematics(
            max_speed=10, wheel_axis=2 * scene['radius'])
        behavior = core.behaviors.DummyBehavior(kinematics, scene['radius'])
        lidars = [lidar_of(
            range=scene['range'], start_angle=-math.pi / 2, field_of_view=math.pi,
            resolution=scene['beams'])] if scene['beams'] else []
        agent = sim.Agent(scene['radius'], behavior, kinematics, None, lidars, 0)
        agent.pose = core.Pose2(np.array([x, y], np.float32), yaw)
        world.add_agent(agent)
        agents.append(agent)
    world._prepare()
    twist, frame = core.Twist2, core.Frame.relative
    ahead = np.array([scene['speed'], 0], np.float32)
    # Lidars write into a sensing state; they need it prepared, and leave other kinds alone.
    state = [core.SensingState() for _ in agents]
    for agent, seen in zip(agents, state, strict=True):
        for lidar in agent.state_estimations:
            lidar.prepare_state(seen)
            lidar.update(agent, world, seen)
            ranges = np.asarray(lidar.read_ranges(seen))
            if len(ranges) != scene['beams'] or not (ranges < scene['range']).any():
                raise SystemExit('a lidar of navground sees nothing')

    def step(turns: Any) -> None:  # noqa: ANN401 - numpy array, untyped here
        for agent, turn, seen in zip(agents, turns, state, strict=True):
            for lidar in agent.state_estimations:
                lidar.update(agent, world, seen)
            agent.last_cmd = twist(ahead, turn, frame)
        world.actuate(scene['dt'])
    return step


def main() -> int:
    """Measure the simulator that the arguments name."""
    scene = json.load(sys.stdin)
    step = {'ir-sim': irsim_step, 'navground': navground_step}[sys.argv[1]](scene)
    rng = np.random.default_rng(scene['seed'] + 1)
    count = len(scene['poses'])
    turns = rng.uniform(-scene['turn'], scene['turn'], count)
    step(turns)
    wall: list[float] = []
    cpu: list[float] = []
    end = time.perf_counter() + scene['seconds']
    while len(wall) < 3 or time.perf_counter() < end:
        if len(wall) % scene['steps_a_draw'] == 0:
            turns = rng.uniform(-scene['turn'], scene['turn'], count)
        started, used = time.perf_counter(), time.process_time()
        step(turns)
        cpu.append(1e3 * (time.process_time() - used))
        wall.append(1e3 * (time.perf_counter() - started))
    print(json.dumps({'ms': float(np.median(wall)), 'cpu_ms': float(np.mean(cpu))}))
    return 0


if __name__ == '__main__':
    sys.exit(main())
