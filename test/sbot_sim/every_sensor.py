"""Every sensor: shipped ones, and the one of CONTRIBUTING's recipe as an installed package."""

import contextlib
import importlib
import re
import sys
from pathlib import Path

import numpy as np

from sbot_common.user_code import records_of
from sbot_sim.sensors import registry
from sbot_sim.sensors.registry import GROUP

ROOT = Path(__file__).resolve().parents[2]
RECIPE = 'compass'
READER = '''
"""A controller that is driven by all that it senses, and remembers it."""
import math

import numpy as np

from sbot_sim.sensors.registry import sensors

SEEN = {}  # (robot, tick, sensor): its numbers


def numbers(value):
    """All numbers of a value, in order."""
    if isinstance(value, tuple):
        return [each for part in value for each in numbers(part)]
    return np.ravel(value).tolist()


class Reader:
    def step(self, observation, rng):
        total = 0.0
        for name in sensors():
            found = numbers(getattr(observation, name))
            SEEN[observation.robot_id, observation.tick, name] = found
            total += sum(each for each in found if math.isfinite(each))
        return 0.5 + 0.1 * math.sin(total), 0.8 * math.cos(3.0 * total)
'''
SCENE = {
    'duration': 1.0, 'rate': 20, 'seed': 7,
    'world': {'bounds': [0, 0, 9, 9], 'circles': [{'center': [5.2, 4.0], 'radius': 0.5}],
              'segments': [[2, 6, 6, 7]]},
    'wind': {'wind_speed_mean': 0.4, 'wind_direction': [1.0, 0.3, 0.0], 'wake': True},
    'robots': [{'pose': [3.0 + 0.7 * i, 4.0 + 0.3 * i, 0.5 * i], 'controller': 'none'}
               for i in range(4)]}


def recipe():
    """The file of CONTRIBUTING's recipe."""
    page = (ROOT / 'CONTRIBUTING.md').read_text('utf-8')
    section = page.partition('## A new sensor')[2].partition('\n## ')[0]
    return re.findall(r'```python\n(.*?)```', section, re.DOTALL)[0]


def shipped_names():
    """The sensors of this package, without those that are installed."""
    return sorted(sensor.name for sensor in records_of('sbot_sim.sensors', 'SENSOR'))


NAMES = [*shipped_names(), RECIPE]


@contextlib.contextmanager
def installed(folder):
    """Have the recipe's sensor installed as another package, and ``every_reader`` found."""
    (folder / 'every_reader.py').write_text(READER)
    (folder / 'every_compass.py').write_text(recipe())
    package = folder / 'every_compass-1.0.dist-info'
    package.mkdir()
    (package / 'METADATA').write_text('Metadata-Version: 2.1\nName: every_compass\nVersion: 1.0\n')
    (package / 'entry_points.txt').write_text(
        f'[{GROUP}]\n{RECIPE} = every_compass:SENSOR\n')
    before = list(sys.path)
    sys.path.insert(0, str(folder))
    importlib.invalidate_caches()
    registry.sensors.cache_clear()
    try:
        assert set(NAMES) == set(registry.sensors())
        yield folder
    finally:
        sys.path[:] = before
        registry.sensors.cache_clear()
        for name in ('every_compass', 'every_reader'):
            sys.modules.pop(name, None)


def settings(noise, off=()):
    """The keys of a scenario that switch on all sensors but some, with noise or without."""
    keys = {}
    for name, sensor in registry.sensors().items():
        for spec in sensor.specs:
            if spec.name == sensor.switch:
                keys[spec.name] = name not in off
            elif name not in off and re.search('noise|bias', spec.name):
                keys[spec.name] = 0.02 if noise else 0.0
    return {**keys, 'scan_sees_robots': True, 'scan_beams': 24}


def turned(degrees, move, noise):
    """The scene, turned about the origin by degrees and then moved (m)."""
    angle = np.deg2rad(degrees)
    c, s = np.cos(angle), np.sin(angle)

    def point(x, y):
        return [float(c * x - s * y + move[0]), float(s * x + c * y + move[1])]

    world, wind = SCENE['world'], SCENE['wind']
    x, y, _ = wind['wind_direction']
    return {
        **SCENE, 'sensors': settings(noise),
        'world': {'open': True, 'bounds': [move[0] - 30, move[1] - 30, move[0] + 30, move[1] + 30],
                  'circles': [{**each, 'center': point(*each['center'])}
                              for each in world['circles']],
                  'segments': [[*point(*each[:2]), *point(*each[2:])]
                               for each in world['segments']]},
        'wind': {**wind, 'wind_direction': [float(c * x - s * y), float(s * x + c * y), 0.0]},
        'robots': [{**robot, 'pose': [*point(*robot['pose'][:2]),
                                      float(robot['pose'][2] + angle)]}
                   for robot in SCENE['robots']]}
