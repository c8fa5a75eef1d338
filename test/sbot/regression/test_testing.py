from pathlib import Path

import numpy as np
import pytest

from sbot.bag.reader import Bag
from sbot.regression.replay import ReplayResult
from sbot_common.compiled.cache import CACHE_DIRECTORY

pytest_plugins = ['sbot.regression.testing', 'pytester']

SHORT = {'duration': 0.5}
OLD = Path(__file__).parent / 'before_philox'  # a version whose numbers came from PCG64


def test_run_and_read_give_the_same_arrays(sbot, tmp_path):
    run = sbot.run('leader_follower', SHORT, record=tmp_path / 'bag')
    recording = sbot.read(tmp_path / 'bag')
    assert recording.poses.shape == (16, 4, 3)
    np.testing.assert_array_equal(recording.poses, run.poses)
    np.testing.assert_array_equal(recording.commands, run.commands)
    assert run.summary['overlaps'] == 0
    assert recording.stamps_ns[0] == run.scenario.rate.stamp_ns(0)


def test_stamped_commands_and_silent_robots(sbot, tmp_path):
    run = sbot.run('leader_follower', {**SHORT, 'cmd_vel_stamped': True,
                                       'robots.3.controller': 'none'}, record=tmp_path / 'bag')
    recording = sbot.read(tmp_path / 'bag')
    np.testing.assert_array_equal(recording.commands[:, :3], run.commands[:, :3])
    assert np.isnan(recording.commands[:, 3]).all()
    sbot.assert_replays(tmp_path / 'bag')


def test_assertions_pass_and_fail(sbot, tmp_path):
    sbot.run('leader_follower', SHORT, record=tmp_path / 'a')
    sbot.run('leader_follower', SHORT, record=tmp_path / 'b')
    sbot.run('leader_follower', {**SHORT, 'seed': 2}, record=tmp_path / 'c')
    sbot.run('leader_follower', {'duration': 0.4}, record=tmp_path / 'd')
    sbot.assert_same(tmp_path / 'a', tmp_path / 'b')
    sbot.assert_replays(tmp_path / 'a')
    with pytest.raises(AssertionError, match=r'tick 0, robot \d: /robot_\d/cmd_vel'):
        sbot.assert_same(tmp_path / 'a', tmp_path / 'c')
    with pytest.raises(AssertionError, match=r"'duration: 0\.5' != 'duration: 0\.4'"):
        sbot.assert_same(tmp_path / 'a', tmp_path / 'd')
    with pytest.raises(AssertionError, match=r'first difference: tick 0, robot \d'):
        sbot.assert_replays(tmp_path / 'a', {'seed': 2})


def test_a_bag_with_other_random_numbers_is_skipped_not_passed(sbot):
    with pytest.raises(pytest.skip.Exception, match=r'version 0\.1\.0.*\(robot 0\)'):
        sbot.assert_replays(OLD)
    with pytest.raises(AssertionError, match='first difference: tick 0, robot 1'):
        sbot.assert_replays(OLD, {'robots.1.parameters.velocity': 0.31})


def test_a_robot_that_a_node_drove_is_a_warning_not_a_skip(sbot, monkeypatch):
    from sbot.regression import testing
    result = ReplayResult('x', 2, 2, 0, None, '', (1,), outside=((1, 'external'),))
    monkeypatch.setattr(testing, 'replay', lambda *_: result)
    with pytest.warns(UserWarning, match=r'Not compared: robot 1 \(external\); give its node to '
                                         'replay_to_node'):
        sbot.assert_replays(OLD)


def test_golden_bag_is_made_checked_and_refreshed(sbot, tmp_path, monkeypatch):
    path = tmp_path / 'golden' / 'x'
    with pytest.raises(pytest.fail.Exception, match='SBOT_REFRESH=1'):
        sbot.assert_golden('leader_follower', path, SHORT)
    for seed in (1, 2):
        monkeypatch.setenv('SBOT_REFRESH', '1')
        with pytest.raises(pytest.skip.Exception, match='recorded again'):
            sbot.assert_golden('leader_follower', path, {**SHORT, 'seed': seed})
        monkeypatch.delenv('SBOT_REFRESH')
        sbot.assert_golden('leader_follower', path, {**SHORT, 'seed': seed})
        with pytest.raises(AssertionError, match=r'golden != run: tick 0, robot \d'):
            sbot.assert_golden('leader_follower', path, {**SHORT, 'seed': 3})
    with pytest.raises(AssertionError, match='differ'):
        sbot.assert_golden('leader_follower', path, {'duration': 0.3, 'seed': 2})
    assert '/markers' not in Bag(path).names()


def test_users_get_the_fixture(pytester, monkeypatch):
    monkeypatch.setenv('NUMBA_CACHE_DIR', str(CACHE_DIRECTORY.parent))  # pytester moves HOME
    pytester.makeconftest("pytest_plugins = ['sbot.regression.testing']")
    pytester.makepyfile("""
        def test_it(sbot):
            run = sbot.run('single_robot', {'duration': 0.2})
            assert run.poses.shape == (7, 1, 3)
    """)
    pytester.runpytest_subprocess('-p', 'no:cacheprovider').assert_outcomes(passed=1)
