"""A controller of your own in ten lines: `sbot run examples/go_to_goal.yaml`."""

import math


class GoToGoal:
    """Turns towards its goal and drives there, slower the nearer it is."""

    def __init__(self, gain=1.0):
        self.gain = gain

    def step(self, observation, rng):
        """Return (speed in m/s, turn rate in rad/s)."""
        x, y, yaw = observation.poses[observation.robot_id]
        dx, dy = observation.goal[0] - x, observation.goal[1] - y
        turn = math.remainder(math.atan2(dy, dx) - yaw, math.tau)
        return min(1.0, self.gain * math.hypot(dx, dy)) * max(0.0, math.cos(turn)), 2.0 * turn
