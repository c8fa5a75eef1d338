"""Free-running mode: a tick at each period of the wall clock, with the newest inputs."""

from __future__ import annotations

from collections.abc import Callable

from sbot_sim.ros.run_control import Actions, Options, Peers, Phase, RunControl


class FreeRunning(RunControl):
    """Times ticks by the wall clock; does not wait, stops robots with old commands."""

    def __init__(self, options: Options, actions: Actions, clock: Callable[[], float],
                 peers: Peers) -> None:
        super().__init__(options, actions, clock, peers)
        self._heard = [-float('inf')] * len(options.awaited)

    def accept_command(self, robot: int, raw: bytes = b'') -> bool:
        """Note when a command came."""
        self._heard[robot] = self._clock()
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
        now = self._clock()
        # Of simulated time: of a slow run, commands come slowly, too.
        timeout = self._options.cmd_vel_timeout * self.period / self._options.rate.dt
        for robot, heard in enumerate(self._heard):
            if timeout > 0 and now - heard > timeout:
                self._actions.stop(robot)
        self._actions.publish_snapshot()
        self._actions.publish_wind()
        # Last, as it makes the controllers' timers due: then they find the inputs of this tick.
        self._actions.publish_clock()
        self._finish()
