"""Inputs of the next tick: the latest of each, cleared by a reset but for the wind's grid."""

import numpy as np

from sbot_sim.ros.inbox import Inbox


def test_a_reset_keeps_the_grid_alone():
    inbox = Inbox(1)
    inbox.wind = inbox.wind._replace(field='grid', velocity=np.ones(3))
    inbox.commands[0], inbox.teleports[0] = 1.0, (0.0, 0.0, 0.0)
    inbox.messages[0] = b'x'
    inbox.reset()
    assert (inbox.wind.field, inbox.wind.velocity.tolist()) == ('grid', [0.0, 0.0, 0.0])
    assert (inbox.commands.tolist(), inbox.teleports, inbox.messages) == ([[0.0] * 3], {}, {})
