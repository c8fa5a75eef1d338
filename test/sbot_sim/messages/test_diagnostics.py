"""`/diagnostics`: names as aggregators group them, and the pace."""

import numpy as np
import pytest

from sbot_common.wire import cdr
from sbot_sim.engine.state import Snapshot
from sbot_sim.messages.diagnostics import Pace, _Report, diagnostics


@pytest.mark.parametrize(('node', 'name'), [
    ('/sbot_sim', 'sbot_sim'), ('/arena/sbot_sim', 'arena/sbot_sim')])
def test_entries_are_named_by_node_and_task(node, name):
    fields = dict.fromkeys(Snapshot._fields)
    snapshot = Snapshot(**{**fields, 'tick': 7, 'pose': np.zeros((3, 3)),
                           'collided': np.array([True, False, True]),
                           'reverted': np.zeros(3, bool)})
    message = cdr.decode(diagnostics(10**9, _Report(0.5, 2), snapshot, node),
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
