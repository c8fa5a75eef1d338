"""Real-time factor, late ticks and collisions of the simulator, for `/diagnostics`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sbot_common import topics
from sbot_common.wire import cdr
from sbot_sim.engine.state import Snapshot


class _Report(NamedTuple):
    """Real-time factor and late ticks of the last period."""

    real_time_factor: float
    late_ticks: int  # so far: ticks that began more than half a tick late


class Pace:
    """Measures simulated against wall time."""

    def __init__(self, dt: float) -> None:
        self._dt = dt
        self._ticks = 0
        self._since: float | None = None
        self._previous: float | None = None
        self._late = 0

    def tick(self, now: float) -> None:
        """Note that a tick ended at ``now`` (s of wall time)."""
        if self._since is None:
            self._since = now
        else:
            self._ticks += 1
        if self._previous is not None and now - self._previous > 1.5 * self._dt:
            self._late += 1
        self._previous = now

    def take(self, now: float) -> _Report:
        """Return the report since the last one."""
        elapsed = 0.0 if self._since is None else now - self._since
        factor = self._ticks * self._dt / elapsed if elapsed > 0 else 0.0
        if self._since is not None:
            self._since, self._ticks = now, 0
        return _Report(factor, self._late)


def diagnostics(stamp_ns: int, report: _Report, snapshot: Snapshot,
                node: str = 'sbot_sim') -> bytes:
    """Return diagnostic_msgs/DiagnosticArray.

    ``node``: its full name. As ``diagnostic_aggregator`` has it, an entry is named 'node: task'.
    """
    name = node.lstrip('/')
    get = cdr.message_class
    values = {'tick': snapshot.tick, 'real_time_factor': f'{report.real_time_factor:.3f}',
              'late_ticks': report.late_ticks, 'robots': len(snapshot.pose),
              'robots_in_collision': int(np.count_nonzero(snapshot.collided)),
              'robots_put_back': int(np.count_nonzero(snapshot.reverted))}
    status = get('diagnostic_msgs/msg/DiagnosticStatus')(
        level=0, name=f'{name}: simulation', message=f'{report.real_time_factor:.2f} x real time',
        hardware_id=name,
        values=[get('diagnostic_msgs/msg/KeyValue')(key=key, value=str(value))
                for key, value in values.items()])
    return cdr.encode(get(topics.DIAGNOSTICS.type)(header=cdr.header(stamp_ns, ''),
                                                   status=[status]))
