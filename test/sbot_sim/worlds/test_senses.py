"""Records of the sensors that compiled phases simulate: one list for tick, snapshot and worlds."""

import numpy as np
import pytest

import sbot
from sbot.scenario import assemble
from sbot.worlds.observation import Observations
from sbot_sim.engine.simulation import snapshot_of, world_of
from sbot_sim.engine.state import Snapshot
from sbot_sim.sensors.registry import sensors
from sbot_sim.worlds.batch import Phase
from sbot_sim.worlds.senses import infrared, odometry, registry, scan
from sbot_sim.worlds.senses.registry import simulated
from sbot_sim.worlds.state import Worlds

S_BOTS = {'world': {'bounds': [0, 0, 4, 4]}, 'duration': 1.0, 'rate': 10,
          'robots': [{'body': 's-bot', 'pose': [1.0, 1.0, 0.3], 'controller': 'none'},
                     {'body': 's-bot', 'pose': [1.2, 1.0, 0.0], 'controller': 'none'}]}


def world(**settings):
    parameters = assemble.simulation_parameters(sbot.load({**S_BOTS, 'sensors': settings}))
    return parameters, world_of(parameters)


def phases_of(simulation):
    tick, setting = simulation.tick, simulation.setting
    return [*tick.sensing_wind(setting), *tick.advancing(setting), *tick.sensing(setting)]


def test_a_sensor_has_a_kernel_or_a_record_of_phases():
    of_phases = {each.name for each in simulated()}
    apart = {'neighbours'}  # ``Tick.hearing``: a run hears in Python, worlds in a phase
    assert of_phases | apart == {name for name, each in sensors().items() if each.kernel is None}
    assert [each.name for each in simulated()] == [
        name for name in sensors() if name in of_phases]  # as their messages


def test_arrays_and_fields_are_those_of_worlds_snapshots_and_observations():
    for each in simulated():
        assert set(each.arrays) <= set(Observations._fields)
        assert set(each.arrays.values()) <= set(Worlds._fields)
    copied = {name for each in simulated() for name in each.arrays.values()}
    assert copied - {'observed_wind'} <= set(Snapshot._fields)


@pytest.mark.parametrize(('settings', 'has', 'lacks'), [
    ({}, [odometry.measure_odometry, scan.scan, scan.add_noise],
     [scan.mount_lasers, scan.scan_rectangles, infrared.read_infrared]),
    ({'laser_x': 0.1}, [scan.mount_lasers, scan.scan], []),
    ({'infrared': True}, [scan.scan, infrared.read_infrared], [])])
def test_a_tick_has_the_phases_of_what_robots_have(settings, has, lacks):
    phases = phases_of(world(**settings)[1])
    assert [phase for phase in has if phase not in phases] == []
    assert [phase for phase in lacks if phase in phases] == []


def test_a_sensor_that_nobody_asked_for_has_no_phases():
    scenario = sbot.load({**S_BOTS, 'sensors': {'scan_beams': 8, 'infrared': True}})
    wanted = {each.name: set(phases_of(sbot.Worlds(scenario, sense=[each.name]).simulation))
              for each in simulated()}
    none = set(phases_of(sbot.Worlds(scenario, sense=[]).simulation))
    own = {name: {phase.function.__name__ for phase in phases - none if isinstance(phase, Phase)}
           for name, phases in wanted.items()}
    assert own == {'scan': {'scan', 'add_noise'}, 'infrared': {'read_infrared'},
                   'odometry': {'measure_odometry'}, 'twist': {'update_twists'},
                   'wind': {'add_forces'}}


def test_a_snapshot_copies_and_observations_show_readings_alone():
    parameters, simulation = world(scan_beams=8, infrared=True)
    state = simulation.state
    state.infrared[..., 0], state.infrared[..., 1] = 3.0, 5.0
    snapshot = snapshot_of(simulation, sensed_wind=True)
    state.infrared[:] = 0.0
    assert snapshot.infrared[..., 1].tolist() == [[5.0] * 15] * 2
    of_infrared = next(each for each in simulated() if each.name == 'infrared')
    state.infrared[..., 1] = 7.0
    shown = of_infrared.observed(state)['infrared']
    assert np.shares_memory(shown, state.infrared)
    assert shown.tolist() == [[7.0] * 15] * 2
    assert of_infrared.has(parameters.sensors)
    assert not of_infrared.has(world(scan_beams=8)[0].sensors)


def test_a_module_that_is_no_sensors_is_an_error(monkeypatch):
    """It would otherwise be left out, and its sensor would not be simulated."""
    known = {name: sensor for name, sensor in sensors().items() if name != 'odometry'}
    monkeypatch.setattr(registry, 'sensors', lambda: known)
    with pytest.raises(LookupError, match=r'^sbot_sim\.worlds\.senses: odometry: no sensor has '
                       'this name$'):
        registry.simulated.__wrapped__()
