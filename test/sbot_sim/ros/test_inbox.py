"""Inputs of the next tick: the latest of each, cleared by a reset but for the wind's grid."""

import numpy as np
import pytest

from sbot_common import topics
from sbot_common.errors import InputError
from sbot_common.wire import cdr, messages
from sbot_sim.ros.run_control import Inbox


def teleport(frame_id):
    return cdr.encode(cdr.message(topics.TELEPORT.type, header=cdr.header(0, frame_id),
                                  pose=messages.pose(messages.point(1.0, 2.0))))


def test_a_teleport_is_in_the_frame_of_the_map():
    inbox = Inbox(2)
    inbox.on_teleport(1, topics.TELEPORT, teleport('/map'))
    assert inbox.teleports == {1: (1.0, 2.0, 0.0)}
    with pytest.raises(InputError, match=r'frame: got .odom., expected map'):
        inbox.on_teleport(0, topics.TELEPORT, teleport('odom'))


def test_a_reset_keeps_the_grid_alone():
    inbox = Inbox(1)
    inbox.wind = inbox.wind._replace(field='grid', velocity=np.ones(3))
    inbox.commands[0], inbox.teleports[0] = 1.0, (0.0, 0.0, 0.0)
    inbox.messages[0] = b'x'
    inbox.reset()
    assert (inbox.wind.field, inbox.wind.velocity.tolist()) == ('grid', [0.0, 0.0, 0.0])
    assert (inbox.commands.tolist(), inbox.teleports, inbox.messages) == ([[0.0] * 3], {}, {})
