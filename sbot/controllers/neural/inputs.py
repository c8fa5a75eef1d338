# SPDX-License-Identifier: Apache-2.0
"""Inputs of a network by name: what a robot senses, scaled to about [-1, 1].

=============  ======  =======================================================================
name           values  each
=============  ======  =======================================================================
``infrared``   15      reading / 30.176144, the default table's reading at contact
``scan:S``     S       1 - nearest range of one of S equal sectors / range_max; 0: free
``goal``       3       cosine and sine of its bearing, distance / (1 m + distance)
``leader``     3       the same, to robot 0
``neighbours`` 3       mean of cosine and of sine of the bearings heard, weighted by
                       1 / (1 m + range); share of the others that is heard
``wind``       2       effective wind in the robot's frame (m/s)
``twist``      3       m/s, m/s, rad/s in the robot's frame
``pose``       4       x, y (m), cosine and sine of the yaw, frame `map`
``NAME:N``     N       the N numbers of a reading of another sensor, not scaled, e.g. ``imu:4``
=============  ======  =======================================================================

Each is computed by one function from what messages carry, so that a batch of worlds, an in-process
run and a node give a network the same bits.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from sbot_common.arrays import Floats, Floats32, Integers
from sbot_common.compiled.jit import njit, njit_inline
from sbot_common.elementary import (
    atan2,
    atan2_of,
    copy_numbers,
    hypot,
    hypot_of,
    sincos,
    sincos_of,
)
from sbot_common.errors import InputError, bad_value

INFRARED, SCAN, GOAL, LEADER, _NEIGHBOURS, WIND, TWIST, POSE, READING = range(9)
NAMES = ('infrared', 'scan', 'goal', 'leader', 'neighbours', 'wind', 'twist', 'pose')
SIZES = (15, 0, 3, 3, 3, 2, 3, 4)
# The fields of an ``Observation`` that an input is made of, where poses do not do.
FIELDS = {'infrared': 'infrared', 'scan': 'scan', 'neighbours': 'neighbours', 'wind': 'wind',
          'twist': 'twist'}
_MOST = 1000  # sectors, or numbers of a reading
CONTACT_READING = 30.176144


def parse_input(name: str) -> tuple[int, int]:
    """Return (kind, number of values) of an input's name.

    Raises
    ------
    InputError
        if there is no such input.

    """
    base, colon, number = name.partition(':')
    if base not in NAMES and not (colon and base.isidentifier()):
        raise bad_value('inputs', name, f"one of {', '.join(NAMES)} (scan:8 for 8 sectors), or "
                        'another sensor and how many numbers it reads, e.g. imu:4')
    if base in NAMES and base != 'scan':
        if colon:
            raise bad_value('inputs', name, f'{base} without a number')
        return NAMES.index(base), SIZES[NAMES.index(base)]
    if not number.isdecimal() or len(number) > 4 or not 1 <= int(number) <= _MOST:
        what = 'sectors' if base == 'scan' else 'numbers'
        raise bad_value('inputs', name, f'{base}:S with S {what}, 1 to {_MOST}')
    return SCAN if base == 'scan' else READING, int(number)


def field_of(name: str) -> str | None:
    """Return the field of an ``Observation`` that an input is made of; None where poses do."""
    base, _, _ = name.partition(':')
    return FIELDS.get(base) if base in NAMES else base


def check_beams(name: str, sectors: int, beams: int) -> None:
    """Raise InputError for a scan input with more sectors than beams: some would be empty."""
    if sectors > beams:
        raise bad_value('inputs', name, f'at most scan:{beams}, one sector per beam; or set '
                        f'sensors.scan_beams, now {beams}, to at least {sectors}')


def input_table(names: tuple[str, ...]) -> Integers:
    """Return (inputs, 3): kind, first column, number of values.

    Raises
    ------
    InputError
        for an unknown name, or one that is there twice.

    """
    if len(set(names)) < len(names) or not names:
        raise InputError(f'inputs: got {list(names)}, expected different names, at least one')
    rows, column = [], 0
    for name in names:
        kind, size = parse_input(name)
        rows.append((kind, column, size))
        column += size
    return np.array(rows, np.int64)


@njit
def _infrared_inputs(readings: Floats32, out: Floats) -> None:
    """Write scaled readings (S,)."""
    for i in range(len(readings)):
        out[i] = float(readings[i])
    for i in range(len(readings)):  # on its own: in vectors, since ``out`` has no gaps
        out[i] /= CONTACT_READING


@njit
def _scan_inputs(ranges: Floats32, range_max: float, out: Floats) -> None:
    """Write how near the nearest echo of each sector is; beams (B,) m are shared out evenly."""
    beams, sectors = len(ranges), len(out)
    if beams == sectors:  # on its own: in vectors
        for s in range(sectors):
            out[s] = min(1.0, max(0.0, 1.0 - min(math.inf, float(ranges[s])) / range_max))
        return
    width = beams // sectors if beams % sectors == 0 else 0  # whole divisions take long
    end = 0
    for s in range(sectors):
        first, end = end, (s + 1) * width if width > 0 else (s + 1) * beams // sectors
        nearest = math.inf
        for i in range(first, end):
            nearest = min(nearest, float(ranges[i]))
        out[s] = min(1.0, max(0.0, 1.0 - nearest / range_max))


@njit
def place_inputs(pose: Floats, x: float, y: float, out: Floats) -> None:
    """Write direction and distance of (x, y) (m, `map`) as seen from a pose (3,).

    A place that is not known, NaN, has no direction and is far away.
    """
    dx, dy = x - pose[0], y - pose[1]
    if math.isnan(dx + dy):
        out[0], out[1], out[2] = 0.0, 0.0, 1.0
        return
    distance = hypot(dx, dy)
    # A place without a direction, as the leader has of itself, is ahead: not where the map's x is.
    bearing = atan2(dy, dx) - pose[2] if distance > 0.0 else 0.0
    sine, cosine = sincos(bearing)
    out[0], out[1] = cosine, sine
    out[2] = distance / (1.0 + distance)


@njit
def _goal_inputs(pose: Floats, goal: Floats, out: Floats) -> None:
    """Do ``place_inputs`` for R robots with goals (R, 2), in vectors; ``out`` is (R, 3)."""
    room = np.empty((5, len(pose)))
    dx, dy, distance, bearing, sine = room[0], room[1], room[2], room[3], room[4]
    for i in range(len(pose)):
        dx[i], dy[i] = goal[i, 0] - pose[i, 0], goal[i, 1] - pose[i, 1]
    hypot_of(dx, dy, distance)
    atan2_of(dy, dx, bearing)
    for i in range(len(pose)):
        bearing[i] = bearing[i] - pose[i, 2] if distance[i] > 0.0 else 0.0
    sincos_of(bearing, sine, dx)
    for i in range(len(pose)):
        known = not math.isnan(distance[i])
        out[i, 0], out[i, 1] = dx[i] if known else 0.0, sine[i] if known else 0.0
        out[i, 2] = distance[i] / (1.0 + distance[i]) if known else 1.0


@njit
def _neighbour_inputs(ranges: Floats, bearings: Floats, robots: int, out: Floats) -> None:
    """Write the weighted mean direction of those heard, (M,) m and rad, and their share."""
    total, x, y = 0.0, 0.0, 0.0
    for i in range(len(ranges)):
        # As a message carries them, whoever asks.
        weight = 1.0 / (1.0 + float(np.float32(ranges[i])))
        sine, cosine = sincos(float(np.float32(bearings[i])))
        total += weight
        x += weight * cosine
        y += weight * sine
    out[0] = x / total if total > 0.0 else 0.0
    out[1] = y / total if total > 0.0 else 0.0
    out[2] = len(ranges) / max(1, robots - 1)


@njit
def wind_inputs(yaw: float, x: float, y: float, out: Floats) -> None:
    """Write a vector (x, y) of frame `map` in the robot's frame."""
    sine, cosine = sincos(yaw)
    out[0], out[1] = cosine * x + sine * y, cosine * y - sine * x


@njit
def pose_inputs(pose: Floats, out: Floats) -> None:
    """Write a pose (3,)."""
    sine, cosine = sincos(pose[2])
    out[0], out[1], out[2], out[3] = pose[0], pose[1], cosine, sine


class Senses(NamedTuple):
    """What R robots sense: rows of a batch, or the one row of a robot; empty where not sensed."""

    pose: Floats  # (R or more, 3) x, y (m), yaw (rad)
    goal: Floats  # (R, 2) m
    infrared: Floats32  # (R, 15)
    ranges: Floats32  # (R, beams of the widest scan) m
    kit: Integers  # (R,) number of the lasers that it carries
    beams: Integers  # of the first laser of each kit
    range_max: Floats  # m, of that
    wind: Floats  # (R, 2) m/s, frame `map`
    twist: Floats  # (R, 3)


class Heard(NamedTuple):
    """What the robots of one world hear from each other."""

    starts: Integers  # (N + 1,) robot i hears rows starts[i] ... starts[i + 1] - 1
    range: Floats  # m
    bearing: Floats  # rad


@njit_inline
def gather_goals(first: int, end: int, table: Integers, senses: Senses, out: Floats) -> None:
    """Write the input ``goal``, where there is one, of robots first … end-1, in vectors."""
    for t in range(len(table)):
        if table[t, 0] == GOAL:
            _goal_inputs(senses.pose[first:end], senses.goal[first:end],
                         out[first:end, table[t, 1]:table[t, 1] + table[t, 2]])


@njit_inline
def gather_inputs(first: int, end: int, leader: int, robots: int, table: Integers, senses: Senses,
                  heard: Heard, out: Floats) -> None:
    """Write the inputs of robots first ... end-1 of one world, but those of readings and goals.

    Parameters
    ----------
    leader : row of robot 0's pose
    robots : how many there are in the world
    table : ``input_table``
    senses, heard : of these robots; ``heard`` begins with robot ``first``
    out : (R, I), written to

    """
    for t in range(len(table)):
        kind, column = table[t, 0], table[t, 1]
        for row in range(first, end):
            pose, values = senses.pose[row], out[row, column:column + table[t, 2]]
            if kind == INFRARED:
                _infrared_inputs(senses.infrared[row], values)
            elif kind == SCAN:
                kit = senses.kit[row]
                _scan_inputs(senses.ranges[row, :senses.beams[kit]], senses.range_max[kit], values)
            elif kind == LEADER:
                place_inputs(pose, senses.pose[leader, 0], senses.pose[leader, 1], values)
            elif kind == _NEIGHBOURS:
                a, z = heard.starts[row - first], heard.starts[row - first + 1]
                _neighbour_inputs(heard.range[a:z], heard.bearing[a:z], robots, values)
            elif kind == WIND:
                wind_inputs(pose[2], senses.wind[row, 0], senses.wind[row, 1], values)
            elif kind == TWIST:
                copy_numbers(senses.twist[row], values)
            elif kind == POSE:
                pose_inputs(pose, values)
