"""MPE's `simple_spread`: three robots cover three landmarks without collisions."""

import numpy as np

from sbot import learn

ROBOTS, RADIUS, LOCAL = 3, 0.15, 0.5  # m; share of the reward that is for collisions


class SimpleSpread(learn.Scene):
    """Cover all landmarks, which robots know but do not touch."""

    inputs, outputs, max_speed, turn = ('twist',), 'holonomic', 1.0, 1.0
    moves = ((0, 0, 0), (-1, 0, 0), (1, 0, 0), (0, -1, 0), (0, 1, 0))
    seconds, team = 2.5, ROBOTS
    arena = {'rate': 10, 'world': {'bounds': [-1.5, -1.5, 1.5, 1.5]},
             'bodies': {'disc': {'radius': RADIUS, 'collision_distance': 0, 'max_wheel_speed': 99,
                                 'drive': 'omnidirectional'}},
             'robots': [{'body': 'disc', 'yaw': 0.0}], 'sensors': {'scan_beams': 1}}

    def keep(self, now, draw):
        """Draw landmarks."""
        return {'landmarks': draw.uniform(-1, 1, (ROBOTS, 2))}

    def observation(self, now):
        """Return velocity and place, and where landmarks and the others are from there."""
        place = now.seen.pose[..., :2]
        others = np.array([[j for j in range(ROBOTS) if j != i] for i in range(ROBOTS)])
        marks = now.kept['landmarks'][:, None] - place[:, :, None]
        rows = [now.inputs[..., :2], place, marks, place[:, others] - place[:, :, None]]
        return np.concatenate([row.reshape(*place.shape[:2], -1) for row in rows], axis=2)

    def reward(self, before, now):
        """Return minus the distances (m) of landmarks to the nearest robot, and collisions."""
        place = now.seen.pose[..., :2]
        way = np.linalg.norm(place[:, :, None] - now.kept['landmarks'][:, None], axis=3)
        gaps = np.linalg.norm(place[:, :, None] - place[:, None], axis=3)
        hits = (gaps < 2 * RADIUS).sum(axis=2) - 1  # not itself
        return -(1 - LOCAL) * way.min(axis=1).sum(axis=1)[:, None] - LOCAL * hits
