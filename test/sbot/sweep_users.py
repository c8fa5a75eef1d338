"""What a user brings to a sweep: a controller of many moods, metrics, a stopping condition."""

import contextlib
import os
import time
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
SCENARIO = """
name: tiny
duration: 0.2
rate: 10
world: {bounds: [0, 0, 9, 9]}
robots:
  - {pose: [2, 2, 0], goal: [8, 2], controller: 'sweep_users:Moody'}
  - {pose: [2, 5, 0], controller: none}
"""
MOOD = 'robots.0.parameters.mood'


class Moody:
    """Drives on, unless told to misbehave."""

    def __init__(self, mood='calm', speed=0.5, nap=0.0, kills='', gate=''):
        self.mood, self.speed, self.nap, self.kills = mood, speed, nap, kills
        self.gate = gate

    def step(self, observation, rng):
        if self.mood == 'raise':
            raise ValueError(f'no way of {object()}')
        if self.mood == 'interrupt':
            raise KeyboardInterrupt
        if self.mood == 'hang':
            time.sleep(1000)
        if self.mood == 'hog':
            self.hoard = np.ones(2**29)  # 4 GiB
        if self.mood == 'die':
            os.kill(os.getpid(), 9)
        if self.kills and not Path(self.kills).exists():
            Path(self.kills).touch()
            os.kill(os.getpid(), 9)
        if self.gate:
            enter(Path(self.gate))
            self.gate = ''
        time.sleep(self.nap)
        return self.speed + 0.01 * rng.random(), 0.0


NO_WAY = ('robot 0 at tick 0: Moody.step(): ValueError: no way of <object object> '
          f'(sweep_users.py:{Moody.step.__code__.co_firstlineno + 2})')


def closed_gate(folder, count):
    """Make a gate that lets so many runs in until it has a file `open`."""
    gate = Path(folder) / 'gate'
    gate.mkdir()
    for i in range(count):
        (gate / f'token{i}').touch()
    return gate


def enter(gate):
    """Wait until a gate is open, or take a token of it."""
    while not (gate / 'open').exists():
        for token in gate.glob('token*'):
            with contextlib.suppress(FileNotFoundError):
                token.unlink()
                return
        time.sleep(0.01)


def last_x(run):
    return run.poses[-1, 0, 0]


def several(run):
    return {'b': len(run.poses), 'a': True, 'c': 'words', 'd': np.float64(0.5), 'e': None}


def wrong(run):
    return run.poses


def fails(run):
    return run.poses.shape[7]


def beyond_2_04(snapshot):
    return snapshot.pose[0, 0] > 2.04


def write_scenario(folder, text=SCENARIO):
    path = Path(folder) / 'tiny.yaml'
    path.write_text(f'python_path: [{HERE}]\n' + text)
    return path


def job(path, **changes):
    """What all runs of a scenario share."""
    import pickle

    from sbot.sweeps.plan import Source
    from sbot.sweeps.simulate import Job, _parsed
    from sbot.version import VERSION
    source = Source('tiny', path.read_text(), str(path), str(path.parent), 1)
    return Job((source,), (_parsed(source),), {}, (), pickle.dumps({}), (str(HERE),),
               VERSION)._replace(**changes)
