"""The executable `sbot_sim` without a graph: what is loaded before a run."""

from pathlib import Path

import pytest
from children import python

from sbot.scenario.assemble import simulation_parameters
from sbot.scenario.load import parse_scenario
from sbot_sim.engine.simulation import Engine
from sbot_sim.ros.run_control import Inbox

simulator = pytest.importorskip('sbot.ros.simulator', exc_type=ImportError)
pytestmark = [pytest.mark.forked, pytest.mark.ros]

# Prints how many compiled functions are loaded after the rehearsals, and how many after two ticks.
LOADED = """
import gc, sys
import numpy as np
from numba.core.dispatcher import Dispatcher
from sbot.ros.simulator import _preload
from sbot.runner.summary import Tally
from sbot.scenario import assemble
from sbot.runner.loop import broadcast_options
from sbot.scenario.load import load_scenario
from sbot_sim.engine.simulation import Engine
from sbot_sim.messages.broadcast import Broadcast

def loaded():
    return sum(len(found.overloads) for found in gc.get_objects() if isinstance(found, Dispatcher))

scenario = load_scenario(sys.argv[1])
parameters = assemble.simulation_parameters(scenario)
source = assemble.wind_source(scenario)
source.at(1)  # another process does this
_preload(scenario, parameters)
engine = Engine(parameters, assemble.initial_poses(scenario), scenario.seed)
broadcast = Broadcast(parameters, broadcast_options(scenario))
tally = Tally(scenario, parameters)
commands = np.zeros((len(scenario.robots), 3))  # controllers are other processes
print(loaded())
for k in range(2):
    stamp_ns = scenario.rate.stamp_ns(k)
    engine.sense_wind(source.at(stamp_ns))
    list(broadcast.snapshot(engine.snapshot, stamp_ns))
    tally.add(engine.snapshot)
    engine.advance(commands, source.at(stamp_ns), engine.snapshot.rab_data)
print(loaded())
"""


@pytest.mark.forked(False)
@pytest.mark.parametrize('scenario', ['leader_follower', 'rooms'])
def test_the_first_ticks_load_no_machine_code(scenario):
    done = python('-c', LOADED, scenario)
    assert done.returncode == 0, done.stderr
    before, after = map(int, done.stdout.split())
    assert 0 < before == after


@pytest.mark.parametrize('drive', ['wheels', 'omnidirectional'])
def test_a_rehearsal_gives_commands_of_the_width_that_robots_read(monkeypatch, drive):
    scenario = parse_scenario(f"""\
        world: {{bounds: [0, 0, 4, 4]}}
        bodies: {{own: {{radius: 0.1, drive: {drive}}}}}
        robots: [{{pose: [1, 1, 0], body: own, controller: none}},
                 {{pose: [2, 1, 0], controller: none}}]
        """, 'x', Path.cwd())
    given = []
    advance = Engine.advance
    monkeypatch.setattr(Engine, 'advance', lambda self, *inputs: (
        given.append(inputs), advance(self, *inputs)))
    simulator._preload(scenario, simulation_parameters(scenario))
    received = Inbox(2)  # what the node gives in a run
    assert len(given) == 2
    for command, _, rab_data in given:
        assert command.shape == received.commands.shape == (2, 3)
        assert rab_data.shape == received.rab_data.shape


@pytest.mark.parametrize('factor', ['1.0e-300', '.inf'])
def test_a_real_time_factor_that_no_timer_keeps_to_is_refused(factor):
    done = python('-c',
                  'import sys; from sbot.ros.executables import run; sys.exit(run("sbot_sim"))',
                  '--ros-args', '-p', 'scenario:=single_robot', '-p',
                  f'target_real_time_factor:={factor}')
    assert done.returncode == 2, done.stderr
    assert 'Traceback' not in done.stderr
    assert 'target_real_time_factor' in done.stderr.strip().splitlines()[-1]
