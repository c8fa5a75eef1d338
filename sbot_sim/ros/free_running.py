"""Free-running mode: a tick at each period of the wall clock, with the newest inputs."""

from __future__ import annotations

from collections.abc import Callable

from sbot_common.clock import NANOSECONDS
from sbot_sim.ros.run_control import Actions, Options, Peers, Phase, RunControl


class FreeRunning(RunControl):
    """Times ticks by the wall clock; does not wait, stops robots with old commands."""

    def __init__(self, options: Options, actions: Actions, clock: Callable[[], float],
                 peers: Peers) -> None:
        super().__init__(options, actions, clock, peers)
        self._heard: list[int | None] = [None] * len(options.awaited)  # tick of the last command

    def accept_command(self, robot: int, raw: bytes = b'') -> bool:
        """Note the tick before which a command came."""
        self._heard[robot] = self._actions.tick()
        return True

    def accept_wind(self, part: str, stamp_ns: int) -> bool:
        """Accept any wind."""
        return True

    def proceed(self) -> None:
        """Do nothing: only the timer begins ticks."""

    def watch(self) -> None:
        """Start at once, unless another run publishes the same topics."""
        if self.phase is Phase.CONNECTING and not self._waits_for(self._peers.others()):
            self._start()

    def on_timer(self) -> None:
        """Do a tick."""
        if self.phase is not Phase.BETWEEN or not self._may_go_on():
            return
        self._stop_silent()
        for publish in (self._actions.publish_snapshot, self._actions.publish_wind):
            list(publish())  # all turns at once: nobody is waited for
        # Last, as it makes the controllers' timers due: then they find the inputs of this tick.
        self._actions.publish_clock()
        self._finish()

    def _stop_silent(self) -> None:
        """Stop the robots whose last command is too old, in simulated time."""
        # Not by the wall clock: a machine that cannot keep up gives nodes fewer ticks, too.
        timeout_ns = self._options.cmd_vel_timeout * NANOSECONDS
        tick, stamp_ns = self._actions.tick(), self._options.rate.stamp_ns
        for robot, heard in enumerate(self._heard):
            if heard is not None and heard > tick:  # time began anew
                self._heard[robot] = heard = tick
            if timeout_ns > 0 and (heard is None
                                   or stamp_ns(tick) - stamp_ns(heard) > timeout_ns):
                self._actions.stop(robot)
