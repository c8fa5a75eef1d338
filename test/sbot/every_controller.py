"""Every controller: shipped ones, an installed package's, a class, a network, a function."""

import contextlib
from typing import Any, NamedTuple

import numpy as np
from installed_package import installed_package

import sbot
from sbot.controllers import registry
from sbot.controllers.navground import PREFIX, _behavior_names
from sbot.controllers.registry import shipped
from sbot_common.errors import InputError

OWN = 'every_own:Own'
# What shipped controllers need beside defaults; files are written by ``write_files``.
NEEDED = {'neural_controller.controller:Neural': {'network': 'every_network.json'},
          'network': {'network': 'every_network.json'},
          'function_policy': {'policy': 'every_policy.json'}}
# Without the map's frame, so that a scene that is turned gives the same run.
INPUTS = ('infrared', 'scan:5', 'goal', 'leader', 'neighbours', 'wind', 'twist')
OWN_CODE = '''
"""A class that looks at all that it is given, remembers, draws, and broadcasts."""
import math


class Own:
    def __init__(self, speed=0.4):
        self.speed = speed
        self.turned = 0.0

    def step(self, observation, rng):
        x, y, yaw = observation.poses[observation.robot_id]
        to = math.atan2(observation.goal[1] - y, observation.goal[0] - x) - yaw
        free = min(1.0, float(min(observation.scan.ranges)))
        crowd = sum(observation.infrared.tolist()) / 30.0 + len(observation.neighbours.range)
        moved = math.hypot(observation.odometry.x, observation.odometry.y)
        self.turned += observation.dt * observation.twist[2]
        blown = math.hypot(*observation.wind)
        turn = math.sin(to) + 0.1 * crowd - 0.05 * moved + 0.2 * self.turned + blown
        speed = self.speed * free * (0.9 + 0.1 * rng.random())
        return speed, turn, bytes([int(10 * free)])
'''
PACKAGE_CODE = '''
"""Controllers of another package."""
from typing import Annotated, NamedTuple

from sbot.controllers.entry import Entry
from sbot_common.params import Param


class Circle:
    """Drives in a circle."""

    def __init__(self, speed=0.3):
        self.speed = speed

    def step(self, observation, rng):
        return self.speed * min(1.0, 0.5 + float(observation.scan.ranges[0])), 0.5


class Parameters(NamedTuple):
    speed: Annotated[float, Param('m/s', 'Speed.', minimum=0.0, maximum=9.0)] = 0.3


ENTRY = Entry('spiral', 'Drives in a spiral.', lambda place: Circle(place.parameters.speed),
              Parameters(), fields=('scan',))
'''
INSTALLED = {'every_circle': 'every_package:Circle', 'every_spiral': 'every_package:ENTRY'}


class Case(NamedTuple):
    name: str
    parameters: dict[str, Any]


def cases() -> list[Case]:
    """Every controller; a new one that is shipped needs no word here."""
    found = []
    for entry in shipped()[:-1]:
        if entry.name == PREFIX:
            with contextlib.suppress(InputError):  # navground is not installed
                found += [Case(name, {}) for name in _behavior_names('navground')]
        elif not entry.outside:
            found.append(Case(entry.name, NEEDED.get(entry.name, {})))
    return [*found, Case(OWN, {}), *(Case(name, {}) for name in INSTALLED)]


def policy(inputs, weights, memory, outputs, layers, dt):
    """Drive towards the goal; remember what was near."""
    for i in range(15):
        memory[0] += dt * inputs[i]
    for i in range(15, 20):
        memory[1] += dt * inputs[i]
    outputs[0] = 0.8 + weights[0] * memory[0]
    outputs[1] = weights[1] * inputs[21] + 0.1 * memory[1] - 0.2 * inputs[26] + 0.1 * inputs[28]


def write_files(folder):
    """Write the modules and the files that the cases name into a folder."""
    (folder / 'every_own.py').write_text(OWN_CODE)
    (folder / 'every_package.py').write_text(PACKAGE_CODE)
    network = sbot.network('ctrnn', INPUTS, hidden=[3], outputs='twist', max_speed=0.4, turn=1.0,
                           hold=2)  # as its file says, without a parameter
    weights = np.random.default_rng(4).normal(size=network.weight_count)
    weights[-8] = 2.0  # bias of the speed
    sbot.save_network(folder / 'every_network.json', network, weights)
    sbot.save_policy(folder / 'every_policy.json', sbot.function_policy(
        policy, INPUTS, weights=2, memory=2, outputs='twist', max_speed=0.4, turn=1.0),
        [-0.3, 0.7])


def installed(folder):
    """Have the folder's package installed, and its modules found."""
    return installed_package(folder, 'every_package', registry.GROUP, INSTALLED,
                             registry.installed, registry._load_entry)
