"""VMAS's `discovery`: five robots look for targets, each of which two must cover at once."""

import numpy as np

from sbot import learn

ROBOTS, TARGETS, NEEDED = 5, 7, 2
RADIUS, COVERS, APART = 0.05, 0.25, 0.2  # m
RAYS, SIGHT = 15, 0.35  # m


class Discovery(learn.Scene):
    """Cover targets together; covered ones appear elsewhere, in places that no robot is told."""

    inputs, outputs, max_speed, turn = ('pose', 'twist'), 'holonomic', 0.4, 1.0
    seconds, team = 20.0, ROBOTS
    arena = {'rate': 10, 'world': {'bounds': [-1.05, -1.05, 1.05, 1.05]},
             'bodies': {'disc': {'radius': RADIUS, 'collision_distance': 0, 'max_wheel_speed': 40,
                                 'drive': 'omnidirectional'}},
             'robots': [{'body': 'disc', 'yaw': 0.0}], 'sensors': {'scan_beams': 1}}

    def keep(self, now, draw):
        """Draw targets, (K, 7, 2) m, that solid robots do not see or touch."""
        return {'targets': draw.apart(TARGETS, -1, 1, APART, now.seen.pose[..., :2])}

    def update(self, before, now, draw):
        """Draw covered targets anew."""
        old = now.kept['targets']
        covered = covers(now, old).sum(axis=1) >= NEEDED
        if not covered.any():
            return {}
        others = np.concatenate([now.seen.pose[..., :2], old], axis=1)
        new = draw.apart(TARGETS, -1, 1, APART, others)
        return {'targets': np.where(covered[..., None], new, old)}

    def observation(self, now):
        """Return pose, velocity, and how near the targets are along 15 rays."""
        way = now.kept['targets'][:, None] - now.seen.pose[..., None, :2]  # (K, N, T, 2)
        angles = now.seen.pose[..., 2:] + np.linspace(0, 2 * np.pi, RAYS, endpoint=False)
        rays = np.stack([np.cos(angles), np.sin(angles)], axis=-1)
        along = np.einsum('knrx,kntx->knrt', rays, way)
        aside = (way ** 2).sum(axis=-1)[:, :, None] - along ** 2  # m^2
        meets = (aside < RADIUS ** 2) & (along > 0)
        far = np.where(meets, along - np.sqrt(np.maximum(RADIUS ** 2 - aside, 0)), SIGHT)
        near = 1 - np.clip(far.min(axis=-1), 0, SIGHT) / SIGHT
        return np.concatenate([now.inputs, near], axis=2)

    def reward(self, before, now):
        """Return how many targets each robot covers that enough robots cover."""
        by = covers(now, before.kept['targets'])
        return (by & (by.sum(axis=1) >= NEEDED)[:, None]).sum(axis=2)


def covers(now, targets):
    """Return which robots are near which targets, (K, N, T)."""
    way = now.seen.pose[:, :, None, :2] - targets[:, None]
    return np.linalg.norm(way, axis=-1) < COVERS
