#!/usr/bin/env python3
"""A host program of Fast2D: loads a scene, steps it, draws where everything went.

Robots drive ahead and turn away from what their sensors see; blind ones push what can be pushed.

    python examples/fast2d_host.py [SCENE] [-o PICTURE]
"""

import argparse
import math
from pathlib import Path

import matplotlib as mpl

mpl.use('Agg')
import matplotlib.pyplot as plt
import yaml
from matplotlib.patches import Circle, Polygon

from sbot_sim.fast2d import Fast2D

HERE = Path(__file__).parent


def corners(width, height):
    """Return x and y of a box about the origin, counter-clockwise (m)."""
    u, v = width / 2, height / 2
    return [-u, u, u, -u], [-v, -v, v, v]


def describe(engine, reference, entry):
    """Set an object's shape, place and mass, and add it."""
    if 'radius' in entry:
        engine.object_set_bounding_radius(reference, entry['radius'])
    else:
        engine.object_set_bounding_rectangle(reference, *corners(*entry['size']))
    if 'mass' in entry:
        engine.object_set_mass(reference, entry['mass'])
    x, y, angle = entry['at']
    engine.object_set_position(reference, x, y)
    engine.object_set_angle(reference, angle)
    engine.add_object(reference)


def look_and_drive(engine, robot, sensors, scene):
    """Set a robot's speed: ahead, and away from the side on which more is near."""
    near = [1.0 - engine.sensor_get_activation(s) / scene['sensor']['range'] for s in sensors]
    half = len(near) // 2
    left, right = sum(near[:half]), sum(near[half:])
    blocked = max(near, default=0.0) > 0.0
    turn = math.copysign(2.0, right - left) if blocked else 0.0
    speed = scene['speed'] * (0.4 if blocked else 1.0)
    angle = engine.object_get_transform(robot)[2]
    engine.robot_set_speed(robot, speed * math.cos(angle), speed * math.sin(angle))
    engine.robot_set_angular_speed(robot, turn)


def draw(axes, entry, pose, **style):
    """Draw an object at a pose."""
    x, y, angle = pose
    if 'radius' in entry:
        axes.add_patch(Circle((x, y), entry['radius'], **style))
        return
    c, s = math.cos(angle), math.sin(angle)
    points = [(x + c * u - s * v, y + s * u + c * v)
              for u, v in zip(*corners(*entry['size']), strict=True)]
    axes.add_patch(Polygon(points, **style))


def run(scene, picture):
    """Play a scene and draw it; return the final poses of the robots."""
    with Fast2D() as engine:
        solids = [engine.create_solid() for _ in scene['solids']]
        robots = [engine.create_robot() for _ in scene['robots']]
        for reference, entry in zip(solids, scene['solids'], strict=True):
            describe(engine, reference, entry)
        sensors = []
        kind = scene['sensor']
        for robot, entry in zip(robots, scene['robots'], strict=True):
            describe(engine, robot, entry)
            sensors.append([
                engine.create_irsensor(robot, 0.0, 0.0, angle, kind['range'], kind['aperture'],
                                       len(kind['weights']), kind['weights'])
                for angle in ([] if entry.get('blind') else scene['sensor_angles'])])
        trails = [[engine.object_get_transform(robot)] for robot in robots]
        for _ in range(round(scene['duration'] / scene['dt'])):
            for robot, carried in zip(robots, sensors, strict=True):
                look_and_drive(engine, robot, carried, scene)
            engine.step(scene['dt'])
            for robot, trail in zip(robots, trails, strict=True):
                trail.append(engine.object_get_transform(robot))
        ends = [engine.object_get_transform(solid) for solid in solids]

    figure, axes = plt.subplots(figsize=(8, 6.5))
    for entry, end in zip(scene['solids'], ends, strict=True):
        movable = 'mass' in entry
        if movable:
            draw(axes, entry, entry['at'], fill=False, linestyle=':', edgecolor='0.5')
        draw(axes, entry, end, facecolor='tab:orange' if movable else '0.7', edgecolor='0.3')
    for k, (entry, trail) in enumerate(zip(scene['robots'], trails, strict=True)):
        colour = f'C{k if k == 0 else k + 1}'
        axes.plot([p[0] for p in trail], [p[1] for p in trail], color=colour, linewidth=0.8)
        draw(axes, entry, trail[-1], facecolor=colour, edgecolor='black')
    axes.set(xlabel='x (m)', ylabel='y (m)', aspect='equal',
             title=f'{scene["duration"]:g} s; orange: pushed from the dotted places')
    axes.autoscale_view()
    figure.savefig(picture, dpi=100, bbox_inches='tight')
    plt.close(figure)
    return [trail[-1] for trail in trails]


def main():
    """Read the command line."""
    parser = argparse.ArgumentParser(allow_abbrev=False, description=__doc__.splitlines()[0])
    parser.add_argument('scene', nargs='?', type=Path, default=HERE / 'fast2d_scene.yaml')
    parser.add_argument('-o', '--output', type=Path, default=Path('fast2d.png'))
    arguments = parser.parse_args()
    for k, (x, y, angle) in enumerate(run(yaml.safe_load(arguments.scene.read_text()),
                                          arguments.output)):
        print(f'robot {k}: ({x:.3f}, {y:.3f}) m, {angle:.3f} rad')
    print(f'wrote {arguments.output}')


if __name__ == '__main__':
    main()
