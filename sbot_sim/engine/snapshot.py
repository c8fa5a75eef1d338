"""Snapshot of a world: copies of its arrays, for observers that keep them."""

from __future__ import annotations

import numpy as np

from sbot_sim.engine.many import Simulation
from sbot_sim.engine.state import Snapshot
from sbot_sim.worlds.senses.record import Arrays
from sbot_sim.worlds.senses.registry import simulated


def snapshot_of(worlds: Simulation, sensed_wind: bool) -> Snapshot:
    """Return the snapshot of one world; ``sensed_wind``: with the wind of its tick."""
    state, moving = worlds.state, worlds.tick.moving
    n = worlds.setting.robots
    moved = boxes = obstacles = None
    if moving is not None:
        moved, boxes, centres = state.moved.copy(), state.boxes.copy(), moving.positions()
        obstacles = None if centres is None else centres[0]
    rows: Arrays = {}
    for each in simulated():
        rows |= each.copied(state)
    wind = rows.pop('observed_wind')
    return Snapshot(
        **rows, tick=int(state.tick[0]), pose=state.sent_pose.copy(),
        wind=wind if sensed_wind else np.zeros((n, 2)),
        free_wind=state.observed_free_wind.copy() if sensed_wind else np.zeros((n, 2)),
        updraft=state.updraft.copy() if sensed_wind else np.zeros(n),
        true_pose=state.pose.copy(), heard=worlds.tick.heard(0),
        heard_sent=worlds.setting.sensing.range_and_bearing, rab_data=state.rab_data.copy(),
        collided=state.collided.copy(),
        reverted=state.reverted.copy(),
        readings={name: rows.copy() for name, rows in worlds.tick.fitted.readings.items()},
        moved=moved, obstacles=obstacles,
        boxes=boxes if boxes is not None and len(boxes) else None)
