"""Plays the controller of one robot to a running `sbot_sim`, calls its services, prints JSON.

    node_driver.py CASE
"""

import json
import subprocess
import sys
import threading
import time

import numpy as np
import rclpy
from std_srvs.srv import SetBool, Trigger

from sbot_common import ros, topics
from sbot_common.wire import cdr, messages
from sbot_common.wire.messages import write_pose, write_twist

DEADLINE_S = 240.0  # a first start compiles
SILENCE_S = 10.0  # that a run with a silent robot lasts
SCENARIO = """
name: driven
duration: DURATION
lockstep_timeout: TIMEOUT
world: {bounds: [0, 0, 10, 10]}
sensors: {scan_beams: 8, range_and_bearing: true}
robots: [{pose: [2, 5, 0], goal: [8, 5]}]
wind: {wind_speed_mean: 0.1}
"""
COMMAND = write_twist(0.5, 0.0, 0.0)


def process(module, **parameters):
    arguments = ['--ros-args']
    for name, value in parameters.items():
        arguments += ['-p', f'{name}:={value}']
    return subprocess.Popen(
        [sys.executable, '-c', f'import sys; from {module} import main; sys.exit(main())',
         *arguments], stderr=subprocess.STDOUT, stdout=subprocess.PIPE, text=True)


class Driver:
    """Answers each scan with a command, as long as ``answers`` is set.

    It lets itself be found, and so the run begin, when everything else has been found.
    """

    def __init__(self, answers=True, duration=3.0, timeout=DEADLINE_S, more='', **parameters):
        text = SCENARIO.replace('DURATION', str(duration)).replace('TIMEOUT', str(timeout))
        if more:
            text = text.replace('goal: [8, 5]', 'controller: none') + more
        self.simulator = process('sbot.ros.simulator',
                                 scenario_text=json.dumps(text), **parameters)
        self.log = []
        self.reader = threading.Thread(
            target=lambda: self.log.extend(iter(self.simulator.stdout.readline, '')))
        self.reader.start()
        self.wind = process('wind_model.node', trigger='inputs', wind_speed_mean=0.1)
        rclpy.init()
        self.node = rclpy.create_node('driver')
        self.answers, self.ended = answers, False
        self.scans, self.poses, self.heard = [], {}, {}
        self.teleport = ros.advertise(self.node, topics.TELEPORT, '/teleport')
        self.services = {
            name: self.node.create_client(kind, f'/sbot_sim/{name}')
            for name, kind in (('pause', SetBool), ('step', Trigger), ('reset', Trigger))}
        self.until(lambda: all(s.service_is_ready() for s in self.services.values())
                   and self.teleport.get_subscription_count())
        self.command = ros.advertise(self.node, topics.CMD_VEL, '/cmd_vel')
        ros.subscribe(self.node, topics.BASE_POSE_GROUND_TRUTH, '/base_pose_ground_truth',
                      self.on_pose)
        ros.subscribe(self.node, topics.BASE_SCAN, '/base_scan', self.on_scan)

    def on_pose(self, raw):
        message = cdr.decode(raw, topics.BASE_POSE_GROUND_TRUTH.type)
        self.poses[cdr.stamp_ns(message.header.stamp)] = message.pose.pose.position.x

    def on_scan(self, raw):
        self.scans.append(cdr.stamp_ns(cdr.decode(raw, topics.BASE_SCAN.type).header.stamp))
        if self.answers:
            self.command.publish(COMMAND)

    def until(self, condition, patience=DEADLINE_S):
        deadline = time.monotonic() + patience
        while not condition():
            if time.monotonic() > deadline or (not self.ended and
                                               self.simulator.poll() is not None):
                self.simulator.kill()
                self.wind.kill()
                raise SystemExit(f'not within {patience} s; {"".join(self.log)}')
            rclpy.spin_once(self.node, timeout_sec=0.05)

    def passes(self, seconds):
        """Go on for some time."""
        end = time.monotonic() + seconds
        self.until(lambda: time.monotonic() > end)

    def logged(self, words):
        return sum(words in line for line in self.log)

    def call(self, name, request=None):
        request = request or self.services[name].srv_type.Request()
        future = self.services[name].call_async(request)
        self.until(future.done)
        return future.result().success

    def pause(self, on):
        return self.call('pause', SetBool.Request(data=on))

    def end(self):
        """Return exit code and output of the simulator."""
        self.ended = True
        self.until(lambda: self.simulator.poll() is not None)
        self.reader.join()
        self.wind.terminate()
        return {'exit': self.simulator.returncode, 'log': ''.join(self.log),
                'wind': self.wind.wait(DEADLINE_S)}


def stamp(tick):
    return (tick + 1) * 10**9 // 30


def pause(driver):
    """Silent for longer than the time-out, but paused; then two steps."""
    driver.until(lambda: driver.scans)
    driver.pause(True)
    driver.passes(SILENCE_S + 1.0)
    driver.answers = True
    alive = driver.simulator.poll() is None
    driver.until(lambda: driver.scans[-1] == stamp(0) and len(driver.scans) > 1)
    for k in (1, 2):
        assert driver.call('step')
        driver.until(lambda k=k: stamp(k) in driver.scans)
    driver.passes(0.3)
    newest = max(driver.scans)
    driver.pause(False)
    return {'alive': alive, 'newest': newest, 'step': driver.call('step')}


def driven(driver):
    """Commands for a robot without a controller, until it has come forward."""
    driver.answers = False
    driver.until(lambda: driver.poses)
    while driver.poses[max(driver.poses)] < 3.0:
        seen = max(driver.poses)
        driver.command.publish(COMMAND)
        driver.until(lambda seen=seen: max(driver.poses) > seen)
    driver.simulator.terminate()
    return {}


def foreign(driver):
    """Another publisher of a scan."""
    driver.until(lambda: stamp(2) in driver.scans)
    driver.other = ros.advertise(driver.node, topics.BASE_SCAN, '/base_scan')
    return {}


def damaged(driver):
    """Bytes that are no messages, twice each; a goal in big-endian CDR; another frame."""
    driver.until(lambda: driver.scans)
    good = write_pose(0, 'map', 3.0, 3.0)
    big = cdr.typestore().serialize_cdr(
        cdr.decode(good, topics.GOAL.type), topics.GOAL.type, little_endian=False)
    for topic, name, others in (
            (topics.GOAL, '/goal', [big]), (topics.RAB_DATA, '/rab_data', []),
            (topics.TELEPORT, '/teleport', [write_pose(0, 'odom', 3.0, 3.0)])):
        publisher = ros.advertise(driver.node, topic, name)
        driver.until(lambda publisher=publisher: publisher.get_subscription_count())
        for raw in (*map(bytes, others), good[:20], b'\0\1\0\0'):
            publisher.publish(raw)
        driver.until(lambda name=name: driver.logged(f'{name}: '))
    driver.until(lambda: driver.logged("frame: got 'odom'"))
    seen = max(driver.scans)
    driver.until(lambda: max(driver.scans) > seen)
    driver.simulator.terminate()
    return {}


def teleport(driver):
    """Somewhere free, into a wall, to a pose that is no number; then reset."""
    driver.until(lambda: driver.scans)
    driver.pause(True)
    for pose, happened in (
            ((6.0, 3.0), lambda: driver.poses[max(driver.poses)] > 4.0),
            ((0.1, 3.0), lambda: driver.logged('too near') == 1),
            ((float('nan'), 3.0), lambda: driver.logged('not finite') == 1)):
        driver.teleport.publish(write_pose(0, 'map', *pose, 0.0))
        while not happened():
            tick = len(driver.poses)
            driver.call('step')
            driver.until(lambda tick=tick: len(driver.poses) > tick)
    before = dict(driver.poses)
    driver.poses.clear()
    driver.call('reset')
    driver.call('step')
    driver.until(lambda: stamp(0) in driver.poses)
    again = dict(driver.poses)
    driver.pause(False)
    return {'before': list(before.values()), 'again': again[stamp(0)]}


def pose_estimate(frame_id, x, y):
    """What rviz2's 2D Pose Estimate sends."""
    return cdr.encode(cdr.message(
        topics.INITIAL_POSE.type, header=cdr.header(0, frame_id), pose=cdr.message(
            'geometry_msgs/msg/PoseWithCovariance', covariance=np.zeros(36),
            pose=messages.pose(messages.point(x, y), messages.quaternion(0.0, 1.0)))))


def initial_pose(driver):
    """A pose estimate in another frame, then one in map."""
    driver.until(lambda: driver.scans)
    publisher = ros.advertise(driver.node, topics.INITIAL_POSE, '/initialpose')
    driver.until(publisher.get_subscription_count)
    for frame_id, happened in (('odom', lambda: driver.logged("frame: got 'odom'")),
                               ('map', lambda: driver.poses[max(driver.poses)] > 4.0)):
        publisher.publish(pose_estimate(frame_id, 6.0, 3.0))
        driver.until(happened)
    driver.simulator.terminate()
    return {'poses': [driver.poses[stamp] for stamp in sorted(driver.poses)]}


def amcl(driver):
    """AMCL localises, so that a pose estimate is for it."""
    driver.until(lambda: driver.scans)
    return {name: driver.node.count_subscribers(f'/{name}') for name in (
        'teleport', 'initialpose')}


if __name__ == '__main__':
    case = sys.argv[1]
    driver = Driver(**{
        'pause': {'answers': False, 'timeout': SILENCE_S},
        'driven': {'duration': 1000.0, 'more': 'lockstep: true',
                   'target_real_time_factor': 1.0},
        'driven_freely': {'duration': 1000.0, 'more': 'lockstep: false'},
        'foreign': {'duration': 1000.0},
        'damaged': {'duration': 1000.0, 'target_real_time_factor': 1.0},
        'teleport': {'target_real_time_factor': 1.0},
        'initial_pose': {'duration': 1000.0, 'target_real_time_factor': 1.0},
        'amcl': {'publish_map_odom_tf': 'false'}}[case])
    answers = globals()[case.partition('_freely')[0]](driver)
    print(json.dumps({**answers, **driver.end(), 'last': max(driver.scans)}))
    rclpy.shutdown()
