"""Functions that replace parts of the impulse pipeline (document 000 section 2.1)."""

import numpy as np

from wind_model.wake import reductions


def half_for_all(wake, starts, indexes, ranges, bearings, yaw, wind, advertised, own_radius):
    """Whoever hears anybody feels half of the wind."""
    return 0.5 * (np.diff(starts) > 0)


def document(*arguments):
    return reductions(*arguments)


def swirl(wind, reduction):
    return wind + reduction[:, np.newaxis] * np.column_stack([-wind[:, 1], wind[:, 0]])


def sideways(mass, speed, yaw):
    return (mass * speed)[:, np.newaxis] * np.column_stack([-np.sin(yaw), np.cos(yaw)])


def wrong(*arguments):
    return [1.0, 2.0, 3.0]


def raises(*arguments):
    return divide(len(arguments))


def divide(number):
    return number / 0
