"""MPE's `simple_speaker_listener`: one knows where to go, the other goes there."""

import numpy as np

from sbot import learn

MARKS, SPEAKER, LISTENER = 3, 0, 1
WHEELS = {'radius': 0.075, 'collision_distance': 0.0, 'drive': 'omnidirectional'}


class SpeakerListener(learn.Scene):
    """The speaker sends three numbers; the listener hears them and goes to a landmark."""

    inputs, outputs, max_speed, turn = ('twist',), 'holonomic', 1.0, 1.0
    seconds, team, broadcast = 2.5, 2, 3
    arena = {'rate': 10, 'world': {'bounds': [-1.5, -1.5, 1.5, 1.5]},
             'bodies': {'speaker': {'max_wheel_speed': 0, **WHEELS},
                        'listener': {'max_wheel_speed': 99, **WHEELS}},
             'robots': [{'body': 'speaker', 'yaw': 0.0}, {'body': 'listener', 'yaw': 0.0}],
             'sensors': {'scan_beams': 1, 'range_and_bearing': True, 'rab_range': 5.0}}

    def keep(self, now, draw):
        """Draw landmarks, and which of them is the listener's."""
        return {'landmarks': draw.uniform(-1, 1, (MARKS, 2)), 'mark': draw.below(MARKS)}

    def observation(self, now):
        """Return which landmark it is (speaker); velocity, landmarks, what is heard (listener)."""
        heard = super().observation(now)  # velocity, and then the bytes
        way = now.kept['landmarks'] - now.seen.pose[:, LISTENER:, :2]
        rows = np.zeros((len(way), 2, MARKS + 2 + 2 * MARKS + 4))
        rows[:, SPEAKER, :MARKS] = np.eye(MARKS)[now.kept['mark']]
        rows[:, LISTENER, MARKS:] = np.concatenate(
            [heard[:, LISTENER, :2], way.reshape(len(way), -1), heard[:, LISTENER, 3:]], axis=1)
        return rows

    def reward(self, before, now):
        """Return minus the squared distance of the listener to its landmark, for both."""
        marks = now.kept['landmarks'][np.arange(len(now.goal)), now.kept['mark']]
        off = now.seen.pose[:, LISTENER, :2] - marks
        return -np.repeat((off ** 2).sum(axis=1)[:, None], 2, axis=1)
