"""Drives a running `wind_model`: sends /clock, sets parameters, prints what came as JSON."""

import json
import sys
import time

import rclpy
from rcl_interfaces.srv import SetParameters
from rclpy.parameter import Parameter

from sbot_common import ros, topics
from sbot_common.wire import cdr
from sbot_common.wire.messages import write_clock
from wind_model import messages

DEADLINE_S = 240.0


class Driver:
    def __init__(self):
        rclpy.init()
        self.node = rclpy.create_node('driver')
        self.got = {'velocity': [], 'force': [], 'field': [], 'markers': []}
        for topic, key, decode in (
                (topics.WIND_VELOCITY, 'velocity', self.vector),
                (topics.WIND_FORCE, 'force', self.vector),
                (topics.WIND_FIELD, 'field', self.field),
                (topics.WIND_MARKERS, 'markers', self.markers)):
            ros.subscribe(self.node, topic, topic.name,
                          lambda raw, key=key, decode=decode: self.got[key].append(decode(raw)))
        self.clock = ros.advertise(self.node, topics.CLOCK, topics.CLOCK.name)
        self.client = self.node.create_client(SetParameters, '/wind_model/set_parameters')
        self.until(lambda: self.clock.get_subscription_count() and self.client.service_is_ready()
                   and all(self.node.count_publishers(f'/wind/{key}') for key in self.got))

    @staticmethod
    def vector(raw):
        stamp_ns, vector = messages.decode_vector(raw)
        return [stamp_ns, *vector.tolist()]

    @staticmethod
    def field(raw):
        field = messages.decode_field(raw)
        return None if field is None else list(field.u.shape)

    @staticmethod
    def markers(raw):
        return len(cdr.decode(raw, topics.WIND_MARKERS.type).markers)

    def until(self, condition):
        deadline = time.monotonic() + DEADLINE_S
        while not condition():
            if time.monotonic() > deadline:
                raise SystemExit(f'nothing came in {DEADLINE_S} s; so far {self.got}')
            rclpy.spin_once(self.node, timeout_sec=0.05)

    def tick(self, stamp_ns):
        count = len(self.got['force']) + 1
        self.clock.publish(write_clock(stamp_ns))
        self.until(lambda: len(self.got['force']) >= count and len(self.got['velocity']) >= count)

    def set(self, **values):
        request = SetParameters.Request()
        request.parameters = [Parameter(name, value=value).to_parameter_msg()
                              for name, value in values.items()]
        future = self.client.call_async(request)
        self.until(future.done)
        results = future.result().results
        return [results[0].successful, results[0].reason]


def inputs(driver, field_path):
    driver.until(lambda: driver.got['field'] and driver.got['markers'])
    for stamp in (100, 1_000_000_000, 1_999_999_999, 2_000_000_000, 2_000_000_000):
        driver.tick(stamp)
    answers = {
        'speed': driver.set(wind_speed_mean=3),
        'bad speed': driver.set(wind_speed_mean=-1.0),
        'zero direction': driver.set(wind_direction=[0.0, 0.0, 0.0]),
        'offset': driver.set(xyz_offset=[0.0, 1.0, 0.0]),
        'two numbers': driver.set(wind_direction=[1.0, 0.0]),
        'no file': driver.set(use_custom_static_wind_field=True, custom_wind_field_path='nowhere')}
    driver.tick(2_000_000_000)  # the stored answer
    driver.tick(3_000_000_000)  # the changed speed
    answers['field'] = driver.set(use_custom_static_wind_field=True) or None
    answers['path'] = driver.set(custom_wind_field_path=field_path)
    answers['use'] = driver.set(use_custom_static_wind_field=True)
    driver.tick(4_000_000_000)
    driver.until(lambda: len(driver.got['field']) > 1 and driver.got['markers'][-1] > 10)
    return answers


def timer(driver, _):
    driver.until(lambda: len(driver.got['velocity']) >= 5)
    return {}


if __name__ == '__main__':
    mode, path = sys.argv[1:]
    driver = Driver()
    answers = {'inputs': inputs, 'timer': timer}[mode](driver, path)
    print(json.dumps({'answers': answers, **driver.got}))
    rclpy.shutdown()
