"""Runs and recordings in which robots come into the world and leave it."""

import numpy as np
import pytest

import sbot
from sbot.regression.commands import Recording
from sbot_sim.engine.simulation import Engine

pytestmark = pytest.mark.forked

SCENARIO = {'duration': 5, 'seed': 3, 'world': {'bounds': [0, 0, 9, 9]},
            'sensors': {'scan_sees_robots': True},
            'wind': {'wind_speed_mean': 0.2, 'wake': True},
            'robots': [{'pose': [2, 2, 0], 'goal': [7, 7]}, {'pose': [3, 2, 0]},
                       {'pose': [2, 3.5, 0], 'controller': 'navigate', 'goal': [1, 8]}]}
RESERVE = {**SCENARIO, 'robots': [*SCENARIO['robots'], {'reserved': True, 'count': 2},
                                  {'reserved': True, 'controller': 'navigate', 'goal': [6.5, 8]}]}
COMES, GOES, AGAIN = 20, 60, 100  # ticks


@pytest.fixture
def moved(monkeypatch):
    """Let robots come and go in each run, as services do."""
    advance = Engine.advance

    def advance_and_move(self, *inputs):
        if self.tick == COMES:
            self.teleport({3: (5.0, 5.0, 0.0), 5: (6.0, 2.0, 1.0)})
        elif self.tick == GOES:
            self.teleport({1: None, 3: None})
        elif self.tick == AGAIN:
            self.teleport({3: (7.5, 1.5, 0.0)})
        advance(self, *inputs)

    monkeypatch.setattr(Engine, 'advance', advance_and_move)


def test_a_run_in_which_nobody_is_spawned_is_the_run_without_a_reserve():
    without, run = sbot.run(SCENARIO), sbot.run(RESERVE)
    timings = dict.fromkeys(('wall_time_s', 'real_time_factor'))
    assert {**run.summary, **timings} == {**without.summary, **timings}
    np.testing.assert_array_equal(run.poses[:, :3], without.poses)
    np.testing.assert_array_equal(run.commands[:, :3], without.commands)
    table = sbot.sweep(RESERVE, seeds=[3])
    assert table['trajectory_sha256'][0] == without.summary['trajectory_sha256']


def test_until_the_first_comes_the_others_have_the_same_bits(moved):
    run = sbot.run(RESERVE)
    without = sbot.run(SCENARIO | {'duration': COMES / 30})
    np.testing.assert_array_equal(run.poses[:COMES + 1, :3], without.poses[:COMES + 1])
    there = ~np.isnan(run.poses[:, :, 0])
    assert there[COMES].tolist() == [True, True, True, False, False, False]
    assert there[COMES + 1].tolist() == [True, True, True, True, False, True]
    assert there[-1].tolist() == [True, False, True, True, False, True]
    # Those that are there drive, and no others.
    driven = run.commands[:-1].any(axis=2)
    assert driven[COMES + 1:, 5].all()
    assert not driven[~there[:-1]].any()
    robots = {each['id']: each for each in run.summary['robots']}
    assert sorted(robots) == [0, 1, 2, 3, 5]  # robot 4 never was there
    assert robots[1]['pose'] == run.poses[GOES, 1].tolist()
    steps = np.hypot(*np.diff(run.poses[COMES + 1:, 5, :2], axis=0).T)
    assert robots[5]['path_length_m'] == pytest.approx(steps.sum())  # without the way there
    assert run.summary['overlaps'] == 0


def test_a_recording_in_which_robots_come_and_go_is_replayed_bit_for_bit(moved, tmp_path):
    run = sbot.run(RESERVE, record=tmp_path / 'bag')
    assert run.summary['trajectory_sha256'] == sbot.run(RESERVE).summary['trajectory_sha256']
    bag = sbot.Bag(tmp_path / 'bag')
    np.testing.assert_array_equal(Recording.read(bag).poses, run.poses)
    result = sbot.replay(bag)
    assert (result.ticks, result.commands, result.differences) == (151, 151 * 6, 0)
    changed = sbot.replay(bag, **{'controllers.navigate.cruise_speed_mps': 0.1})
    assert {each.robot: each.tick for each in changed.differing}[5] == COMES + 1
    for name in ('run.html', 'run.png'):  # shown where they are there
        (sbot.view if name == 'run.html' else sbot.plot)(bag, tmp_path / name)


def test_a_session_goes_back_to_where_others_were(moved):
    session = sbot.session(RESERVE)
    session.step(COMES + 5)
    saved = session.save()
    poses = session.run().poses
    session.restore(saved)
    assert np.isfinite(session.snapshot.pose[3]).all()
    np.testing.assert_array_equal(session.run().poses, poses)
