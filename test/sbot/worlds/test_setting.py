"""What worlds of a batch must share."""

import copy
import json
import math
import pickle

import cloudpickle
import numpy as np
import pytest
from every_world import IN_WIND, commands_of
from every_world import PLAIN as EVERY_PLAIN
from every_world import SCENARIOS as EVERY_SCENARIO

import sbot
from sbot.scenario.assemble import initial_poses
from sbot.scenario.shipped import gallery_scenarios, shipped_scenarios
from sbot.worlds.observation import Knowing
from sbot.worlds.setting import Starts, learned_in, tables_of_worlds, winds_of
from sbot_common.errors import InputError
from sbot_sim.engine.many import Simulation

ROBOTS = [{'pose': [0.5 + 0.4 * i, 0.6, 0.3], 'body': 's-bot', 'controller': 'none'}
          for i in range(3)]
ARGUMENTS_PLAIN = {'name': 'plain', 'rate': 10, 'world': {'bounds': [0, 0, 3, 3]},
                   'robots': ROBOTS, 'sensors': {'scan_beams': 9, 'range_and_bearing': True}}
STILL = np.zeros((2, 3, 2))
NETWORK = sbot.network('perceptron', ['pose'])
WEIGHTS = np.zeros(NETWORK.weight_count)


@pytest.fixture
def worlds():
    return sbot.Worlds(ARGUMENTS_PLAIN, 2, seeds=[3, 4])


def state(worlds):
    s = worlds.state
    return [np.array(each) for each in (s.tick, s.pose, s.command, s.rab_next, worlds.seeds,
                                        worlds.start)]


def run(worlds, policy=NETWORK, weights=WEIGHTS, ticks=2, **named):
    return worlds.run(policy, weights, ticks, **named)


@pytest.mark.parametrize(('call', 'words'), [
    *((lambda w, ticks=ticks: w.step(STILL, ticks=ticks), f'ticks: got {ticks}, expected a whole '
       'number from 1 to 10000000') for ticks in (0, math.nan, True, 10**8)),
    (lambda w: w.step(STILL[0]), r"commands: got 'shape \(3, 2\)', expected shape \(2, 3, 2\)"),
    (lambda w: w.step([[[0, 0]], [[0]]]), 'commands: got .* expected an array of numbers'),
    (lambda w: w.step(STILL.astype(str)), 'commands: got array.* expected finite numbers'),
    (lambda w: w.step(STILL, wheels='no'), "wheels: got 'no', expected True or False"),
    (lambda w: w.step(np.ones((2, 3, 2)), data=np.zeros((2, 3, 9), np.uint8)), 'data: got'),
    (lambda w: w.reset([2**63, 1]), r'seeds: got \[9223372036854775808, 1\], expected 2 whole '
                                    'numbers from 0 to 9223372036854775807'),
    (lambda w: w.reset([5, 6], start=np.zeros((2, 3, 3))), 'start of world 0: robot 0'),
    (lambda w: w.reset(start=np.full((3, 3), np.nan)), 'start: got nan'),
    (lambda w: w.reset(start=np.zeros(3)), r"start: got 'shape \(3,\)', expected shape "
                                           r'\(2, 3, 3\) or shape \(3, 3\)'),
    (lambda w: w.reset([5, 6], worlds=[[0], [0, 1]]), 'worlds: got'),
    (lambda w: run(w, policy='network'), "policy: got 'network', expected what sbot.network"),
    *((lambda w, hold=hold: run(w, policy=NETWORK._replace(hold=hold)),
       f'hold: got {hold!r}, expected a whole number from 1 to')
      for hold in (0, 2.5, True)),
    (lambda w: run(w, weights='x'), "weights: got 'x', expected finite numbers"),
    (lambda w: run(w, weights=WEIGHTS[1:]), r"weights: got 'shape \(9,\)'"),
    (lambda w: run(w, goals=np.zeros((2, 2))), r"goals: got 'shape \(2, 2\)'"),
    (lambda w: run(w, goals=[[0, math.inf]] * 3), 'goals: got inf'),
    (lambda w: run(w, policy=sbot.network('perceptron', ['infrared'])),
     "inputs: infrared needs infrared in sense; add 'infrared'"),
    (lambda w: run(w, policy=sbot.network('perceptron', ['scan:999'])),
     r"inputs: got 'scan:999', expected at most scan:\d+"),
    (lambda w: run(w, keep='pose'), "keep: got 'pose', expected a list of any of pose, command"),
    (lambda w: run(w, keep=[[]]), r'keep: got \[\], expected any of')])
def test_what_is_refused_is_named_and_changes_nothing(worlds, call, words):
    before = state(worlds)
    with pytest.raises(InputError, match=f'^{words}'):
        call(worlds)
    for old, new in zip(before, state(worlds), strict=True):
        np.testing.assert_array_equal(old, new)


@pytest.mark.parametrize(('named', 'words'), [
    ({'count': 0}, 'count: got 0, expected a whole number from 1 to 1000000'),
    ({'count': 10**9}, 'count: got 1000000000'), ({'count': 1.0}, 'count: got 1.0'),
    ({'count': np.ones(2)}, 'count: got array'), ({'threads': 10**9}, 'threads: got'),
    ({'sense': 'scan'}, "sense: got 'scan', expected a list"), ({'sense': 1}, 'sense: got 1'),
    ({'sense': [{}]}, 'sense: got {}'), ({'sense': ['smell']}, "sense: got 'smell'"),
    ({'seeds': [-1]}, r'seeds: got \[-1\]'), ({'seed': 2**63 - 1, 'count': 2}, 'seeds: got'),
    ({'controllers': {}}, 'controllers cannot be combined with worlds')])
def test_what_worlds_are_made_of_is_checked(named, words):
    with pytest.raises(InputError, match=f'^{words}'):
        sbot.Worlds(ARGUMENTS_PLAIN, **named)
    if 'seed' not in named and words.startswith(('sense', 'controllers')):
        with pytest.raises(InputError, match=f'^{words}'):
            sbot.World(ARGUMENTS_PLAIN, **named)


@pytest.mark.parametrize('seed', [-1, 2**63, 1.0, 'x'])
def test_a_seed_of_a_single_world_is_a_whole_number(seed):
    world = sbot.World(ARGUMENTS_PLAIN, seed=5)
    with pytest.raises(InputError, match=r'^seed: got .* from 0 to 9223372036854775807'):
        world.reset(seed)
    with pytest.raises(InputError, match=r'^seed: got'):
        sbot.World(ARGUMENTS_PLAIN, seed=seed)
    assert world.worlds.seeds.tolist() == [5]
    world.reset(2**63 - 1)
    assert world.worlds.seeds.tolist() == [2**63 - 1]


@pytest.mark.parametrize('source', [None, 3, len, {1, 2}, np.zeros(2), NotImplemented])
def test_what_is_no_scenario(source):
    with pytest.raises(InputError, match=r'^scenario: got'):
        sbot.Worlds(source)


def test_a_lack_of_memory_is_said(worlds, monkeypatch):
    def none_left(*arguments):
        raise MemoryError
    monkeypatch.setattr('sbot.worlds.many.policy_arrays', none_left)
    with pytest.raises(InputError, match=r'^7 ticks of 2 worlds: need more memory than the mach'):
        run(worlds, ticks=7)
    monkeypatch.setattr('sbot_sim.engine.many.Worlds.make', none_left)
    with pytest.raises(InputError, match=r'^9 worlds of 3 robots: need more memory than'):
        sbot.Worlds(ARGUMENTS_PLAIN, 9)


@pytest.mark.parametrize(('named', 'words'), [
    ({'function': len}, 'function: got'), ({'function': 3}, 'function: got 3'),
    ({'weights': -1}, 'weights: got -1'), ({'weights': 10**12}, 'weights: got'),
    ({'memory': 1.5}, 'memory: got 1.5'), ({'memory': True}, 'memory: got True')])
def test_functions_as_policies(named, words):
    given = {'function': lambda *_: None, 'inputs': ['goal'], 'weights': 2, **named}
    with pytest.raises(InputError, match=f'^{words}'):
        sbot.function_policy(given.pop('function'), given.pop('inputs'), **given)


def scene(**changes):
    return {'rate': 10, 'duration': 1, 'world': {'bounds': [0, 0, 3, 3]},
            'sensors': {'scan_beams': 8, 'scan_range_max': 2, **changes},
            'robots': [{'body': 's-bot', 'pose': [1, 1, 0], 'controller': 'none'}]}


def driven(path, controller='network', **changes):
    robot = {'body': 's-bot', 'pose': [1, 1, 0], 'controller': controller,
             'parameters': {'network' if controller == 'network' else 'policy': str(path)}}
    return {**scene(**changes), 'robots': [robot]}


def constant(inputs, weights, memory, outputs, layers, dt):
    outputs[0] = weights[0]


def saved(path, **given):
    network = sbot.network('perceptron', ['scan:4'])
    sbot.save_network(path, network, np.zeros(network.weight_count), **given)
    return sbot.load_network(path)


def test_only_rate_body_and_the_sensors_of_the_inputs_are_kept(tmp_path):
    network, _ = saved(tmp_path / 'a.json', scenario=scene())
    kept = dict(network.learned_with)
    assert kept['rate'] == 10
    assert kept['body'] == 's-bot'
    assert kept['sensors.scan_beams'] == 8
    assert all(key in ('rate', 'body') or key.startswith(('sensors.scan_', 'sensors.laser_'))
               for key in kept)
    several = learned_in(network, [sbot.load(scene(scan_noise_std=noise)) for noise in (0, 0.1)])
    assert set(kept) - set(dict(several.learned_with)) == {'sensors.scan_noise_std'}
    assert saved(tmp_path / 'b.json')[0].learned_with == ()
    for worlds in (sbot.Worlds(scene(), 3), sbot.World(scene())):
        assert saved(tmp_path / 'c.json', scenario=worlds)[0] == network


@pytest.mark.parametrize('controller', ['network', 'function_policy'])
def test_a_scenario_with_other_values_is_warned_in_one_line(tmp_path, caplog, controller):
    path = tmp_path / 'a.json'
    if controller == 'network':
        saved(path, scenario=scene())
    else:
        policy = sbot.function_policy(constant, ['scan:4'], weights=1)
        sbot.save_policy(path, policy, [0.5], scenario=scene())
        assert dict(sbot.load_policy(path)[0].network.learned_with)['rate'] == 10
    sbot.load(driven(path, controller))
    sbot.load(driven(path, controller, scan_noise_std=0.1))  # as exact as one likes
    assert not caplog.records
    sbot.run(driven(path, controller, scan_beams=180, scan_range_max=4), rate=20)
    [record] = caplog.records
    key = 'network' if controller == 'network' else 'policy'
    assert record.getMessage() == (
        f'scenario: robots.0.parameters.{key}: {path} learned with rate 10 (now 20), '
        'sensors.scan_beams 8 (now 180), sensors.scan_range_max 2 (now 4), so it drives '
        'differently than it learned; give the scenario these values')


def test_worlds_are_warned_once(tmp_path, caplog):
    network, weights = saved(tmp_path / 'a.json', scenario=scene())
    sbot.Worlds(scene(), 2).run(network, weights, 2)
    assert not caplog.records
    worlds = sbot.Worlds(scene(scan_beams=9), 2)
    for _ in range(2):
        worlds.run(network, weights, 2)
    [record] = caplog.records
    assert record.getMessage().startswith(
        'scenario: network learned with sensors.scan_beams 8 (now 9), so it drives differently')


def test_a_table_is_known_by_its_name(tmp_path):
    (tmp_path / 'mine.txt').write_text('\n'.join(str(30 - 0.2 * k) for k in range(151)))
    network = sbot.network()
    sbot.save_network(tmp_path / 'a.json', network, np.zeros(32), scenario=scene(
        infrared=True, infrared_table=str(tmp_path / 'mine.txt')))
    content = json.loads((tmp_path / 'a.json').read_text())
    assert content['learned_with']['sensors.infrared_table'] == 'mine.txt'


def test_a_scenario_without_the_sensors_of_the_network_is_refused(tmp_path):
    with pytest.raises(InputError, match=r'infrared needs sensors\.infrared: true'):
        sbot.save_network(tmp_path / 'a.json', sbot.network(), np.zeros(32), scenario=scene())
    with pytest.raises(InputError, match='scenario: got'):
        saved(tmp_path / 'a.json', scenario=[])


NAMES = [*EVERY_SCENARIO, 'plain']


def worlds_of(name, count=3, seeds=(5, 6, 7), **arguments):
    scenario = {**EVERY_PLAIN, **EVERY_SCENARIO.get(name, {})}
    return sbot.Worlds(scenario, count, seeds=list(seeds), **arguments)


def same(seen, other, k=slice(None), j=slice(None)):
    """Check that all that world k senses of one batch is what world j senses of another."""
    for name, mine in seen._asdict().items():
        theirs = getattr(other, name)
        if name == 'tick' or isinstance(mine, np.ndarray):
            mine, theirs = np.atleast_1d(mine), np.atleast_1d(theirs)
            np.testing.assert_array_equal(mine[k], theirs[j], err_msg=name)
        elif name == 'others':
            assert mine.keys() == theirs.keys()
            for sensor, rows in mine.items():
                np.testing.assert_array_equal(rows[k], theirs[sensor][j], err_msg=sensor)
        elif name == 'neighbours' and mine is not None:
            for a, b in zip(mine, theirs, strict=True):
                np.testing.assert_array_equal(a[k], b[j])
        else:
            assert mine is None
            assert theirs is None


def drive(worlds, steps, rng):
    return [worlds.step(commands_of(rng, worlds)) for _ in range(steps)][-1]


@pytest.mark.parametrize('name', NAMES)
def test_any_world_continues_in_any_world(name):
    worlds, others = worlds_of(name), worlds_of(name, 2, (8, 9))
    rng = np.random.default_rng(3)
    drive(worlds, 4, rng)
    drive(others, 2, rng)
    worlds.wind_velocity[2, :2] = 0.01, 0.02
    state = pickle.loads(pickle.dumps(worlds.save()))
    assert len(state) == 3
    commands = [commands_of(rng, worlds) for _ in range(5)]
    true = [worlds.step(rows) for rows in commands]
    others.restore(state[2], worlds=[0])
    for rows, expected in zip(commands, true, strict=True):
        seen = others.step(rows[[2, 1]])
        same(seen, expected, 0, 2)
    worlds.restore(state[[1, 0]], worlds=np.array([True, False, True]))
    for rows, expected in zip(commands, true, strict=True):
        seen = worlds.step(rows[[1, 1, 0]])
        same(seen, expected, 0, 1)
        same(seen, expected, 2, 0)


@pytest.mark.parametrize('name', NAMES)
@pytest.mark.parametrize('copied', [copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x)),
                                    lambda x: cloudpickle.loads(cloudpickle.dumps(x))],
                         ids=['deepcopy', 'pickle', 'cloudpickle'])
def test_copies_continue_alike(name, copied):
    worlds = worlds_of(name, 2, (5, 6), threads=2)
    drive(worlds, 4, np.random.default_rng(3))
    other = copied(worlds)
    assert type(other) is type(worlds)
    assert other.threads == 2
    same(worlds.observe(), other.observe())
    pairs = [(worlds, np.random.default_rng(4)), (other, np.random.default_rng(4))]
    mine, theirs = [drive(one, 4, rng) for one, rng in pairs]
    same(mine, theirs)
    assert not np.array_equal(worlds.step(np.ones((2, worlds.robots, 2)) * 0.01).pose,
                              other.observe().pose)


def test_one_world_can_be_copied_and_saved():
    world = sbot.World({**EVERY_PLAIN, 'wind': IN_WIND}, seed=4)
    commands = np.full((world.robots, 2), 0.05)
    world.step(commands, ticks=3)
    state, others = world.save(), [copy.deepcopy(world), pickle.loads(pickle.dumps(world))]
    expected = world.step(commands, ticks=3)
    for other in others:
        same(other.step(commands, ticks=3), expected)
    world.restore(state)
    same(world.step(commands, ticks=3), expected)
    many = worlds_of('plain')
    many.restore(state)  # all of them
    assert np.array_equal(many.step(np.tile(commands, (3, 1, 1)), ticks=3).pose[2], expected.pose)


def test_a_world_takes_over_the_scenario_of_another():
    empty = {**EVERY_PLAIN, 'world': {'bounds': [0, 0, 3, 3]}}
    worlds, others = worlds_of('plain', 2, (5, 6)), sbot.Worlds(empty, 2, seeds=[7, 8])
    drive(worlds, 3, np.random.default_rng(3))
    kept = others.step(np.full((2, 4, 2), 0.03))
    seen = others.restore(worlds.save([1]), worlds=[0])
    same(seen, worlds.observe(), 0, 1)
    same(seen, kept, 1, 1)
    commands = np.full((2, 4, 2), 0.1)
    same(others.step(commands, ticks=9), worlds.step(commands, ticks=9), 0, 1)
    assert others.scenarios[1].world != others.scenarios[0].world
    others.reset()
    assert others.seeds.tolist() == [6, 8]


BODIES = {'plain': {}, 'inert': {'max_acceleration': 0.1}, 'late': {'command_delay': 0.3},
          'later': {'command_delay': 0.5, 'max_acceleration': 0.2},
          'omni': {'drive': 'omnidirectional'}}
NOISY = {'odometry_noise_slip': 0.02, 'odometry_noise_radius': 0.01}
VARIANTS = {name: sbot.load({**EVERY_PLAIN, 'sensors': NOISY, 'bodies': {'s-bot': body}})
            for name, body in BODIES.items()}


@pytest.mark.parametrize(('among', 'into'), [
    (['plain'], ['plain', 'inert']), (['plain', 'inert'], ['plain']),
    (['inert'], ['plain', 'plain']), (['late'], ['plain', 'later']),
    (['late', 'later'], ['late', 'inert']), (['later'], ['inert', 'late']),
    (['plain', 'omni'], ['plain']), (['plain'], ['inert', 'omni']), (['omni'], ['plain', 'late'])])
def test_a_world_continues_whatever_others_its_batches_have(among, into):
    worlds = sbot.Worlds([VARIANTS[name] for name in among], seeds=range(5, 5 + len(among)))
    others = sbot.Worlds([VARIANTS[name] for name in into], seeds=range(8, 8 + len(into)))
    alone = None if len(into) < 2 else sbot.World(VARIANTS[into[1]], seed=9)
    rng = np.random.default_rng(3)
    for _ in range(8):
        worlds.step(rng.uniform(0.0, 0.1, (len(among), 4, 2)))
        commands = rng.uniform(0.0, 0.1, (len(into), 4, 2))
        others.step(commands)
        if alone:
            alone.step(commands[1])
    same(others.restore(worlds.save([0]), worlds=[0]), worlds.observe(), 0, 0)
    for _ in range(8):
        mine, theirs = rng.uniform(0.0, 0.1, (2, 4, 2))
        expected = worlds.step(np.stack([mine, theirs][:len(among)]))
        seen = others.step(np.stack([mine, theirs][:len(into)]))
        same(seen, expected, 0, 0)
        if alone:
            np.testing.assert_array_equal(seen.pose[1], (kept := alone.step(theirs)).pose)
            np.testing.assert_array_equal(seen.odometry[1], kept.odometry)


@pytest.mark.parametrize(('name', 'change', 'words'), [
    ('wind', lambda rows: rows[:, :2], r"state: got 'wind of \(2, 2\)', expected wind of"),
    ('rab_data', None, "state: got 'rab_data missing', expected rab_data of"),
    ('dust', lambda _: np.ones((1, 4)), "state: got 'an array dust', expected the arrays of")])
def test_a_state_with_other_arrays_changes_nothing(name, change, words):
    worlds, others = sbot.Worlds([VARIANTS['plain']], 2), sbot.World(VARIANTS['inert'])
    others.step(np.ones((4, 2)))
    state = others.save()
    rows = state.arrays.pop(name, None)
    if change:
        state.arrays[name] = change(rows)
    before, scenarios, seeds = worlds.observe(), list(worlds.scenarios), worlds.seeds.copy()
    with pytest.raises(InputError, match=f'^{words}'):
        worlds.restore(state, worlds=[1])
    same(worlds.observe(), before)
    assert worlds.scenarios == scenarios
    assert worlds.seeds.tolist() == seeds.tolist()
    same(worlds.step(np.ones((2, 4, 2))), sbot.Worlds([VARIANTS['plain']], 2).step(
        np.ones((2, 4, 2))))


def test_worlds_that_are_all_replaced_may_have_other_sensors():
    one, other = ({**EVERY_PLAIN, 'sensors': {'scan_beams': beams}} for beams in (7, 19))
    worlds, others = sbot.Worlds(one, 2), sbot.Worlds(other, 2, seeds=[3, 4])
    others.step(np.full((2, 4, 2), 0.05))
    seen = worlds.restore(others.save())
    assert seen.scan.shape == (2, 4, 19)
    same(seen, others.observe())
    same(worlds.step(np.full((2, 4, 2), 0.05)), others.step(np.full((2, 4, 2), 0.05)))


@pytest.mark.parametrize(('call', 'words'), [
    (lambda w: w.restore('x'),
     r"state: got 'x', expected a state that save\(\) of such worlds returned"),
    (lambda w: w.restore(w.save([0, 1])), "state: got '2 worlds', expected 1 or 3"),
    (lambda w: w.restore(w.save(), worlds=[0]), "state: got '3 worlds', expected 1 or 1"),
    (lambda w: w.restore(worlds_of('plain', sense=['scan']).save()), "state: got 'sense scan'"),
    (lambda w: w.restore(worlds_of('omnidirectional').save()), "state: got '5 robots', expected "),
    (lambda w: w.save([9]), r'worlds: got \[9\]')])
def test_another_state_is_refused(call, words):
    worlds = worlds_of('plain')
    before = worlds.observe()
    with pytest.raises(InputError, match=f'^{words}') as caught:
        call(worlds)
    assert '\n' not in str(caught.value)
    same(worlds.observe(), before)


PLAIN = {'name': 'plain', 'world': {'bounds': [0, 0, 4, 4]},
         'robots': [{'pose': [1, 1, 0], 'body': 's-bot', 'controller': 'none'}]}
HERE = {'center': [3, 3], 'size': [0.3, 0.2], 'mass': 1.0}


@pytest.mark.parametrize(('other', 'words'), [
    ({'rate': 20}, 'rate: got'),
    ({'sensors': {'imu': True}}, 'imu: got False and True'),
    ({'sensors': {'gnss': True}}, 'gnss: got False and True'),
    ({'world.boxes': [HERE]}, r'obstacles that move: got \(0, 0\) and \(0, 1\)'),
    ({'wind': {'effective_wind_function': 'math:hypot'}}, 'hooks: got'),
    ({'wind': {'wind_height_above_terrain': 1.0}}, 'wind_height: got')])
def test_what_differs_and_must_not_is_named(other, words):
    with pytest.raises(InputError, match=f'worlds of one batch: {words}.* expected the same'):
        sbot.Worlds([sbot.load(PLAIN), sbot.load(PLAIN, **other)])


def test_worlds_take_every_shipped_scenario():
    """What a run accepts; tables, phases and starts, without compiling them."""
    files = [*shipped_scenarios().values(), *gallery_scenarios().values()]
    assert len(files) > 15
    for path in files:
        scenario = sbot.load(path)
        tables = tables_of_worlds([scenario] * 2)
        parameters = [table.parameters for table in tables]
        batch = Simulation(parameters, winds_of(tables), ['scan', 'wind'], lambda k, seed: None)
        assert batch.tick.advancing(batch.setting)
        assert batch.tick.sensing(batch.setting)
        Knowing([scenario] * 2, batch.state)
        assert Starts(scenario)(np.array([3, 3])).shape[1:] == (len(scenario.robots), 3)


WALLED = {'rate': 10, 'world': {'bounds': [0, 0, 4, 4],
                                'circles': [{'center': [2, 2], 'radius': 0.3}]}}
SCENARIOS = {
    'discs': {**WALLED, 'robots': [{'count': 5, 'body': 's-bot', 'controller': 'none'}]},
    'rectangles among discs': {
        **WALLED, 'bodies': {'brick': {'like': 's-bot', 'length': 0.2, 'width': 0.1,
                                       'offset': 0.02}},
        'robots': [{'pose': [1, 1, 0], 'body': 's-bot', 'controller': 'none'},
                   {'count': 3, 'body': 'brick', 'controller': 'none', 'area': [0, 0, 2, 4]},
                   {'count': 2, 'body': 's-bot', 'controller': 'none', 'yaw_uniform': [0, 1],
                    'position_gaussian': [3, 3, 0.3, 0.2]}]},
    'headings of a grid': {**WALLED, 'robots': [
        {'count': 3, 'area': [0, 0, 4, 1], 'layout': 'grid', 'body': 's-bot', 'controller': 'none',
         'yaw_uniform': [0, 1]}]},
    'shipped': 'sbot_aggregation'}


@pytest.mark.parametrize('name', SCENARIOS)
def test_starts_are_those_of_a_loaded_scenario(name):
    seeds = np.array([3, 4, 2**40])
    starts = Starts(sbot.load(SCENARIOS[name]))(seeds)
    assert (starts[0] != starts[1]).any()
    for seed, poses in zip(seeds.tolist(), starts, strict=True):
        np.testing.assert_array_equal(poses, initial_poses(sbot.load(SCENARIOS[name], seed=seed)))


def test_where_nothing_is_drawn_every_seed_has_the_same_poses():
    starts = Starts(sbot.load({**WALLED, 'robots': [
        {'pose': [1, 3, 1], 'controller': 'none'},
        {'count': 2, 'area': [0, 0, 4, 1], 'layout': 'grid', 'controller': 'none'}]}))
    poses = starts(np.array([5, 0]))
    assert len(poses) == 1
    assert poses[0, 0].tolist() == [1.0, 3.0, 1.0]
