"""Wake report: wind reductions between robots at one time (document 000 section 6)."""

from __future__ import annotations

from typing import Any

import numpy as np

from sbot.runner.loop import run_scenario
from sbot.scenario.assemble import simulation_parameters, wind_source
from sbot.scenario.model import Scenario
from sbot_common.clock import NANOSECONDS
from sbot_common.errors import bad_value
from sbot_sim.sensors.range_and_bearing import neighbours
from wind_model.wake import advertised_millimetres, clamped_radius, wakes


def wake_report(scenario: Scenario, time: float) -> dict[str, Any]:
    """Run a scenario up to a time (s) and return the terms of all wakes at the tick then.

    Returns
    -------
    ``time_s`` and, in ``robots``, for each robot ``id``, ``wind`` (m/s, not yet reduced), ``r``
    and ``neighbours``: ``id``, ``along`` (m), ``lateral`` (m), ``r_i`` of each robot it hears

    Raises
    ------
    InputError
        if the time is outside the run, or the scenario has no wakes.

    """
    if not scenario.wind.wakes.wake:
        raise bad_value('wind.wake', False, 'true: without it no robot is sheltered')
    if not 0 <= time <= scenario.duration:
        raise bad_value('time', time, f'from 0 to the duration ({scenario.duration:g} s)')
    tick = max(0, scenario.rate.tick(round(time * NANOSECONDS)))
    run = run_scenario(scenario.model_copy(update={
        'duration': max(tick, 1) * scenario.rate.dt}))
    pose = np.ascontiguousarray(run.poses[tick])
    parameters, source = simulation_parameters(scenario), wind_source(scenario)
    sensors = parameters.sensors
    heard = neighbours(pose, sensors.rab_range, sensors.line_of_sight)
    stamp_ns = scenario.rate.stamp_ns(tick)
    push = source.at(stamp_ns).force[:2] * parameters.dt
    wind = run.free_wind[tick] - push / parameters.bodies.mass[:, np.newaxis]
    radius = parameters.bodies.radius
    reductions, terms = wakes(parameters.wake, *heard, np.ascontiguousarray(pose[:, 2]), wind,
                              advertised_millimetres(radius), clamped_radius(radius))
    starts, indexes = heard[:2]
    return {'time_s': stamp_ns / NANOSECONDS, 'robots': [
        {'id': i, 'wind': wind[i].tolist(), 'r': float(reductions[i]), 'neighbours': [
            {'id': int(indexes[p]), 'along': float(terms[p, 0]), 'lateral': float(terms[p, 1]),
             'r_i': float(terms[p, 2])} for p in range(starts[i], starts[i + 1])]}
        for i in range(len(pose))]}
