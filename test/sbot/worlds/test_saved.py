"""State of worlds as a value: saved, restored into any world, pickled, copied, to the bit."""

import copy
import pickle

import cloudpickle
import numpy as np
import pytest
from every_world import IN_WIND, PLAIN, SCENARIOS, commands_of

import sbot
from sbot_common.errors import InputError

NAMES = [*SCENARIOS, 'plain']


def worlds_of(name, count=3, seeds=(5, 6, 7), **arguments):
    scenario = {**PLAIN, **SCENARIOS.get(name, {})}
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
    world = sbot.World({**PLAIN, 'wind': IN_WIND}, seed=4)
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
    empty = {**PLAIN, 'world': {'bounds': [0, 0, 3, 3]}}
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
VARIANTS = {name: sbot.load({**PLAIN, 'sensors': NOISY, 'bodies': {'s-bot': body}})
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
    one, other = ({**PLAIN, 'sensors': {'scan_beams': beams}} for beams in (7, 19))
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


def test_a_state_of_other_sensors_is_refused():
    worlds = worlds_of('plain', sense=['scan'])
    other = sbot.Worlds({**PLAIN, 'sensors': {**PLAIN['sensors'], 'scan_beams': 7}}, 1,
                        sense=['scan'])
    with pytest.raises(InputError, match='worlds of one batch: laser: got'):
        worlds.restore(other.save(), worlds=[1])
