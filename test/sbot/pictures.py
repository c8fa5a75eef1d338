"""Recordings and crowds for the tests of pictures."""

import base64
import zlib

import numpy as np

from sbot.runner.loop import run_scenario
from sbot.scenario.load import load_scenario

SCENARIO = """
name: pictured
duration: %s
seed: 3
world:
  bounds: [0, 0, 16, 10]
  segments: [[9, 1, 11, 3]]
  circles: [{center: [8, 6.5], radius: 0.8}]
  rectangles: [{center: [5, 2], size: [1, 2], yaw: 0.4}]
  polygons: [{corners: [[11, 8], [13, 8], [13, 9.5], [12, 8.6]]}]
robots: [%s]
sensors: {odometry_noise_slip: 0.02, laser_x: 0.1, laser_y: -0.05, laser_yaw: 0.2}
wind: {wake: true, wind_direction: [1, 0.5, 0], wind_speed_mean: 0.2}
"""
LEADER = '{pose: [3, 5, 0], goal: [13, 5.5]}'
FOLLOWERS = '{pose: [1.5, 4, 0]}, {pose: [1.5, 6, 0]}, {pose: [1, 5, 0.3]}'


def scenario(folder, robots=4, duration=4.0):
    text = SCENARIO % (duration, LEADER if robots == 1 else f'{LEADER}, {FOLLOWERS}')
    path = folder / f'pictured_{robots}.yaml'
    path.write_text(text)
    return load_scenario(str(path))


def record(folder, robots=4, duration=4.0):
    bag = folder / f'bag_{robots}'
    return bag, run_scenario(scenario(folder, robots, duration), record=bag)


def crowd(data, count, ticks=60):
    rng = np.random.default_rng(0)
    t = np.arange(ticks)[:, None] / 30
    radius, phase = rng.uniform(0.5, 4.5, count), rng.uniform(0, 6.3, count)
    poses = np.stack([8 + radius * np.cos(t + phase), 5 + radius * np.sin(t + phase),
                      (t + phase + 9) % 6.28 - 3.14], axis=2)
    wind = np.tile([0.1, 0.0], (ticks, count, 1))
    return data._replace(stamps_ns=data.stamps_ns[:ticks], poses=poses, wind=wind,
                         free_wind=2 * wind, radius=np.full(count, 0.05))


def unpacked(table):
    """Return what the page makes of a packed table: another reading of the same format."""
    raw = np.frombuffer(zlib.decompress(base64.b64decode(table['data'])), '<u2')
    codes = np.cumsum(raw.reshape(table['channels'], table['frames']), axis=1, dtype=np.uint16).T
    repeat = table['channels'] // len(table['low'])
    values = np.tile(table['low'], repeat) + codes * np.tile(table['step'], repeat)
    return np.where(codes == 0xFFFF, np.nan, values) if table['holes'] else values
