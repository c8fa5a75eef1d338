"""Scenarios with all that a world may have, and commands for their robots."""

from pathlib import Path

import numpy as np

from sbot_common.observation import OMEGA, VX
from sbot_sim.drives.registry import SIDEWAYS

HOOKS = str(Path(__file__).parent / 'runner')
SENSORS = {'scan_beams': 19, 'scan_range_max': 2.0, 'scan_noise_std': 0.01,
           'scan_sees_robots': True, 'odometry_noise_slip': 0.02, 'odometry_noise_radius': 0.01,
           'infrared': True}
PLAIN = {'rate': 10, 'python_path': [HOOKS], 'sensors': SENSORS,
         'world': {'bounds': [0, 0, 3, 3], 'circles': [{'center': [2, 2], 'radius': 0.3}]},
         'robots': [{'count': 4, 'body': 's-bot', 'controller': 'none'}]}
RECTANGLE = {'like': 's-bot', 'length': 0.2, 'width': 0.1, 'offset': 0.02}
PATHS = [{'radius': 0.2, 'path': [[0.5, 0.5], [2.5, 0.5], [2.5, 2.5]], 'speed': 0.3},
         {'radius': 0.1, 'path': [[0.4, 2.6], [1.4, 2.6]], 'speed': 0.2, 'at_end': 'turn'}]
BOXES = [{'center': [1, 1], 'size': [0.3, 0.2], 'mass': 1.0},
         {'center': [1.5, 2.2], 'radius': 0.15, 'mass': 0.5}]
HEARING = {**SENSORS, 'range_and_bearing': True}
IN_WIND = {'wind_speed_mean': 0.05, 'wake': True}


def field(name):
    return {'use_custom_static_wind_field': True, 'custom_wind_field_path': f'wind/{name}.txt'}


SCENARIOS = {
    'rectangles': {'bodies': {'brick': RECTANGLE}, 'robots': [
        {'count': 3, 'body': 'brick', 'controller': 'none'},
        {'count': 2, 'body': 's-bot', 'controller': 'none'}]},
    'moving obstacles': {'world': {**PLAIN['world'], 'moving': PATHS},
                         'sensors': HEARING, 'wind': IN_WIND},
    'boxes': {'world': {**PLAIN['world'], 'boxes': BOXES}},
    'all that moves': {'world': {**PLAIN['world'], 'moving': PATHS, 'boxes': BOXES},
                       'bodies': {'brick': RECTANGLE},
                       'robots': [{'count': 3, 'body': 'brick', 'controller': 'none'}]},
    'turbulence of places': {'wind': {'wind_speed_mean': 0.05, 'turbulence': 'place',
                                      'turbulence_speed': 0.04}},
    'turbulence of robots': {'wind': {**IN_WIND, 'turbulence': 'robot',
                                      'turbulence_speed': 0.04}},
    'above terrain': {'wind': {**field('hill'), 'wind_height_above_terrain': 0.5}},
    'blocking hook': {'wind': {**IN_WIND, 'blocking_function': 'user_hooks:half_for_all'}},
    'wind hook': {'sensors': HEARING,
                  'wind': {**IN_WIND, 'effective_wind_function': 'user_hooks:swirl'}},
    'omnidirectional': {'bodies': {'omni': {'like': 's-bot', 'drive': 'omnidirectional'}},
                        'robots': [{'count': 3, 'body': 'omni', 'controller': 'none'},
                                   {'count': 2, 'body': 's-bot', 'controller': 'none'}],
                        'wind': IN_WIND},
    'imu and gnss': {'sensors': {**SENSORS, 'imu': True, 'imu_noise_yaw': 0.01,
                                 'imu_noise_acceleration': 0.1, 'imu_noise_turn_rate': 0.01,
                                 'imu_bias_turn_rate': 0.1, 'imu_bias_acceleration': 0.1,
                                 'gnss': True, 'gnss_latitude': 47.4, 'gnss_noise': 0.5,
                                 'gnss_noise_vertical': 1.0},
                     'wind': {'wind_speed_mean': 0.05}},
    'drive hook': {'bodies': {'s-bot': {'drive': 'impulse'}},
                   'wind': {'wind_speed_mean': 0.02, 'wind_gust_force_mean': 0.2,
                            'wind_gust_start': 0.3, 'wind_gust_duration': 0.4,
                            'drive_impulse_function': 'user_hooks:sideways'}}}

def commands_of(rng, worlds):
    """Commands of which some press robots against each other and against walls."""
    commands = np.zeros((worlds.count, worlds.robots, 3))
    commands[..., [VX, OMEGA]] = rng.uniform(-1, 1, commands[..., :2].shape) * [0.15, 1] + [.05, 0]
    sideways = np.array(SIDEWAYS)[worlds.setting.bodies.drive].reshape(commands.shape[:2])
    commands[sideways, 1] = rng.uniform(-0.1, 0.1, int(sideways.sum()))
    return commands
