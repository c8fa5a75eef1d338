"""Infrared of a block of worlds: the phase that reads the sensors."""

from __future__ import annotations

import numpy as np

from sbot_common.compiled.jit import borrowed
from sbot_sim.collision.separation import FEW
from sbot_sim.sensors.infrared.kernel import InfraredView, Readout, sense_rows
from sbot_sim.worlds.batch import Batch, Phase, all_in_view, discs_of_world, shared
from sbot_sim.worlds.senses.record import Simulated
from sbot_sim.worlds.state import Setting, scene_of


@shared
def read_infrared(first: int, end: int, a: int, z: int, batch: Batch) -> None:
    """Read the infrared sensors."""
    setting, worlds = batch.setting, batch.worlds
    n, s, radius = setting.robots, setting.sensing, setting.bodies.radius
    best, ends = np.empty(s.infrared_fan.directions.shape[1]), np.empty(2, np.int32)
    uniform = np.empty(len(best))
    discs = all_in_view(worlds, radius, first * n, end * n, ends)
    scene = scene_of(setting.infrared_scenes, setting.layout[first])
    for k in range(first, end):
        low, high = max(a, k * n), min(z, (k + 1) * n)
        if k > first and setting.layout[k] != setting.layout[k - 1]:
            scene = scene_of(setting.infrared_scenes, setting.layout[k])
        ends[0], ends[1] = (k * n, (k + 1) * n) if s.infrared_sees_robots else (0, 0)
        if s.infrared_sees_robots and n > FEW:
            discs = discs_of_world(worlds.pose, radius, k * n, (k + 1) * n, scene.reach)
            low, high = low - k * n, high - k * n  # by place
        view = InfraredView(borrowed(scene), borrowed(discs), borrowed(worlds.pose),
                            borrowed(radius), borrowed(s.infrared_fan), s.infrared_range)
        readout = Readout(borrowed(s.infrared_table), setting.infrared_noise[k], worlds.seed[k],
                          worlds.tick[k])
        sense_rows(low, high, view, readout, k * n, borrowed(best), borrowed(uniform),
                   borrowed(worlds.infrared))
    ends[0] = 0  # keeps these alive until here
    best[0] = uniform[0] = 0.0


def _seeing(setting: Setting) -> list[Phase]:
    return [read_infrared] if setting.sensing.infrared_fan.beams else []


SIMULATED = Simulated(
    'infrared', {'infrared': 'infrared'}, seeing=_seeing,
    has=lambda sensors: sensors.infrared is not None,
    shown=lambda rows: rows[..., 1])  # a robot gets readings; distances are for messages
