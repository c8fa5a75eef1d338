"""When what is broadcast."""

import numpy as np
import pytest
from worlds import make_parameters

from sbot_common import topics
from sbot_sim.engine.simulation import Engine
from sbot_sim.messages.broadcast import Broadcast, BroadcastOptions


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
