# SPDX-License-Identifier: Apache-2.0
"""Scenario models: world, robots, settings; the world as the simulator's arrays.

Lengths are metres, angles radians, time seconds; poses are (x, y, yaw) in frame ``map``. Groups of
parameters (bodies, controllers, sensors, wind) are mappings as written in a ``ScenarioFile``, and
typed in a ``Scenario`` (``groups``).
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sbot.files.limits import limits, too_large
from sbot.files.yaml_text import count_values, dump_yaml
from sbot.scenario import groups
from sbot.scenario.fields import (
    Angle,
    Box,
    Cloud,
    Colour,
    Controller,
    Corners,
    Count,
    Duration,
    Field,
    Flag,
    Hertz,
    Interval,
    Length,
    Mapping,
    Mappings,
    Mass,
    Model,
    Name,
    Pace,
    Point,
    Pose,
    Range,
    Seed,
    Segment,
    Size,
    Speed,
    Spread,
    Text,
    TopicName,
    Until,
    Waypoints,
)
from sbot.scenario.knowledge import EXACT, Knowledge
from sbot.scenario.shipped import PATH_KEYS, named_files, names_file, portable
from sbot_common.clock import Rate
from sbot_common.params import in_words
from sbot_sim.collision.overlap import BOUND, CELLS, CIRCLE, POLYGON, RECTANGLE, SEGMENT
from sbot_sim.world.bodies import Body, BodyArrays
from sbot_sim.world.geometry import World as WorldArrays
from sbot_sim.world.geometry import make_world
from sbot_sim.world.moving import Paths, make_box, world_with, world_with_boxes


class Circle(Model):
    """A round obstacle."""

    center: Point = Field(description='Centre.')
    radius: Length = Field(description='Radius.')


class Rectangle(Model):
    """A solid rectangle, turned by ``yaw`` about its centre."""

    center: Point = Field(description='Centre.')
    size: Size = Field(description='Width along its own x axis, height along its own y axis.')
    yaw: Angle = Field(0.0, description='Direction of its own x axis, counter-clockwise.')


class Polygon(Model):
    """A solid polygon, convex or not."""

    corners: Corners = Field(description='Its corners in order, in either direction. An edge '
                                         'joins the last to the first.')


class MovingObstacle(Model):
    """A round obstacle that goes along a path."""

    radius: Length = Field(description='Radius.')
    path: Waypoints = Field(description='The path of its centre, in straight lines. It starts at '
                                        'the first point.')
    speed: Speed = Field(description='Speed along the path.')
    at_end: Literal['turn', 'loop'] = Field(
        'turn', description='At the end of its path. `turn`: it returns along the path; `loop`: '
                            'it moves straight to the first point.')


class PushableBox(Model):
    """A rectangle or a disc that rests until something pushes it."""

    center: Point = Field(description='Where its centre starts.')
    size: Size | None = Field(
        None, description='Size of a rectangle: width along its own x axis, height along its own '
                          'y axis. Give this or `radius`.')
    radius: Length | None = Field(None, description='Radius of a round box.')
    yaw: Angle = Field(0.0, description='Direction of its own x axis at the start, '
                                        'counter-clockwise.')
    mass: Mass = Field(1.0, description='Its mass. A box and the body that pushes it share an '
                                        'overlap by their inverse masses.')


class Zone(Model):
    """A named place on the floor: drawn, and without any other effect."""

    name: Name = Field(description='Shown beside it: nest, lamp, charging station.')
    center: Point = Field(description='Centre.')
    radius: Length | None = Field(None, description='Radius. Default: a point.')
    color: Colour = Field(
        'yellow', description='Its colour in pictures, films, the viewer and rviz.')


_BOUNDS = ('xmin', 'ymin', 'xmax', 'ymax')


class World(Model):
    """The arena: walls, obstacles, boxes and zones."""

    bounds: Box | None = Field(
        None, description='The four outer walls. Default: the edges of the `map`; needed without '
                          'a map.')
    segments: tuple[Segment, ...] = Field((), description='Thin walls.')
    circles: tuple[Circle, ...] = Field((), description='Round obstacles.')
    rectangles: tuple[Rectangle, ...] = Field((), description='Rectangular obstacles.')
    polygons: tuple[Polygon, ...] = Field((), description='Polygonal obstacles, convex or not.')
    moving: tuple[MovingObstacle, ...] = Field((), description='Obstacles that move.')
    boxes: tuple[PushableBox, ...] = Field((), description='Boxes that robots can push.')
    zones: tuple[Zone, ...] = Field(
        (), description='Named places on the floor, which are only shown.')
    open: Flag = Field(
        False, description='The bounds are not walls; they set the area of pictures and maps.')
    map: Text | None = Field(
        None, description='A map_server map (`map.yaml`); occupied cells are obstacles. Relative '
                          'to the scenario file.')

    def arrays(self) -> WorldArrays:
        """Return bounds and obstacles as arrays; rows in the order of the file.

        A map's outlines are the last of the free segments. Where a map alone makes the world, its
        edges are the bounds. An open world has no walls there.

        Raises
        ------
        InputError
            if the map cannot be read; its path must be absolute by now.

        """
        cells = None
        if self.map:
            from sbot.scenario.maps import load_map  # imports what reads pictures
            cells = load_map(self.map)
        bounds = self.bounds if cells is None else self.bounds or cells.bounds()
        assert bounds is not None, 'is checked where the scenario is loaded'
        return make_world(
            bounds,
            self.segments,
            [(*circle.center, circle.radius) for circle in self.circles],
            [(*box.center, *box.size, box.yaw) for box in self.rectangles],
            cells, has_walls=not self.open, polygons=[each.corners for each in self.polygons])

    def paths(self, rate: Rate) -> Paths | None:
        """Return the obstacles that move; None where there are none."""
        if not self.moving:
            return None
        return Paths.of([(disc.radius, disc.speed, disc.path, disc.at_end == 'turn')
                        for disc in self.moving], rate.dt)

    def box_bodies(self) -> list[Body]:
        """Return the boxes that robots can push."""
        return [make_box(*(box.size or (0.0, 0.0)), box.radius or 0.0, box.mass)
                for box in self.boxes]

    def box_poses(self) -> NDArray[np.float64]:
        """Return where the boxes are at tick 0: (B, 3) x, y (m), yaw (rad)."""
        return np.array([(*box.center, 0.0 if box.size is None else box.yaw)
                         for box in self.boxes], np.float64).reshape(-1, 3)

    def name_of(self, arrays: WorldArrays, kind: int, row: int) -> str:
        """Return the name in messages of an object that ``Overlaps.find`` has found."""
        if kind == BOUND:
            return f'{_BOUNDS[row]} of world.bounds'
        if kind == CELLS or (kind == SEGMENT and row >= len(arrays.given_segments)):
            return 'world.map'
        boxes = [(f'world.boxes.{k}', box.size) for k, box in enumerate(self.boxes)]
        names = {
            SEGMENT: _numbered('segments', self.segments),
            CIRCLE: [*_numbered('circles', self.circles), *_numbered('moving', self.moving),
                     *(name for name, size in boxes if size is None)],
            RECTANGLE: [*_numbered('rectangles', self.rectangles),
                        *(name for name, size in boxes if size is not None)],
            POLYGON: _numbered('polygons', self.polygons)}
        return names[kind][row]

    def at_start(self, *, with_boxes: bool = True) -> WorldArrays:
        """Return ``arrays`` with moving obstacles (and boxes) at their starts."""
        arrays, paths = self.arrays(), self.paths(Rate(1, 1))
        if paths is not None:
            arrays = world_with(arrays, paths, np.zeros(len(paths.radius), np.int64))
        if not (with_boxes and self.boxes):
            return arrays
        return world_with_boxes(arrays, BodyArrays.of((), self.box_bodies()), self.box_poses())


def _numbered(key: str, entries: Sequence[object]) -> list[str]:
    return [f'world.{key}.{k}' for k in range(len(entries))]


class _AnyRobot(Model):
    body: Name = Field(
        'robot', description='A shipped body (`sbot list robots`) or one of `bodies`.')
    controller: Controller = Field('potential_field', description='Its controller.')
    goal: Point | None = Field(
        None, description='Its goal. Robot 0 needs one if its controller is `potential_field`.')
    goal_tolerance: Length | None = Field(
        None, description='A robot that is closer to its goal than this has arrived. Default: '
                          "its controller's tolerance; without one, the radius of the body.")
    parameters: Mapping = Field(
        {}, description='Parameters of its controller. They override those in `controllers`.')
    reserved: Flag = Field(
        False, description='It is in reserve, without a `pose`: in the world only from when it is '
                           '[spawned](ros2_topics.md#robots-in-reserve). Robot 0 cannot be.')


class Robot(_AnyRobot):
    """One robot; its id is its place in the list, and robot 0 leads."""

    pose: Pose = Field(description='Where it starts.')


class RobotEntry(_AnyRobot):
    """An entry of a file's list of robots: one robot, or ``count`` robots in an area."""

    pose: Pose | None = Field(
        None, description='Where one robot starts. Needed unless `count` is given.')
    count: Count | None = Field(None, description='Place this many robots of this kind in `area`.')
    area: Box | None = Field(
        None, description='With `count`: the collision circles start inside this area; default: '
                          'the bounds of the world.')
    layout: Literal['random', 'grid'] | None = Field(
        None, description='With `count`: `random` (default; free places, drawn from the seed) or '
                          '`grid` (even rows).')
    yaw: Angle | None = Field(
        None, description='With `count`: heading of all robots; default: random, or 0 with '
                          '`grid`.')
    yaw_uniform: Range | None = Field(
        None, description='Headings are drawn between these two, instead of `yaw`.')
    yaw_gaussian: Spread | None = Field(
        None, description='Headings are drawn about this mean with this standard deviation, '
                          'instead of `yaw`.')
    position_gaussian: Cloud | None = Field(
        None, description='With `count`: positions are drawn about this mean with these standard '
                          'deviations, instead of uniformly in `area`.')


class Settings(Model):
    """Settings of a scenario: all but the robots."""

    name: Name = Field(description='Shown in summaries; default, or '
                      '`null`: the file name without `.yaml`.')
    description: Text = Field('', description='One or two sentences for readers of the file.')
    rate: Hertz = Field(Rate(30, 1), description='Ticks per second.')
    duration: Duration = Field(60.0, description='Simulated time of a run.')
    until: Until | None = Field(
        None, description='Ends a run before its duration: when every robot with a goal has '
                          'reached it, at the first collision, or when the function says '
                          'so. Not over ROS.')
    seed: Seed = Field(
        1, description='Seed of all random numbers; `null`: a seed is drawn and recorded.')
    lockstep: Flag = Field(
        True, description='`true`: the nodes wait for each other. `false`: they run by the wall '
                          'clock.')
    lockstep_timeout: Duration = Field(
        10.0, description='In lockstep: the run ends if a robot is silent for longer than this.')
    target_real_time_factor: Pace = Field(
        0.0, description='Simulated seconds per second of wall time; 0: as fast as possible in '
                         'lockstep, and 1 without it.')
    cmd_vel_timeout: Interval = Field(
        0.2, description='Free-running: a robot stops when its last `cmd_vel` is older than this '
                         '(simulated time); 0: it never stops.')
    cmd_vel_stamped: Flag = Field(
        False, description='`cmd_vel` is a TwistStamped. Default: `true` if the bodies of all '
                           'robots say so, as TurtleBot3s do.')
    poses_topic: Flag = Field(
        False, description='All poses are also on `/poses`, where controllers read them.')
    record_topics: tuple[TopicName, ...] = Field(
        (), description='Over ROS in lockstep: topics of nodes of your own. The simulator waits '
                        'for these nodes, and recordings hold the topics.')
    tf_namespaced: Flag = Field(
        False, description='Several robots publish transforms on `/robot_<i>/tf` with plain frame '
                           'names, for Nav2.')
    python_path: tuple[Text, ...] = Field(
        ('.',), description='Folders with the modules of `module:Class`, relative to the scenario '
                            'file.')
    world: World = Field(description='Walls and obstacles.')


class ScenarioFile(Settings):
    """A scenario as written: with groups of robots still to be placed."""

    bodies: Mappings = Field(
        {}, description='Bodies of your own, and changes to the shipped ones.')
    controllers: Mappings = Field(
        {}, description='Parameters for all robots with that controller.')
    sensors: Mapping = Field({}, description='The sensors of the robots.')
    knowledge: Mapping = Field(
        {}, description='What controllers know about poses; default: all poses, exactly.')
    wind: Mapping = Field({}, description='The wind; default: none.')
    robots: tuple[RobotEntry, ...] = Field(
        description='The robots. The first one, robot 0, is the leader.')


class Source(NamedTuple):
    """Source of a scenario, from which it can be made again with other values."""

    data: dict[str, Any]  # values of a ``ScenarioFile``, groups of robots not placed yet
    directory: Path  # where relative paths start


def _portable_paths(values: dict[str, Any]) -> dict[str, Any]:
    """Return a copy of a scenario's values; shipped files are named relative to their folder."""
    values = deepcopy(values)
    for group, key in PATH_KEYS:
        text = values[group].get(key)
        if names_file((group, key), text):
            values[group][key] = portable(text)
    values['python_path'] = [portable(text) for text in values['python_path']]
    used = [*values['controllers'].items(),
            *((robot['controller'], robot['parameters']) for robot in values['robots'])]
    for name, parameters in used:
        parameters.update({key: portable(path)
                           for key, path in named_files(name, parameters).items()})
    return values


class Scenario(Settings):
    """A scenario as run: complete, checked, every robot placed.

    ``bodies`` holds each body in use, ``controllers`` the parameters of each controller in use,
    and ``robots[i].parameters`` only the robot's own parameters, as written. Paths are absolute.
    """

    bodies: dict[str, Body] = Field()
    controllers: dict[str, groups.ControllerParameters] = Field()
    sensors: groups.SensorSettings = Field()
    wind: groups.WindSettings = Field()
    robots: tuple[Robot, ...] = Field()
    knowledge: Knowledge = Field(EXACT)
    source: Source | None = Field(None, shown=False, compared=False)
    """The scenario as written; None where only the complete one is known."""
    given: dict[str, Any] = Field({}, shown=False)
    """Controllers that came as classes or objects from Python, by name; never in the YAML."""

    def to_dict(self) -> dict[str, Any]:
        """Return the values of a file that gives this scenario."""
        values = {**super().to_dict(),
                  'bodies': {name: body.in_words() for name, body in self.bodies.items()},
                  'controllers': {name: deepcopy(groups.controller_in_words(parameters))
                                  for name, parameters in self.controllers.items()},
                  'sensors': groups.group_in_words(self.sensors),
                  'wind': groups.group_in_words(self.wind), 'knowledge': in_words(self.knowledge)}
        del values['source'], values['given']
        return values

    def to_yaml(self) -> str:
        """Return the complete scenario as YAML text; loading it gives an equal Scenario.

        The text can be loaded from any folder: paths of shipped files are relative to the
        package's ``config`` folder, and other paths are absolute.

        Raises
        ------
        InputError
            if it has more values than ``limits().text_values``, and so could not be read back.

        """
        values = self.to_dict()
        for group, key in ((values, 'until'), *((each, 'goal_tolerance')
                                                for each in values['robots'])):
            if group[key] is None:
                del group[key]
        for each in values['robots']:  # so recordings without a reserve keep their bytes
            del each['pose' if each['reserved'] else 'reserved']
        if not self.world.zones:  # so recordings without zones keep their bytes
            del values['world']['zones']
        if not self.record_topics:
            del values['record_topics']
        if (size := count_values(values)) > limits().text_values:
            raise too_large(self.name, 'values of the complete scenario, which could not be '
                            'read back', size, 'text_values')
        return dump_yaml(_portable_paths(values))
