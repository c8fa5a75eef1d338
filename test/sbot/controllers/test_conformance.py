"""What holds for every controller: same bits everywhere, fresh after a reset, nothing unnamed."""

import importlib.util
import math
import os
import sys

import numpy as np
import pytest
import yaml
from every_controller import INSTALLED, OWN, Case, cases, fields_of
from over_nodes import check_nodes

import sbot
from sbot.bag.reader import Bag
from sbot.bag.ticks import ticks
from sbot.controllers.registry import entry_of, shipped
from sbot.regression.replay import _Controllers, replay
from sbot.runner import loop
from sbot.scenario.load import parse_scenario
from sbot_common import controlled_robot
from sbot_common.errors import InputError
from sbot_common.observation import Observation, make_observation

pytestmark = pytest.mark.forked

EVERY = cases()
IDS = [case.name for case in EVERY]
each = pytest.mark.parametrize('case', EVERY, ids=IDS)
# Known to every controller; the others are sensed.
ALWAYS = {'robot_id', 'num_robots', 'tick', 'stamp_ns', 'dt', 'poses', 'goal', 'scan_heading'}
SETTING = """
duration: 1.5
rate: 20
seed: 7
world: {bounds: [0, 0, 16, 12], circles: [{center: [10.3, 6], radius: 0.6}]}
sensors: {infrared: true, infrared_noise: 0.1, range_and_bearing: true, scan_sees_robots: true,
          scan_noise_std: 0.01}
wind: {wind_speed_mean: 0.1, wake: true}
"""


def scenario_of(folder, *robots: Case, goals=True, **overrides):
    """A scenario with a robot a case, on a grid; its text is what a file would hold."""
    entries = []
    for i, case in enumerate(robots):
        x, y = 1.5 + 1.6 * (i % 5), 1.5 + 1.5 * (i // 5)
        entries.append({'pose': [x, y, 0.3 * i], 'controller': case.name,
                        'parameters': case.parameters})
        if goals or i == 0 or case.needs_goal:
            entries[-1]['goal'] = [14.0 - x, 10.5 - y]
    text = yaml.safe_dump({**yaml.safe_load(SETTING), 'robots': entries})
    return parse_scenario(text, 'scenario', folder, overrides=overrides)


def run_of(scenario, **options):
    return sbot.run(scenario, **options)


def same_bits(one, other):
    return (one.poses.tobytes() == other.poses.tobytes()
            and one.commands.tobytes() == other.commands.tobytes())


def test_every_entry_is_among_the_cases():
    tried = {entry_of(case.name).name for case in EVERY if case.name not in INSTALLED}
    expected = {entry.name for entry in shipped() if not entry.outside}
    if importlib.util.find_spec('navground') is None:
        expected.remove('navground:')
    assert tried == expected


@each
def test_a_run_and_its_replay_give_the_same_bits_again(every_controller, case, tmp_path):
    scenario = scenario_of(every_controller, case, case, case)
    one = run_of(scenario, record=tmp_path / 'bag')
    assert same_bits(one, run_of(scenario))
    assert np.ptp(one.poses[:, :, :2], axis=0).max() > 0.05
    result = replay(Bag(tmp_path / 'bag'))  # the node's class, without ROS
    assert result.equal, result.first
    assert result.commands == 3 * result.ticks


@each
def test_a_reset_gives_a_fresh_one(every_controller, case, tmp_path):
    scenario = scenario_of(every_controller, case, case)
    run_of(scenario, record=tmp_path / 'bag')
    bag = Bag(tmp_path / 'bag')
    replayed = _Controllers(bag, scenario)
    found = list(ticks(bag, 2, scenario.rate, replayed.topics, replayed.commands))
    first = [replayed.decide(tick) for tick in found]
    if case.name == OWN:  # it remembers and draws: without a reset it is another one
        assert [replayed.decide(tick) for tick in found] != first
    again = [replayed.decide(tick._replace(restarted=k == 0)) for k, tick in enumerate(found)]
    assert again == first


@each
def test_nothing_is_read_that_its_entry_does_not_name(every_controller, case, monkeypatch):
    read = set()

    class Spy(Observation):
        def __getattribute__(self, name):
            read.add(name)
            return super().__getattribute__(name)

    monkeypatch.setattr(controlled_robot, 'make_observation',
                        lambda *arguments: Spy(*make_observation(*arguments)))
    run_of(scenario_of(every_controller, case, case, goals=False))
    sensed = (read & set(Observation._fields)) - ALWAYS
    assert sensed <= fields_of(case)
    if case.name == OWN:  # the spy does see
        assert sensed == fields_of(case)


BATCHED = [entry.name for entry in shipped() if entry.batch is not None]


@pytest.mark.parametrize(('followers', 'others'), [(1, False), (9, False), (9, True)],
                         ids=['one', 'alone', 'among others'])
@pytest.mark.parametrize('name', BATCHED)
def test_a_batch_gives_the_bits_of_each_alone(every_controller, name, followers, others,
                                              monkeypatch):
    robots = [Case(name, {})] * (1 + followers)
    if others:
        robots = [robots[0], *(case for other in EVERY for case in (other, robots[0]))]
    scenario = scenario_of(every_controller, *robots, goals=False)
    sizes = []
    made = loop._batches
    monkeypatch.setattr(loop, '_batches', lambda *arguments: [
        sizes.append(len(batch[0])) or batch for batch in made(*arguments)])
    together = run_of(scenario)
    assert sizes
    assert max(sizes) >= followers
    monkeypatch.setattr(loop, '_batches', lambda *_: [])
    assert same_bits(together, run_of(scenario))


def bad_values(spec):
    """Values that a parameter does not take."""
    yield {}
    if isinstance(spec.default, bool):
        yield 3
    elif isinstance(spec.default, int | float):
        yield from ('x', math.nan, True)
        yield from (limit for limit, good in (
            (spec.minimum - 1, spec.minimum > -math.inf),
            (spec.maximum + 1, spec.maximum < math.inf)) if good)
        if spec.open_minimum:
            yield spec.minimum
    elif isinstance(spec.default, str):
        yield 3
        if spec.choices:
            yield 'no such choice'


@each
def test_parameters_outside_their_limits_are_one_line(every_controller, case):
    entry = entry_of(case.name)
    wrong = [('no_such_parameter', 1)]
    wrong += [(spec.name, value) for spec in entry.specs for value in bad_values(spec)]
    wrong += [(path, 'no_such_file.json') for path in entry.paths]
    for name, value in wrong:
        bad = Case(case.name, {**case.parameters, name: value})
        with pytest.raises(InputError) as caught:
            scenario_of(every_controller, bad)
        said = str(caught.value)
        assert 'robots.0' in said, said
        assert name in said, said
        assert '\n' not in said
    scenario_of(every_controller, case)


@pytest.mark.ros
def test_all_in_one_run_over_ros(every_controller, tmp_path):
    scenario = scenario_of(every_controller, *EVERY)
    run = run_of(scenario, record=tmp_path / 'bag')
    (every_controller / 'all.yaml').write_text(scenario.to_yaml())
    check_nodes('up --composed', every_controller / 'all.yaml',
                (run, Bag(tmp_path / 'bag')), tmp_path,
                {**os.environ, 'PYTHONPATH': os.pathsep.join(sys.path)})
