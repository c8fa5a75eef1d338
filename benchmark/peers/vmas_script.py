"""Run VMAS on many small worlds with lasers; a separate program without our imports.

It is run by ``peers.run_vmas`` with the interpreter that has VMAS, gets the scene as
JSON on its input, and prints one JSON object: robot-steps a second of processor time, on one
thread.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

import torch  # type: ignore[import-not-found]  # optional
from vmas.simulator import core, scenario, sensors  # type: ignore[import-not-found]
from vmas.simulator.dynamics.diff_drive import DiffDrive  # type: ignore[import-not-found]
from vmas.simulator.environment import Environment  # type: ignore[import-not-found]


class Arena(scenario.BaseScenario):  # type: ignore[misc]
    """Robots on two wheels with a lidar among walls and boxes."""

    def make_world(self, batch_dim: int, device: Any, **scene: Any) -> Any:  # noqa: ANN401
        self.scene = scene
        half = scene['side'] / 2
        world = core.World(batch_dim, device, dt=scene['dt'], x_semidim=half, y_semidim=half)
        for i in range(len(scene['poses'])):
            lidar = sensors.Lidar(world, angle_start=-torch.pi / 2, angle_end=torch.pi / 2,
                                  n_rays=scene['beams'], max_range=scene['range'],
                                  entity_filter=lambda _: True)
            world.add_agent(core.Agent(f'robot_{i}', shape=core.Sphere(scene['radius']),
                                       dynamics=DiffDrive(world), sensors=[lidar]))
        for i, (_, _, width, height) in enumerate(scene['boxes']):
            world.add_landmark(core.Landmark(f'box_{i}', shape=core.Box(width, height),
                                             collide=True))
        for i in range(4):
            world.add_landmark(core.Landmark(f'wall_{i}', shape=core.Line(scene['side']),
                                             collide=True))
        return world

    def reset_world_at(self, env_index: int | None = None) -> None:
        half = self.scene['side'] / 2

        def put(entity: Any, x: float, y: float, yaw: float) -> None:  # noqa: ANN401
            entity.set_pos(torch.tensor([x, y], dtype=torch.float32), batch_index=env_index)
            entity.set_rot(torch.tensor([yaw], dtype=torch.float32), batch_index=env_index)

        for agent, (x, y, yaw) in zip(self.world.agents, self.scene['poses'], strict=True):
            put(agent, x - half, y - half, yaw)
        boxes, walls = self.world.landmarks[:-4], self.world.landmarks[-4:]
        for box, (x, y, _, _) in zip(boxes, self.scene['boxes'], strict=True):
            put(box, x - half, y - half, 0.0)
        for wall, (x, y, yaw) in zip(walls, ((0, -half, 0), (0, half, 0), (-half, 0, torch.pi / 2),
                                             (half, 0, torch.pi / 2)), strict=True):
            put(wall, x, y, yaw)

    def observation(self, agent: Any) -> Any:  # noqa: ANN401
        return agent.sensors[0].measure()

    def reward(self, agent: Any) -> Any:  # noqa: ANN401
        return torch.zeros(self.world.batch_dim)


def main() -> int:
    """Measure the scene."""
    scene = json.load(sys.stdin)
    torch.set_num_threads(1)
    worlds, seconds = scene.pop('worlds'), scene.pop('seconds')
    env = Environment(Arena(), num_envs=worlds, device='cpu', continuous_actions=True, seed=0,
                      **scene)
    robots = len(scene['poses'])
    action = [torch.full((worlds, 2), 0.5) for _ in range(robots)]
    seen = env.step(action)[0]
    if seen[0].shape != (worlds, scene['beams']) or not (seen[0] < scene['range']).any():
        raise SystemExit('a lidar of VMAS sees nothing')
    steps, used = 0, time.process_time()
    end = time.perf_counter() + seconds
    while steps < 3 or time.perf_counter() < end:
        env.step(action)
        steps += 1
    used = time.process_time() - used
    print(json.dumps({'robot_steps_per_cpu_s': worlds * robots * steps / used}))
    return 0


if __name__ == '__main__':
    sys.exit(main())
