"""What holds for every controller: ``sbot.testing``, batches, parameters, nodes."""

import importlib.util
import math
import os
import sys

import numpy as np
import pytest
from every_controller import INSTALLED, OWN, Case, cases
from over_nodes import check_nodes

import sbot
from sbot import testing
from sbot.bag.reader import Bag
from sbot.controllers.registry import entry_of, shipped
from sbot.runner import controllers
from sbot.scenario.assemble import simulation_parameters
from sbot.testing import check_controller, fake_observation
from sbot_common.errors import InputError

pytestmark = pytest.mark.forked

EVERY = cases()
IDS = [case.name for case in EVERY]
each = pytest.mark.parametrize('case', EVERY, ids=IDS)


def scenario_of(folder, *robots, **options):
    """A scenario with a robot a case."""
    return testing._swarm([testing._Case(*case) for case in robots], folder, **options)


def test_every_entry_is_among_the_cases():
    tried = {entry_of(case.name).name for case in EVERY if case.name not in INSTALLED}
    expected = {entry.name for entry in shipped() if not entry.outside}
    if importlib.util.find_spec('navground') is None:
        expected.remove('navground:')
    assert tried == expected


@each
def test_it_keeps_what_holds_for_every_controller(every_controller, case):
    check_controller(case.name, case.parameters, folder=every_controller)
    run = sbot.run(scenario_of(every_controller, case, case, case))
    assert np.ptp(run.poses[:, :, :2], axis=0).max() > 0.05


WRONG = {  # what a line of OWN's step becomes
    'two runs with one seed': ('rng.random()', 'Own.drawn.random()'),
    'after a reset': ('self.turned += ', 'self.turned += 0.01 * (observation.tick == 0) * len('
                      'Own.made) + '),
    'ZeroDivisionError': ('math.hypot(*observation.wind)', '1 / 0')}


@pytest.mark.parametrize('words', WRONG)
def test_what_is_wrong_is_one_line(every_controller, words, monkeypatch):
    text = (every_controller / 'every_own.py').read_text().replace(*WRONG[words])
    module = f'wrong_{list(WRONG).index(words)}'
    (every_controller / f'{module}.py').write_text(text.replace(
        'class Own:', 'import numpy\nclass Own:\n    drawn, made = numpy.random.default_rng(), []')
        .replace('self.turned = 0.0', 'self.turned = 0.0\n        Own.made.append(1)'))
    if words == 'after a reset':  # it differs from run to run, too
        monkeypatch.setattr(testing, '_same_run', lambda *_: True)
        monkeypatch.setattr(testing, 'replay', lambda _: type(
            'Good', (), {'equal': True, 'commands': 90, 'ticks': 30, 'first': None}))
    with pytest.raises(AssertionError, match=f'^controller {module}:Own: [^\n]*{words}[^\n]*$'):
        check_controller(f'{module}:Own', folder=every_controller)


def test_fields_that_its_entry_does_not_name_are_one_line(every_controller, monkeypatch):
    monkeypatch.setattr(testing, 'entry_of', lambda name: entry_of(name)._replace(
        fields=('scan', 'wind', 'twist')))
    with pytest.raises(AssertionError, match='reads infrared, neighbours, odometry, which'):
        check_controller(OWN, folder=every_controller)


def test_an_observation_for_tests_has_every_field(every_controller):
    from every_own import Own
    seen = fake_observation(goal=(2.0, 0.0), scan=[0.5] * 8)
    assert Own().step(seen, np.random.default_rng(0))[1] == 0.0
    assert (seen.num_robots, seen.tick, seen.dt, seen.imu.yaw) == (1, 0, 0.1, 0.0)
    assert seen.scan.angle_min + 7 * seen.scan.angle_increment == pytest.approx(math.pi / 2)
    seen = fake_observation(pose=(1.0, 2.0, 0.5), poses=np.zeros((3, 3)), robot_id=1)
    assert seen.poses.tolist() == [[0.0] * 3, [1.0, 2.0, 0.5], [0.0] * 3]
    with pytest.raises(InputError, match="'infrarot'; did you mean 'infrared'"):
        fake_observation(infrarot=3)


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
    assert max(len(ids) for ids, _ in controllers._batches(
        scenario, simulation_parameters(scenario).sensors.lasers, 1)) >= followers
    together = sbot.run(scenario)
    monkeypatch.setattr(controllers, '_batches', lambda *_: [])
    assert testing._same_run(together, sbot.run(scenario))


def bad_values(spec):
    yield {}
    if isinstance(spec.default, bool | str):
        yield 3
    elif isinstance(spec.default, int | float):
        yield from ('x', math.nan, True, *([spec.minimum] * spec.open_minimum), *(
            limit for limit in (spec.minimum - 1, spec.maximum + 1) if math.isfinite(limit)))
    if spec.choices:
        yield 'no such choice'


@each
def test_parameters_outside_their_limits_are_one_line(every_controller, case):
    entry = entry_of(case.name)
    for name, value in (
            ('no_such_parameter', 1), *((path, 'no_such_file.json') for path in entry.paths),
            *((spec.name, value) for spec in entry.specs for value in bad_values(spec))):
        bad = Case(case.name, {**case.parameters, name: value})
        with pytest.raises(InputError, match=rf'\A(?=.*robots\.0)(?=.*{name}).*\Z'):
            scenario_of(every_controller, bad)


@pytest.mark.ros
def test_all_in_one_run_over_ros(every_controller, tmp_path):
    scenario = scenario_of(every_controller, *EVERY)
    run = sbot.run(scenario, record=tmp_path / 'bag')
    (every_controller / 'all.yaml').write_text(scenario.to_yaml())
    check_nodes('up --composed', every_controller / 'all.yaml', (run, Bag(tmp_path / 'bag')),
                tmp_path, {**os.environ, 'PYTHONPATH': os.pathsep.join(sys.path)})
