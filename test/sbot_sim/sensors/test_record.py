"""Record of a sensor: when it is on, what it observes, keeps and sends; kernel or none."""

from types import SimpleNamespace
from typing import Annotated, NamedTuple

import numpy as np
import pytest
from views import view

from sbot_common.params import Param
from sbot_common.topics import Topic
from sbot_sim.sensors.record import Kernel, Place, Sensor

TOPIC = Topic('tilt', 'std_msgs/msg/Float64MultiArray')


class Settings(NamedTuple):
    """Made-up sensor."""

    tilt: Annotated[bool, Param('', 'Robots have it.')] = False
    tilt_scale: Annotated[float, Param('', 'Factor.')] = 1.0


class Tilt(NamedTuple):
    """Its reading."""

    first: float
    second: float


KERNEL = Kernel(('first', 'second'), lambda settings, view, memory: view.pose[:, :2],
                lambda settings, dt, frame: lambda stamp, *numbers: repr(
                    (settings.tilt_scale, dt, frame, stamp, *numbers)).encode(),
                Tilt, sent=lambda rows: np.round(rows), link='tilt_link')
SENSOR = Sensor('tilt', '(N, 2)', TOPIC, lambda raw: (0, raw), KERNEL, Settings(), 'tilt')
SNAPSHOT = SimpleNamespace(readings={'tilt': np.array([[1.2, 2.7], [3.4, 4.6]])})


def place(fitted):
    return Place(2, 0.1, np.ones(2), SimpleNamespace(fitted=fitted), lambda name, i: f'{name}_{i}')


def test_a_switch_turns_it_on_and_without_one_robots_always_have_it():
    group = SimpleNamespace(tilt=Settings())
    assert not SENSOR.is_on(group)
    assert SENSOR.is_on(SimpleNamespace(tilt=Settings(tilt=True)))
    assert SENSOR._replace(switch='').is_on(group)
    assert [spec.name for spec in SENSOR.specs] == ['tilt', 'tilt_scale']
    assert SENSOR._replace(settings=None).specs == ()


def test_a_controller_gets_what_a_message_leaves_and_a_history_what_was_read():
    assert SENSOR.observed(SNAPSHOT, None, 1) == Tilt(3.0, 5.0)
    assert SENSOR.kept(SNAPSHOT) is SNAPSHOT.readings['tilt']


def test_each_robot_has_an_encoder_of_its_frame():
    encode = SENSOR.encoders(place({'tilt': Settings(True, 3.0)}))
    assert encode(7, SNAPSHOT, 0) == b"(3.0, 0.1, 'tilt_link_0', 7, 1.2, 2.7)"
    assert encode(7, SNAPSHOT, 1) == b"(3.0, 0.1, 'tilt_link_1', 7, 3.4, 4.6)"
    assert SENSOR.encoders(place({})) is None, 'nobody has one'


def test_without_a_kernel_functions_of_the_snapshot_stand_in():
    sensor = Sensor('other', '', TOPIC, lambda raw: (0, raw),
                    observe=lambda snapshot, scan, robot: (scan, robot),
                    keep=lambda snapshot: 'kept', encoder=lambda place: 'encodes')
    assert sensor.observed(None, 'scan', 1) == ('scan', 1)
    assert sensor.kept(None) == 'kept'
    assert sensor.encoders(place({})) == 'encodes'
    assert sensor._replace(encoder=None).encoders(place({})) is None


@pytest.mark.parametrize('draw', ['normals', 'uniforms'])
def test_a_view_draws_numbers_of_world_robot_and_tick(draw):
    both = view(3)._replace(seed=np.array([1, 2]), tick=np.array([5, 9]))
    together = getattr(both, draw)(4, 2)
    alone = [getattr(view(3, seed=seed, tick=tick), draw)(4, 2)
             for seed, tick in ((1, 5), (2, 9))]
    np.testing.assert_array_equal(together, np.vstack(alone))
    assert len(np.unique(together)) == 12
