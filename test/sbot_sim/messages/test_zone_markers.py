"""Zones in rviz: where they are, how large, in their colours, with their names."""

import numpy as np
import pytest
from worlds import make_parameters

from sbot.scenario.assemble import broadcast_options
from sbot.scenario.load import scenario_from_mapping
from sbot_common import topics
from sbot_common.wire import cdr
from sbot_common.wire.markers import CUBE, CYLINDER, TEXT
from sbot_sim.engine.simulation import Engine
from sbot_sim.messages.broadcast import Broadcast, BroadcastOptions

SCENARIO = {
    'duration': 1, 'robots': [{'pose': [5, 5, 0], 'controller': 'none'}],
    'world': {'bounds': [0, 0, 10, 10], 'zones': [
        {'name': 'nest', 'center': [8, 6], 'radius': 2, 'color': 'green'},
        {'name': 'lamp', 'center': [1, 2], 'color': '#ff0080'}]}}


def sent(options, ticks):
    """Markers of each array with zones that is sent within so many ticks, with its stamp."""
    parameters = make_parameters(dt=0.1)
    snapshot = Engine(parameters, np.array([[5.0, 5.0, 0.0]]), 1).snapshot
    broadcast = Broadcast(parameters, options)
    arrays = [cdr.decode(message.payload, topics.MARKERS.type).markers
              for tick in range(ticks)
              for message in broadcast.sensed_wind(snapshot._replace(tick=tick), tick)
              if message.name == topics.MARKERS.name]
    return [array for array in arrays if any(m.ns == 'zones' for m in array)]


def test_zones_are_discs_and_points_with_names_and_come_again_for_late_subscribers():
    arrays = sent(broadcast_options(scenario_from_mapping(SCENARIO)), 51)
    assert [array[0].header.stamp.nanosec for array in arrays] == [0, 50]
    nest, nest_name, lamp, lamp_name = arrays[1]
    assert [m.type for m in arrays[1]] == [CYLINDER, TEXT, CUBE, TEXT]
    assert len({(m.ns, m.id) for m in arrays[1]}) == 4
    assert (nest_name.text, lamp_name.text) == ('nest', 'lamp')
    for at, *them in (((8, 6), nest, nest_name), ((1, 2), lamp, lamp_name)):
        assert [(m.pose.position.x, m.pose.position.y) for m in them] == [at, at]
    assert (nest.scale.x, nest.scale.y) == (4, 4)
    assert (nest.color.r, nest.color.g, nest.color.b) == pytest.approx(
        (0x2e / 255, 0x9e / 255, 0x5b / 255))
    assert 0 < nest.color.a < 0.5
    assert (lamp.color.r, lamp.color.g, lamp.color.b, lamp.color.a) == pytest.approx(
        (1.0, 0.0, 0x80 / 255, 1.0))


def test_a_world_without_zones_sends_nothing_more():
    assert sent(BroadcastOptions('', [None]), 11) == []
