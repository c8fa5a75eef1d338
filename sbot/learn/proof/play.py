"""Episodes of a task's scenes under a policy, random actions, or a controller of runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from neural_controller.function_policy import FunctionPolicy
from neural_controller.inputs import field_of
from neural_controller.network import Network
from neural_controller.outputs import WHEELS
from sbot.api.functions import run
from sbot.api.worlds import Worlds
from sbot.learn.task import Floats
from sbot.learn.tasks.entry import Entry, Scene, Track

KEPT = ('pose', 'command', 'collided')


def worlds_of(entry: Entry, seeds: Sequence[int], threads: int = 1) -> Worlds:
    """Return a world for each seed: the task's scenario of it."""
    scene = entry.make_scene()
    return Worlds([scene.scenario(seed) for seed in seeds], seeds=list(seeds),
                  sense=senses(scene), threads=threads)


def senses(scene: Scene) -> list[str]:
    """Return the readings of the robots of a scene."""
    fields = (field_of(name) for name in scene.inputs)
    return [field for field in fields if field is not None]


def play(entry: Entry, seeds: Sequence[int], policy: Network | FunctionPolicy, weights: Floats,
         threads: int = 1) -> Track:
    """Return the episodes of seeds under a policy with weights (W,)."""
    worlds = worlds_of(entry, seeds, threads)
    return episode(entry, worlds, policy, weights, _goals(worlds))


def episode(entry: Entry, worlds: Any, policy: Network | FunctionPolicy,  # noqa: ANN401
            weights: Floats, goals: Floats) -> Track:
    """Return the episode of worlds at their tick 0; weights (W,) or (K, W), goals (K, N, 2) m."""
    ticks = round(worlds.scenarios[0].duration / worlds.dt)
    begin = worlds.observe().boxes
    keep = [*KEPT, *['infrared'] * entry.infrared]
    aimed = None if np.isnan(goals).any() else goals
    kept = worlds.run(policy, weights, ticks, goals=aimed, keep=keep)
    end = worlds.observe().boxes
    return Track(kept.pose, kept.command, kept.collided, kept.infrared, goals,
                 _begin_and_end(begin, end), worlds.dt)


def play_randomly(entry: Entry, seeds: Sequence[int]) -> Track:
    """Return the episodes of seeds under actions that are drawn at each decision of the task."""
    worlds, scene = worlds_of(entry, seeds), entry.make_scene()
    rng = np.random.default_rng([1, *seeds])
    rows: list[Any] = []
    seen = worlds.observe()
    begin = seen.boxes
    for tick in range(round(scene.seconds / worlds.dt)):
        if tick % scene.hold == 0:
            commands = _commands(scene, rng.uniform(-1.0, 1.0, (*seen.pose.shape[:2], 2)))
        rows.append((seen.pose, commands, seen.collided, seen.infrared))
        seen = worlds.step(commands)
    pose, command, collided, infrared = zip(*rows, strict=True)
    return Track(np.array(pose), np.array(command), np.array(collided),
                 None if infrared[0] is None else np.array(infrared), _goals(worlds),
                 _begin_and_end(begin, seen.boxes), worlds.dt)


def play_runs(entry: Entry, seeds: Sequence[int], controller: str,
              parameters: Mapping[str, Any]) -> Track:
    """Return the episodes of seeds as ``sbot.run`` gives them with a controller."""
    scene = entry.make_scene()
    runs = [run(scene.scenario(seed, controller, parameters), hashed=False, overlaps=False,
                sense=[name for name in senses(scene) if name == 'infrared'])
            for seed in seeds]
    ticks = round(scene.seconds / runs[0].scenario.rate.dt)
    goals = np.array([[robot.goal or (np.nan, np.nan) for robot in each.scenario.robots]
                      for each in runs])
    infrared = [each.infrared for each in runs]
    boxes = [each.boxes for each in runs if each.boxes is not None]
    return Track(
        np.stack([each.poses[:ticks] for each in runs], axis=1),
        np.stack([each.commands[:ticks] for each in runs], axis=1),
        np.stack([each.collided[:ticks] for each in runs], axis=1),
        None if infrared[0] is None else np.stack([each[:ticks] for each in infrared], axis=1),
        goals, np.stack([np.stack([each[0], each[-1]]) for each in boxes], axis=1)
        if boxes else None, runs[0].scenario.rate.dt)


def _commands(scene: Scene, shares: Floats) -> Floats:
    """Return commands (K, N, 3) of actions (K, N, 2) in [-1, 1]."""
    assert scene.max_speed is not None
    assert scene.turn is not None
    a, b = scene.max_speed * shares[..., 0], scene.max_speed * shares[..., 1]
    none = np.zeros_like(a)
    if scene.outputs == WHEELS:
        return np.stack([0.5 * (a + b), none, (b - a) / scene.turn], axis=-1)
    return np.stack([a, none, scene.turn * shares[..., 1]], axis=-1)


def _begin_and_end(begin: Floats | None, end: Floats | None) -> Floats | None:
    """Return boxes at the beginning and the end, (2, K, B, 3); None: there are none."""
    return None if begin is None or end is None else np.stack([begin, end])


def _goals(worlds: Any) -> Floats:  # noqa: ANN401
    return np.array([[robot.goal or (np.nan, np.nan) for robot in scenario.robots]
                     for scenario in worlds.scenarios], np.float64)
