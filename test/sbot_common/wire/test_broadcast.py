import math

import numpy as np
import pytest

import sbot
from sbot_common.observation import Neighbours


def heard(*said):
    data = np.zeros((len(said), 10), np.uint8)
    for row, given in zip(data, said, strict=True):
        row[0] = 58
        row[1:1 + len(given)] = np.frombuffer(given, np.uint8)
    return Neighbours(np.zeros(len(said), np.float32), np.zeros(len(said), np.float32), data)


def test_what_is_packed_is_unpacked():
    message = sbot.Broadcast(heading='float32', hops='uint8', home='bool', x='int16')
    assert message.size == 8
    one = message.pack(heading=-1.5, hops=255, home=True, x=-300)
    assert one == b'\x00\x00\xc0\xbf\xff\x01\xd4\xfe'
    read = message.unpack(heard(one, b''))
    assert read.heading.tolist() == [-1.5, 0.0]
    assert read['hops'].tolist() == [255, 0]
    assert read.home.tolist() == [True, False]
    assert read.x.tolist() == [-300, 0]
    assert message.unpack(heard()).heading.shape == (0,)


def test_the_record_has_range_and_bearing():
    message = sbot.Broadcast(hops='uint8')
    neighbours = heard(b'\x05', b'\x07')._replace(
        range=np.array([0.5, 2.0], np.float32), bearing=np.array([-1.0, 3.0], np.float32))
    read = message.unpack(neighbours)
    assert (read.range.tolist(), read.bearing.tolist()) == ([0.5, 2.0], [-1.0, 3.0])
    assert read[read.range < 1.0].hops.tolist() == [5]


@pytest.mark.parametrize(('fields', 'error'), [
    ({'a': 'float'}, r"Broadcast\.a: got 'float', expected one of bool, int8, .*float64"),
    ({'a': 'float64', 'b': 'int16'}, r"got '10 bytes', expected 1 to 9 bytes"),
    ({}, r"got '0 bytes', expected 1 to 9 bytes"),
    ({'size': 'uint8'}, r"got 'size', expected a name that no attribute of an array has"),
    ({'range': 'float32'}, r"got 'range', expected .* not range or bearing"),
    ({'self': 'uint9'}, r"Broadcast\.self: got 'uint9'"),
])
def test_wrong_fields_are_one_line(fields, error):
    with pytest.raises(sbot.InputError, match=error):
        sbot.Broadcast(**fields)


@pytest.mark.parametrize(('values', 'error'), [
    ({'hops': 256, 'x': 0.0}, r'Broadcast\.hops: got 256, expected a whole number from 0 to 255'),
    ({'hops': -1, 'x': 0.0}, r'Broadcast\.hops: got -1'),
    ({'hops': 0.5, 'x': 0.0}, r'Broadcast\.hops: got 0\.5'),
    ({'hops': math.nan, 'x': 0.0}, r'Broadcast\.hops: got nan'),
    ({'hops': 1, 'x': 1e6}, r'Broadcast\.x: got 1000000\.0, expected a number that float16'),
    ({'hops': 1}, r'Broadcast needs x; give it a value'),
    ({'hops': 'x', 'x': 0.0}, r"Broadcast\.hops: got 'x', expected a number that uint8 can hold"),
    ({'hops': 1, 'x': 10 ** 400}, r'Broadcast\.x: got a whole number of 1329 bits'),
    ({'hop': 1, 'x': 0.0}, r"'hop'; did you mean 'hops'"),
])
def test_wrong_values_are_one_line(values, error):
    with pytest.raises(sbot.InputError, match=error):
        sbot.Broadcast(hops='uint8', x='float16').pack(**values)


def test_neighbours_read_it_a_tick_later():
    message = sbot.Broadcast(number='uint8')

    class Counter:
        def step(self, observation, rng):
            if observation.tick == 2:
                read.append(message.unpack(observation.neighbours).number.tolist())
            return 0.0, 0.0, message.pack(number=10 * observation.robot_id + observation.tick)

    read = []
    sbot.run({'duration': 0.1, 'world': {'bounds': [0, 0, 5, 5]},
              'sensors': {'range_and_bearing': True},
              'robots': [{'pose': [x, 2, 0], 'controller': Counter} for x in (1, 2, 3)]})
    assert read == [[11, 21], [1, 21], [1, 11]]


def test_only_neighbours_are_read():
    with pytest.raises(sbot.InputError, match=r'neighbours: got .* expected observation'):
        sbot.Broadcast(a='uint8').unpack(np.zeros((2, 10), np.uint8))
