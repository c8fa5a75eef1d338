"""What holds for every drive: ``sbot.testing``, its keys, and turned scenes."""

import math

import numpy as np
import pytest

from sbot import testing
from sbot.testing import check_drive
from sbot_common.errors import InputError
from sbot_common.params import specs_of
from sbot_sim.drives.registry import DRIVES, drive_of, own_specs
from sbot_sim.world.bodies import ROBOT, Body

each = pytest.mark.parametrize('kind', DRIVES, ids=[kind.name for kind in DRIVES])


def body_of(kind, **keys):
    return ROBOT.updated({'drive': kind.name, **keys})


@each
def test_it_keeps_what_holds_for_every_drive(kind):
    check_drive(kind)


@each
def test_its_keys_are_no_other_bodys_and_say_the_same_in_all_drives(kind):
    names = [spec.name for spec in own_specs()]
    for spec in specs_of(type(kind.keys)):
        assert names.count(spec.name) == 1
        assert spec.name not in Body._fields
        assert body_of(kind).in_words()[spec.name] == spec.default
        with pytest.raises(InputError, match=spec.name):
            body_of(kind, **{spec.name: math.nan})
    assert ROBOT.updated(dict(body_of(kind).in_words())) == body_of(kind)


@each
def test_a_scene_that_is_turned_and_moved_moves_alike(kind):
    twists, bodies = testing._commands(200), testing._bodies(kind, 200)
    velocity = np.random.default_rng(5).uniform(-1, 1, (200, 2))
    pose = np.random.default_rng(4).uniform(-3, 3, (200, 3))
    angle, way, c, s = 0.7, np.array([30.0, -20.0]), math.cos(0.7), math.sin(0.7)
    turn = np.array([[c, s], [-s, c]])  # of rows
    other = np.column_stack([pose[:, :2] @ turn + way, pose[:, 2] + angle])
    one = testing._moved(bodies, pose, twists, velocity)
    two = testing._moved(bodies, other, twists, velocity @ turn)
    np.testing.assert_allclose(two[:, :2], one[:, :2] @ turn + way, atol=1e-12)
    np.testing.assert_allclose(np.cos(two[:, 2] - one[:, 2] - angle), 1.0, atol=1e-12)
    assert ((two[:, 2] >= -math.pi) & (two[:, 2] < math.pi)).all()


@pytest.mark.parametrize(('place', 'wrong', 'words'), [
    ('motion.driven_twists', lambda _, twists: 2.0 * twists, 'a wheel is faster than it can'),
    ('motion.driven_twists', lambda _, twists: np.clip(-twists, -0.01, 0.01) * [1, 0, 0],
     'backwards'),
    ('odometry.measure', lambda _, pose, *__: (pose + 0.1, pose), 'without noise'),
    ('_NOISE', testing._NOISE._replace(odometry_noise_slip=1.0), 'covariance'),
    ('BodyArrays.select', lambda *_: testing._bodies(drive_of('omnidirectional'), 3), 'beside')])
def test_what_is_wrong_is_one_line(monkeypatch, place, wrong, words):
    monkeypatch.setattr(f'sbot.testing.{place}', wrong)
    with pytest.raises(AssertionError, match=f'^drive wheels: [^\n]*{words}[^\n]*$'):
        check_drive(drive_of('wheels'))
    with pytest.raises(AssertionError, match='drive legs: it is in no'):
        check_drive(drive_of('wheels')._replace(name='legs'))
