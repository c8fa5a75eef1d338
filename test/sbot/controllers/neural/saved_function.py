"""A function policy with all that a file keeps of one: modules, functions, numbers, a tuple."""

import math
from math import hypot

import numpy as np

import sbot

GAIN, PAIR = 0.3, (1, (2.5, True))


def uses(inputs, weights, memory, outputs, layers, dt):
    """Use a module, a function of one, numbers and a tuple."""
    memory[0] += dt
    outputs[0] = GAIN * np.exp(-weights[0] * memory[0]) + math.inf * 0.0 * 0 + PAIR[1][0]
    outputs[1] = hypot(inputs[0], weights[1]) / len(inputs)


def policy_of(function, weights=2, memory=1):
    return sbot.function_policy(function, ['goal', 'scan:4'], weights=weights, memory=memory,
                                outputs='twist', max_speed=1 / 3, turn=1.1)
