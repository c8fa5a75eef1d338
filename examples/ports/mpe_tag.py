"""MPE's `simple_tag`: three hunters chase a faster prey among obstacles."""

import numpy as np

from sbot import learn

HUNTERS, PREY, HUNTER_RADIUS, PREY_RADIUS = 3, 3, 0.075, 0.05  # how many; its number; m
WHEELS = {'collision_distance': 0.0, 'drive': 'omnidirectional', 'wheel_radius': 0.05}


class SimpleTag(learn.Scene):
    """Hunters are rewarded for contacts with the prey, which pays for these and for going far."""

    inputs, outputs = ('twist', 'scan:8'), 'holonomic'
    moves = ((0, 0, 0), (-1, 0, 0), (1, 0, 0), (0, -1, 0), (0, 1, 0))
    seconds, team = 2.5, HUNTERS + 1
    arena = {'rate': 10, 'world': {'bounds': [-1.5, -1.5, 1.5, 1.5]},
             'bodies': {'hunter': {'radius': HUNTER_RADIUS, 'max_wheel_speed': 20, **WHEELS},
                        'prey': {'radius': PREY_RADIUS, 'max_wheel_speed': 26, **WHEELS}},
             'robots': [{'body': 'hunter', 'yaw': 0.0, 'count': HUNTERS},
                        {'body': 'prey', 'yaw': 0.0, 'count': 1}],
             'sensors': {'scan_beams': 8, 'scan_angle_min': 0.0, 'scan_angle_max': 5.5,
                         'scan_range_max': 3.0}}
    maps = [{'circles': [{'center': each, 'radius': 0.2} for each in pair]}
            for pair in np.random.default_rng(0).uniform(-0.9, 0.9, (64, 2, 2)).tolist()]

    def observation(self, now):
        """Return velocity, laser and place, and where the others are and how fast the prey is."""
        place, speed = now.seen.pose[..., :2], now.inputs[..., :2]
        others = np.array([[j for j in range(self.team) if j != i] for i in range(self.team)])
        prey = np.repeat(speed[:, PREY:], self.team, axis=1)
        rows = [now.inputs, place, place[:, others] - place[:, :, None], prey]
        return np.concatenate([row.reshape(*place.shape[:2], -1) for row in rows], axis=2)

    def reward(self, before, now):
        """Return 10 for each contact; for the prey -10, less what being far out costs."""
        place = now.seen.pose[..., :2]
        way = np.linalg.norm(place[:, :PREY] - place[:, PREY:], axis=2)
        hits = 10.0 * (way < HUNTER_RADIUS + PREY_RADIUS).sum(axis=1)
        x = np.abs(place[:, PREY])
        out = np.where(x < 1, np.maximum(x - 0.9, 0) * 10, np.minimum(np.exp(2 * x - 2), 10))
        return np.column_stack([hits, hits, hits, -hits - out.sum(axis=1)])


class Hunt(SimpleTag):
    """The same against a prey that a rule drives: away from the hunters, and inwards."""

    scripted = (PREY,)

    def script(self, now):
        """Return the prey's shares."""
        place = now.seen.pose[..., :2]
        way = place[:, PREY:] - place[:, :PREY]
        push = (way / (way ** 2).sum(axis=2, keepdims=True)).sum(axis=1) - 4 * place[:, PREY]
        push /= np.linalg.norm(push, axis=1, keepdims=True)
        return np.pad(push, ((0, 0), (0, 1)))[:, None]
