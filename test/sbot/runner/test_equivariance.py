"""Equivariance: a scene that is turned and moved gives the same run, turned and moved.

Every controller that a scenario can name is tried: those of ``every_controller``, shipped
networks, and every class of the project and of its examples with ``step(observation, rng)``.
"""

import ast
import math
from pathlib import Path

import numpy as np
import pytest
import yaml
from every_controller import NEEDED, OWN
from every_controller import cases as every_case

from sbot.controllers.navground import PREFIX
from sbot.controllers.registry import NONE, names
from sbot.runner.loop import run_scenario
from sbot.scenario.load import parse_scenario

NEURAL = 'neural_controller.controller:Neural'
ROOT = Path(__file__).resolve().parents[3]
EXAMPLES, TEMPLATES = ROOT / 'examples', ROOT / 'config' / 'templates'
# Folders of shipped classes, and the package that a scenario names for them.
PACKAGES = {'potential_field_bot': 'potential_field_bot', 'wind_model': 'wind_model',
            'sbot/controllers/navigate': 'navigate',
            'sbot/controllers/neural': 'neural_controller'}
# Degrees, and m: the first turns without rounding but in the order of sums. Far away a place
# has an error of 6e-14 m in double, of 3e-5 m in single precision.
CHANGES = ((90.0, (0.0, 0.0)), (120.3, (700.0, -400.0)))
# Long enough to see obstacles and each other and to turn, short enough for the last bit not to
# decide on which side robots pass. Differences then are 1e-12 m, of navground's behaviours, which
# compute in float32, at most 1e-6 m; in a wrong frame ORCA makes 0.1 m of it.
SECONDS = 0.8
# Long enough for obstacles that move to be known as such, and to be met.
MOVING_SECONDS = 2.2
MOVING = (([-0.9, 0.6], [0.01, -1.18]), ([-2.6, -1.1], [-0.1, -1.1]))  # m
TOLERANCE = 1e-9  # m, rad
SINGLE_PRECISION = 1e-4  # m, rad


def with_step(path):
    """The names of a module's classes that have step(observation, rng)."""
    return [node.name for node in ast.parse(path.read_text('utf-8')).body
            if isinstance(node, ast.ClassDef)
            and any(isinstance(each, ast.FunctionDef) and each.name == 'step'
                    and [arg.arg for arg in each.args.args] == ['self', 'observation', 'rng']
                    for each in node.body)]


def is_own_class(controller):
    return ':' in controller and not controller.startswith(PREFIX)


def controllers():
    """Every value of `controller:` with the parameters that it needs."""
    yield from every_case()
    # FunctionController is made by its entry alone.
    behind_names = {'Navigate', 'PotentialField', 'WindAware', 'FunctionController'}
    folders = (EXAMPLES, TEMPLATES, *(ROOT / package for package in PACKAGES))
    for path in sorted(path for folder in folders for path in folder.glob('*.py')):
        named = PACKAGES.get(path.parent.relative_to(ROOT).as_posix())
        package = f'{named}.' if named else ''
        for name in with_step(path):
            if not package or name not in behind_names:
                yield from with_parameters(f'{package}{path.stem}:{name}')


def with_parameters(controller):
    if controller != NEURAL:
        return [(controller, {})]
    return [(controller, {'network': str(path)})
            for path in sorted((ROOT / 'config' / 'networks').glob('*.json'))]


def turned(scene, degrees=0.0, move=(0.0, 0.0)):
    """A scenario's values, turned about the origin and then moved."""
    angle = math.radians(degrees)
    # Exact for a right angle: there only the order of sums differs.
    c, s = (0.0, 1.0) if degrees == 90.0 else (math.cos(angle), math.sin(angle))

    def vector(x, y):
        return [c * x - s * y, s * x + c * y]

    def point(place):
        x, y = vector(*place)
        return [x + move[0], y + move[1]]

    def yaw(value):
        return math.remainder(value + angle, 2 * math.pi)

    world, wind = scene['world'], scene['wind']
    return {
        **scene,
        'world': {
            # Too far away for anything but a picture: bounds cannot be turned.
            'open': True, 'bounds': [move[0] - 40, move[1] - 40, move[0] + 40, move[1] + 40],
            'segments': [[*point(line[:2]), *point(line[2:])] for line in world['segments']],
            'circles': [{**each, 'center': point(each['center'])} for each in world['circles']],
            'rectangles': [{**each, 'center': point(each['center']), 'yaw': yaw(each['yaw'])}
                           for each in world['rectangles']],
            'polygons': [{'corners': [point(corner) for corner in each['corners']]}
                         for each in world['polygons']],
            'moving': [{**each, 'path': [point(place) for place in each['path']]}
                       for each in world['moving']]},
        'wind': {key: [*vector(*value[:2]), 0.0] if key.endswith('direction') else value
                 for key, value in wind.items()},
        'robots': [{**each, 'pose': [*point(each['pose'][:2]), yaw(each['pose'][2])],
                    **({'goal': point(each['goal'])} if 'goal' in each else {}),
                    'parameters': {key: yaw(value) if key == 'direction' else value
                                   for key, value in each['parameters'].items()}}
                   for each in scene['robots']]}


def scene(controller, parameters, kind, body, size):
    """Two robots meet, or one follows the other, among obstacles; ``size`` 1: some ten metres.

    ``kind`` 'moving': the robots meet and two obstacles cross their ways.
    """
    if controller == 'potential_field':
        # The angle of its random force is drawn in the map's frame (document 001, section 11).
        parameters = {'conversion_constant_zeta': 0.0}
    if controller == 'wind_aware':
        parameters = {'direction': 0.2}  # of those without a goal; `turned` turns it

    def at(*numbers):
        return [size * number for number in numbers]

    def robot(pose, goal):
        return {'pose': [*at(*pose[:2]), pose[2]], 'goal': at(*goal), 'body': body,
                'controller': controller, 'parameters': parameters}

    robots = [robot((-4.5, 0.1, 0.1), (5.0, 0.3)), robot((4.0, 0.0, 3.0), (-5.0, -0.2))]
    if kind == 'following':
        robots[1]['pose'] = [*at(-6.9, -1.4), 0.5]
        if is_own_class(controller) or controller in NEEDED:
            robots[1]['goal'] = at(4.0, 2.0)
        else:
            del robots[1]['goal']
    moving = [{'radius': 0.3 * size, 'path': [at(1.0, 1.5), at(3.5, 1.1)], 'speed': 0.4 * size}]
    if kind == 'moving':
        moving = [{'radius': 0.3 * size, 'path': [at(*start), at(*end)], 'speed': size}
                  for start, end in MOVING]
    return {
        'duration': MOVING_SECONDS if kind == 'moving' else SECONDS, 'seed': 5,
        'rate': 30 if kind == 'moving' else 20, 'python_path': [str(EXAMPLES), str(TEMPLATES)],
        'world': {
            'segments': [at(-5.0, 2.5, 3.0, 2.7)],
            'circles': [{'center': at(-3.2, 1.2), 'radius': 0.4 * size}],
            'rectangles': [{'center': at(-3.3, -1.3), 'size': at(0.8, 0.5), 'yaw': 0.3}],
            'polygons': [{'corners': [at(2.0, -2.0), at(3.6, -1.7), at(2.4, -0.9)]}],
            'moving': moving},
        'wind': {} if kind == 'moving' else {
                 'wind_direction': [0.4, 1.0, 0.0], 'wind_speed_mean': 0.1 * size,
                 'wind_gust_direction': [-1.0, 0.2, 0.0], 'wind_gust_speed_mean': 0.2 * size,
                 'wind_gust_start': 0.5, 'wind_gust_duration': 1.0},
        'sensors': {'scan_sees_robots': True, 'infrared': True, 'range_and_bearing': True},
        'robots': robots}


def run_of(values, folder):
    return run_scenario(parse_scenario(yaml.safe_dump(values), 'scene', folder))


def apart(run, reference, degrees, move):
    """How far the run is from the reference, turned and moved: (T + 1, N) m, and rad."""
    angle = math.radians(degrees)
    places = run.poses[:, :, 0] + 1j * run.poses[:, :, 1] - complex(*move)
    expected = (reference.poses[:, :, 0] + 1j * reference.poses[:, :, 1]) * np.exp(1j * angle)
    yaws = run.poses[:, :, 2] - reference.poses[:, :, 2] - angle
    return np.maximum(np.abs(places - expected), np.abs(np.angle(np.exp(1j * yaws))))


def cases():
    for controller, parameters in controllers():
        for kind, body, size in (('meeting', 'robot', 1.0), ('following', 'robot', 1.0),
                                 ('meeting', 's-bot', 0.15), ('moving', 'robot', 1.0)):
            yield controller, parameters, kind, body, size


def test_every_controller_is_among_those_that_are_tried():
    tried = {name for name, _ in controllers()}
    assert {*names()} - {NONE, 'external'} < tried  # a node drives that one
    assert {NEURAL, OWN, 'go_to_goal:GoToGoal', 'wind_model.wind_aware:AirResistance'} < tried
    pytest.importorskip('navground')
    assert {'navground:HL', 'navground:HRVO', 'navground:ORCA', 'navground:SocialForce'} < tried


@pytest.mark.parametrize(('controller', 'parameters', 'kind', 'body', 'size'), list(cases()))
def test_a_scene_turned_and_moved_gives_the_same_run(
        controller, parameters, kind, body, size, every_controller):
    scenario = scene(controller, parameters, kind, body, size)
    reference = run_of(turned(scenario), every_controller)
    assert np.ptp(reference.poses, axis=0).max() > 0.05
    tolerance = SINGLE_PRECISION if controller.startswith(PREFIX) else TOLERANCE
    for degrees, move in CHANGES[kind == 'moving':]:  # which take longest
        run = run_of(turned(scenario, degrees, move), every_controller)
        assert apart(run, reference, degrees, move).max() < tolerance, (degrees, move)
