"""When what is broadcast."""

import numpy as np
import pytest
from worlds import make_parameters

from sbot_common import topics
from sbot_common.wire import cdr
from sbot_sim.engine.simulation import Engine, Snapshot
from sbot_sim.messages.broadcast import Broadcast, BroadcastOptions, Pace, diagnostics


@pytest.mark.parametrize(('node', 'name'), [
    ('/sbot_sim', 'sbot_sim'), ('/arena/sbot_sim', 'arena/sbot_sim')])
def test_entries_are_named_by_node_and_task(node, name):
    fields = dict.fromkeys(Snapshot._fields)
    snapshot = Snapshot(**{**fields, 'tick': 7, 'pose': np.zeros((3, 3)),
                           'collided': np.array([True, False, True]),
                           'reverted': np.zeros(3, bool)})
    message = cdr.decode(diagnostics(10**9, (0.5, 2), snapshot, node),
                         'diagnostic_msgs/msg/DiagnosticArray')
    status, = message.status
    assert (status.name, status.hardware_id) == (f'{name}: simulation', name)
    values = {pair.key: pair.value for pair in status.values}
    assert values['tick'] == '7'
    assert values['robots_in_collision'] == '2'


def test_pace():
    pace = Pace(0.1)
    for now in (0.0, 0.1, 0.2, 0.5):
        pace.tick(now)
    assert pace.take(0.6) == pytest.approx((0.5, 1))


@pytest.mark.parametrize(('dt', 'robots_every', 'obstacles_every'), [
    (0.1, 1, 50), (0.02, 5, 250), (1 / 30, 3, 150), (0.5, 1, 10)])
def test_markers_begin_with_tick_0_and_keep_their_period(dt, robots_every, obstacles_every):
    parameters = make_parameters(dt=dt, circles=[(5, 5, 1.0)])
    snapshot = Engine(parameters, np.array([[2.0, 2.0, 0.0]]), 1).snapshot
    broadcast = Broadcast(parameters, BroadcastOptions('', [None]))
    for tick in range(2 * obstacles_every + 1):
        sent = [message.name for message in broadcast.sensed_wind(snapshot._replace(tick=tick), 1)]
        assert sent.count(topics.MARKERS.name) == (
            (tick % robots_every == 0) + (tick % obstacles_every == 0)), tick
