"""Worlds have all that a run has: every bit of every world, for any number of worlds, threads."""

import numpy as np
import pytest
from every_world import IN_WIND, PLAIN, SCENARIOS, commands_of

import sbot
import sbot.learn
from sbot.scenario import assemble
from sbot_sim.engine.simulation import Engine
from sbot_sim.world.moving import as_sent

TICKS = 12


def alone(scenario, seed):
    own = sbot.load(scenario, seed=seed)
    return Engine(assemble.simulation_parameters(own), assemble.initial_poses(own), seed)


def check(worlds, seen, k, engine):
    snapshot, rows = engine.snapshot, slice(k * worlds.robots, (k + 1) * worlds.robots)
    pairs = {'pose': snapshot.pose, 'scan': snapshot.ranges, 'odometry': snapshot.odometry,
             'odometry_twist': snapshot.odometry_twist, 'twist': snapshot.twist,
             'wind': snapshot.wind, 'obstacles': snapshot.obstacles, 'boxes': snapshot.boxes,
             'infrared': snapshot.infrared[..., -1], 'imu': snapshot.readings.get('imu'),
             'gnss': snapshot.readings.get('gnss'), 'collided': engine.snapshot.collided}
    for name, theirs in pairs.items():
        ours = getattr(seen, name)
        assert (ours is None) == (theirs is None), name
        if name == 'boxes' and theirs is not None:
            theirs = as_sent(theirs)
        if theirs is not None:
            np.testing.assert_array_equal(ours[k], theirs, err_msg=f'{name} of world {k}')
    np.testing.assert_array_equal(worlds.state.reverted[rows], engine.snapshot.reverted)


@pytest.mark.parametrize(('count', 'threads'), [(1, 1), (7, 1), (64, 2)])
@pytest.mark.parametrize('name', SCENARIOS)
def test_world_k_is_the_run_with_its_seed(name, count, threads, monkeypatch):
    monkeypatch.setattr('sbot_sim.engine.many._BLOCK', 30)  # several blocks
    scenario = sbot.load({**PLAIN, **SCENARIOS[name]})
    worlds = sbot.Worlds(scenario, count, seeds=np.arange(5, 5 + count), threads=threads)
    compared = sorted({0, count // 2, count - 1})
    engines = {k: alone(scenario, 5 + k) for k in compared}
    source, rng = assemble.wind_source(scenario), np.random.default_rng(3)
    hit, seen = False, worlds.observe()
    for tick in range(TICKS):
        wind = source.at(scenario.rate.stamp_ns(tick))
        commands = commands_of(rng, worlds)
        for k, engine in engines.items():
            engine.sense_wind(wind)
            check(worlds, seen, k, engine)
            engine.advance(commands[k], wind, engine.snapshot.rab_data)
        seen = worlds.step(commands)
        hit |= seen.collided.any()
    assert hit or 'moves' not in name


def joined(features):
    data = {}
    for feature in features:
        for key, value in SCENARIOS[feature].items():
            data[key] = {**data.get(key, {}), **value} if isinstance(value, dict) else value
    robots = [entry for feature in features for entry in SCENARIOS[feature].get('robots', ())]
    return {**PLAIN, **data, 'robots': robots or PLAIN['robots']}


@pytest.mark.parametrize('number', range(6))
def test_features_that_meet_equal_the_run_too(number):
    rng = np.random.default_rng(number)
    scenario = sbot.load(joined(rng.choice([*SCENARIOS], 4, replace=False).tolist()))
    worlds, engine = sbot.Worlds(scenario, 3, seeds=[1, 2, 3]), alone(scenario, 2)
    source, seen = assemble.wind_source(scenario), worlds.observe()
    for tick in range(TICKS):
        wind = source.at(scenario.rate.stamp_ns(tick))
        commands = commands_of(rng, worlds)
        engine.sense_wind(wind)
        check(worlds, seen, 1, engine)
        engine.advance(commands[1], wind, engine.snapshot.rab_data)
        seen = worlds.step(commands)


@pytest.mark.parametrize('name', SCENARIOS)
def test_learning_has_them_too(name):
    env = sbot.learn.env({**PLAIN, **SCENARIOS[name]}, task='avoid_obstacles')
    env.reset(seed=3)
    for _ in range(3):
        observation = env.step(np.full(env.action_space.shape, 0.5))[0]
    assert np.isfinite(observation).all()


@pytest.mark.parametrize('name', SCENARIOS)
def test_a_reset_begins_anew(name):
    worlds = sbot.Worlds({**PLAIN, **SCENARIOS[name]}, 3)
    commands = commands_of(np.random.default_rng(4), worlds)
    first = worlds.step(commands, ticks=4)
    worlds.step(commands, ticks=3)
    worlds.reset(worlds=[1])
    again, others = worlds.step(commands, ticks=4), worlds.observe()
    assert again.tick.tolist() == [11, 4, 11]
    for field_name in ('pose', 'scan', 'wind', 'obstacles', 'boxes'):
        mine = getattr(again, field_name)
        if mine is not None:
            np.testing.assert_array_equal(mine[1], getattr(first, field_name)[1])
    assert not np.array_equal(others.pose[0], first.pose[0])


@pytest.mark.parametrize('threads', [1, 3])
def test_threads_may_share_a_large_world(threads, monkeypatch):
    monkeypatch.setattr('sbot_sim.engine.many._LARGE', 100)
    monkeypatch.setattr('sbot_sim.engine.many._WORTH', 0)
    monkeypatch.setattr('sbot_sim.engine.many._WORTH_A_CALL', 0)
    scenario = sbot.load({**PLAIN, 'world': {'bounds': [0, 0, 12, 12]}, 'robots': [
        {'count': 320, 'body': 's-bot', 'controller': 'none'}], 'wind': IN_WIND})
    worlds, engine = sbot.Worlds(scenario, 2, seeds=[4, 5], threads=threads), alone(scenario, 5)
    assert worlds.simulation.share_rows == (threads == 3)
    source, rng = assemble.wind_source(scenario), np.random.default_rng(3)
    seen = worlds.observe()
    for tick in range(4):
        wind = source.at(scenario.rate.stamp_ns(tick))
        commands = commands_of(rng, worlds)
        engine.sense_wind(wind)
        check(worlds, seen, 1, engine)
        engine.advance(commands[1], wind, engine.snapshot.rab_data)
        seen = worlds.step(commands)
