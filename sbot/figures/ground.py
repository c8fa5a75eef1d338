# SPDX-License-Identifier: Apache-2.0
"""An arena without its robots: edge, obstacles, boxes, wind, goals, zones and their names."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from matplotlib import rcParams
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.collections import EllipseCollection, PolyCollection
from matplotlib.colors import ListedColormap
from matplotlib.patheffects import withStroke
from matplotlib.ticker import MaxNLocator, MultipleLocator
from matplotlib.transforms import Affine2D
from numpy.typing import NDArray

from sbot.figures.arena import (
    COMPASS,
    above_axes,
    discs,
    figure_of,
    lines,
    outlines,
    outlines_of,
    points_a_metre,
    robot_colours,
    width_of,
    wrapped_parts,
)
from sbot.figures.data import ARROWS, Goal, RunData
from sbot.figures.look import palette
from sbot.scenario.assemble import zone_colour
from sbot.scenario.controllers import goal_tolerances
from sbot.scenario.model import Zone
from sbot_common.arrays import Floats
from sbot_common.clock import NANOSECONDS
from sbot_sim.world.geometry import OCCUPIED, UNKNOWN, CellMap, rectangle_corners
from wind_model.parameters import STILL


def draw_moving(axes: Axes, data: RunData, index: int) -> EllipseCollection:
    """Draw the obstacles that move where they are at one of the stamps."""
    moving = discs(axes, data.obstacles[index], 2.0 * data.moving_radius,
                   facecolors=palette().moving, edgecolors=palette().obstacle, linewidths=0.8,
                   zorder=3, gid='moving')
    axes.add_collection(moving)
    return moving


# Pushable boxes of an arena.

class Boxes:
    """Pushable boxes."""

    def __init__(self, axes: Axes, data: RunData, poses: Floats, **style: Any) -> None:  # noqa: ANN401
        bodies = data.scenario.world.box_bodies()
        self._shapes = outlines_of(bodies)
        self._round = [k for k in range(len(bodies)) if k not in self._shapes]
        width = np.array([2.0 * bodies[k].radius for k in self._round])
        style = {'facecolors': palette().box, 'edgecolors': palette().ink, 'linewidths': 0.6,
                 'zorder': 3.2, 'gid': 'boxes', **style}
        self.discs = discs(axes, poses[self._round, :2], width, **style)
        self.shapes = PolyCollection(outlines(self._shapes, poses), **style)
        axes.add_collection(self.discs)
        axes.add_collection(self.shapes)

    def move(self, poses: Floats) -> None:
        """Set the poses (B, 3)."""
        self.discs.set_offsets(poses[self._round, :2])
        self.shapes.set_verts(outlines(self._shapes, poses))


# Undisturbed wind of an arena: arrows on a grid, and a label.

_FEWEST = 8  # arrows along the longer side
_APART = 16.0  # pt between arrows at least: in a small panel there are fewer
_FAINT = 0.5  # opacity of blue arrows beside trails, which are thin and faint, too
_THIN = 0.55  # pt, width of an arrow's shaft at least


def reference_arrow(axes: Axes, data: RunData, moments: bool) -> tuple[float, float, Floats]:
    """Return a speed (m/s) of two digits, how long (pt) its arrow is, and where it points.

    Zeros without arrows. ``moments``: of a picture whose arrows contain the gust. In a field of
    many directions it points to the right.
    """
    total = (data.air.velocity + data.air.gust)[:, :2]
    index = int(np.hypot(*total.T).argmax()) if moments else None
    way = data.outside if index is None else total[index]
    if data.field is not None:
        way = np.array([1.0, 0.0])
    arrows = _arrows_in(axes, data, index)
    if not len(arrows):
        return 0.0, 0.0, way
    longest = float(np.hypot(*arrows[:, 2:].T).max()) * points_a_metre(axes, data)
    strongest = float(np.hypot(*data.wind_at(arrows[:, :2], index).T).max())
    speed = float(f'{strongest:.2g}')
    return speed, speed / strongest * longest, way


def wind_colours(data: RunData) -> tuple[str, str]:
    """Return the colours of the wind's arrows and of its label."""
    if data.many:  # whose tracks are as blue as the wind of a few
        return palette().wind_of_many, palette().wind_text_of_many
    return palette().wind, palette().wind_text


def label_in(axes: Axes, data: RunData, index: int | None = None) -> str:
    """Return the label of the wind that ``draw_wind`` draws in these axes."""
    return _label(data, _arrows_in(axes, data, index), index)


def _arrows_in(axes: Axes, data: RunData, index: int | None) -> Floats:
    side = points_a_metre(axes, data) * float(
        np.ptp(data.world.bounds.reshape(2, 2), axis=0).max())
    return data.wind_arrows(index, int(np.clip(side / _APART, _FEWEST, ARROWS)))


def _label(data: RunData, arrows: Floats, index: int | None) -> str:
    """Return what a picture says about the wind; '' if there is none.

    Parameters
    ----------
    data : of the run
    arrows : of the wind that is shown
    index : of the stamp that is shown; None: all, so that a gust is named with its times

    """
    parts, strongest = [], 0.0
    row = -1 if index is None else data.air.row(int(data.stamps_ns[index]))
    if len(arrows):
        gust_in_it = np.zeros(2) if index is None else data.air.gust[row, :2]
        mean = data.wind_at(arrows[:, :2], index) - gust_in_it
        strongest = float(np.hypot(*mean.T).max())
    if strongest > 0.0:
        way = ' at most' if data.field is not None else _arrow(data.air.velocity[row])
        parts.append(f'wind{way} {strongest:.2g} m/s')
    if index is None:
        gust = _gust(*data.strongest_gust())
        parts += [gust + _times(data)] * bool(gust)
    else:
        gust = _gust(data.air.gust[row], data.extra_force[row])
        if 'm/s' in gust and parts:  # one unit for both
            parts[0] = parts[0].removesuffix(' m/s')
        parts = [' + '.join([*parts, *[gust] * bool(gust)])] if parts or gust else []
    waves = data.scenario.wind.turbulence
    if waves.turbulence != STILL:
        parts.append(f'turbulence {waves.turbulence_speed:.2g} m/s')
    return ', '.join(parts)


def _times(data: RunData) -> str:
    """Return when the gust blows, in the scenario's times; no end that the run does not reach."""
    begin, end = data.scenario.wind.flow.gust_window
    until = f' to {end / NANOSECONDS:.6g}' if end <= int(data.stamps_ns[-1]) else ''
    return f' from {begin / NANOSECONDS:.6g}{until} s'


def _gust(speed: Floats, force: Floats) -> str:
    """Return the text of a gust's speed (m/s) and force (N), each (3,); '' without."""
    strengths = ((speed, 'm/s'), (force, 'N'))
    texts = [f'gust{_arrow(vector)} {math.hypot(*vector[:2]):.2g} {unit}'
             for vector, unit in strengths if math.hypot(*vector[:2]) > 1e-9]
    return ' + '.join(texts)


def _arrow(vector: Floats) -> str:
    """Return a blank and the arrow nearest to the direction of a vector; '' without one."""
    x, y = vector[:2].tolist()
    eighths = round(math.atan2(y, x) * len(COMPASS) / math.tau)
    return f' {COMPASS[eighths % len(COMPASS)]}' if x or y else ''


def draw_wind(axes: Axes, data: RunData, named: bool = True, index: int | None = None,
              width: float = math.inf) -> list[Artist]:
    """Draw and return the undisturbed wind: the mean, or that of a stamp, of few robots fainter.

    ``named``: and how strong it is, in lines of at most ``width`` (pt).
    """
    scale = points_a_metre(axes, data)
    arrows = _arrows_in(axes, data, index)
    arrow, text = wind_colours(data)
    faint = index is not None and not data.many
    drawn: list[Artist] = []
    if len(arrows):
        longest = float(np.hypot(arrows[:, 2], arrows[:, 3]).max())
        drawn.append(axes.quiver(
            *arrows.T, angles='xy', scale_units='xy', scale=1.0, units='xy',
            width=max(0.06 * longest, _THIN / scale), headwidth=4, headlength=5,
            headaxislength=4.5, pivot='mid', zorder=1, color=arrow,
            alpha=_FAINT if faint else None))
    label = _label(data, arrows, index) if named else ''
    if label:
        drawn.append(above_axes(axes, wrapped_parts(label, width), 1.0, color=text))
    return drawn


# Goals of robots: rings, and crosses in those where no robot is.

_RING = 1.35  # times as wide as its robot is the ring of a goal at least
_WIDE = 1.4  # times as wide as the ring is a tolerance that has its own circle


def covered_goals(data: RunData, stamp_ns: int, scale: float) -> NDArray[np.bool_]:
    """Tell at which of the latest goals a robot is, so near that it touches the ring; (G,).

    ``scale`` is a metre's length (pt).
    """
    goals = data.goals_at(stamp_ns)
    xy = np.array([(goal.x, goal.y) for goal in goals]).reshape(-1, 1, 2)
    robots = data.poses[np.searchsorted(data.stamps_ns, stamp_ns, side='right') - 1, :, :2]
    return np.asarray((np.hypot(*np.moveaxis(xy - robots, 2, 0))
                       < (1.0 + _RING) * data.drawn_radius(scale)).any(axis=1))


def wide_tolerances(data: RunData, goals: list[Goal], scale: float) -> Floats:
    """Return x, y, radius (K, 3) (m) of tolerances that are much wider than the rings of goals.

    ``scale`` is a metre's length (pt).
    """
    tolerances, rings = goal_tolerances(data.scenario), _RING * data.drawn_radius(scale)
    rows = {(goal.x, goal.y, tolerances[goal.robot]) for goal in goals
            if tolerances[goal.robot] > _WIDE * rings[goal.robot]}
    return np.array(sorted(rows)).reshape(-1, 3)


def draw_goals(axes: Axes, data: RunData, stamp_ns: int, small: bool = False,
               by: str = '') -> Sequence[Artist]:
    """Draw and return the goals of a time: red rings, of a few robots filled with their colours.

    Of many with a colour each, ``by='robot'``, the rings and crosses have these colours.

    A thin circle is the tolerance of a goal, if that is much wider than the ring.
    A ring is wider than its robot, which is drawn over it. The cross in it is left out while a
    robot is there, as it would hide the robot.
    """
    goals = data.goals_at(stamp_ns)
    if not goals:
        return []
    before = len(axes.collections)
    wide = wide_tolerances(data, goals, points_a_metre(axes, data))
    if len(wide):
        axes.add_collection(discs(axes, wide[:, :2], 2.0 * wide[:, 2], facecolors='none',
                                  edgecolors=palette().goal, linewidths=0.6, alpha=0.6,
                                  zorder=3.4, gid='tolerances'))
    xy = np.array([(goal.x, goal.y) for goal in goals])
    few = not data.many
    size = (30.0 if small else 70.0) if few else 22.0  # square points
    # Thin enough to tell a cross in a ring from a blot.
    line = (0.9 if small else 1.2) if few else 0.7
    xy, own, shared, counts = np.unique(xy, axis=0, return_index=True, return_inverse=True,
                                        return_counts=True)
    axes.apply_aspect()  # the axes are as small as the arena makes them
    scale = points_a_metre(axes, data)
    widths = _RING * 2.0 * scale * data.drawn_radius(scale)
    rings = np.full(len(xy), size)
    np.maximum.at(rings, shared.ravel(), [widths[goal.robot] ** 2 for goal in goals])
    free = ~covered_goals(data, stamp_ns, scale)[own]
    edges = [palette().goal] * len(xy)
    if few or by == 'robot':  # a goal of several robots has no colour
        colours = robot_colours(data, by)
        single = counts == 1
        if not few:
            line = 1.2
            edges = [colours[goals[k].robot] if alone else edge
                     for k, alone, edge in zip(own, single, edges, strict=True)]
        axes.scatter(xy[single, 0], xy[single, 1], s=rings[single], marker='o', linewidths=0.0,
                     zorder=3.1, alpha=0.5,  # below boxes and tracks
                     facecolors=[colours[goals[k].robot] for k in own[single]])
    over = 8.5 if counts.max() > 1 else 6.5  # a crowd would hide the ring of its goal
    # With a rim, as red on other colours is hard to see.
    rim = [withStroke(linewidth=line + 0.7, foreground=palette().ground)]
    axes.scatter(xy[:, 0], xy[:, 1], s=rings, marker='o', facecolors='none',
                 edgecolors=edges, linewidths=line, zorder=over, path_effects=rim)
    axes.scatter(xy[free, 0], xy[free, 1], s=0.6 * size, marker='+',
                 color=[edges[k] for k in np.flatnonzero(free)], linewidths=line, zorder=8.5,
                 path_effects=rim)
    return list(axes.collections)[before:]


# Places of the names of zones: above them, or where they hide less of what moves.

_GAP, _POINT_GAP = 2.0, 5.0  # points between a zone, or a zone without radius, and its name
_DIAGONAL = math.sqrt(0.5)
_MOST_POINTS = 4000  # of all tracks that are looked at
_ROOM_OF_NUMBER = 6.0  # points around a robot, where its id may be
_FEW = 20  # robots, which have ids
# How bad it is that a name hides one of these.
_NAME, _ROBOT, _OBSTACLE, _START, _TRACK = 30.0, 10.0, 6.0, 4.0, 2.0


class _View(NamedTuple):
    """What of an arena is seen, and how large."""

    low: tuple[float, float]  # m, lower left corner
    high: tuple[float, float]  # m, upper right corner
    scale: float  # points a metre

    def points(self, xy: Floats) -> Floats:
        """Return places (..., 2) (m) as points from the lower left corner."""
        return np.asarray((xy - self.low) * self.scale)


class _Place(NamedTuple):
    """Where a name is written: ``shift`` from ``anchor`` to its side or corner."""

    anchor: tuple[float, float]  # m
    shift: tuple[float, float]  # points
    across: str = 'center'  # which side of the name that is: left, center or right
    up: str = 'bottom'  # bottom, center or top

    def box(self, view: _View, width: float, height: float) -> Floats:
        """Return xmin, ymin, xmax, ymax (points) of a name of this size."""
        x, y = (view.points(np.array(self.anchor)) + self.shift).tolist()
        x -= {'left': 0.0, 'center': 0.5, 'right': 1.0}[self.across] * width
        y -= {'bottom': 0.0, 'center': 0.5, 'top': 1.0}[self.up] * height
        return np.array([x, y, x + width, y + height])


def _places_of(zone: Zone, view: _View, width: float, height: float) -> list[_Place]:
    """Return where a name can be written, the best first; none for a zone outside the view.

    Above and below the zone, within it at its edges, around it. ``width`` and ``height`` are those
    of the name (points).
    """
    (xmin, ymin), (xmax, ymax), scale = view
    (x, y), radius = zone.center, zone.radius or 0.0
    # The part of the zone at the side where the most of it is in view.
    anchor = min(max(x, xmin), xmax)
    half = math.sqrt(max(0.0, radius * radius - (x - anchor) * (x - anchor)))
    if abs(x - anchor) > radius or y - half > ymax or y + half < ymin:
        return []
    gap = _POINT_GAP if zone.radius is None else _GAP
    middle = (anchor - xmin) * scale
    last = max((xmax - xmin) * scale - _GAP - 0.5 * width, _GAP + 0.5 * width)
    aside = max(_GAP + 0.5 * width, min(middle, last)) - middle
    places = [_Place((anchor, y + half), (aside, gap)),
              _Place((anchor, y - half), (aside, -gap), up='top')]
    if width < 1.6 * radius * scale:
        edge = math.sqrt(radius * radius - (0.5 * width / scale) ** 2)
        places += [_Place((x, y + edge), (0.0, -_GAP), up='top'),
                   _Place((x, y - edge), (0.0, _GAP))]
    for up, side in ((_DIAGONAL, 'bottom'), (-_DIAGONAL, 'top'), (0.0, 'center')):
        out = _DIAGONAL if up else 1.0
        places += [_Place((x + right * radius, y + up * radius), (right * gap, up * gap), end,
                          side) for right, end in ((out, 'left'), (-out, 'right'))]
    boxes = [place.box(view, width, height) for place in places]
    room = view.points(np.array(view.high)) - (_GAP, 0.0)
    return [place for place, box in zip(places, boxes, strict=True)
            if (box[:2] >= (_GAP, 0.0)).all() and (box[2:] <= room).all()] or [
                _Place((anchor, ymax), (aside, -_GAP), up='top')]


class _Scene:
    """What names of zones should not hide: robots, goals, starts, tracks, obstacles, other names.

    Parameters
    ----------
    data : of the run
    view : of the arena
    shown : indexes of the stamps that pictures show; none: the end, and the tracks until then

    """

    def __init__(self, data: RunData, view: _View, shown: Sequence[int] = ()) -> None:
        self._data, self._view = data, view
        radius = view.scale * data.drawn_radius(view.scale)
        reach = 1.5 * radius + _ROOM_OF_NUMBER * (1 < len(radius) <= _FEW)
        things = []
        for row in shown or (-1,):
            goals = data.goals_at(int(data.stamps_ns[row]))
            things += [(data.poses[row, :, :2], reach, _ROBOT),
                       (np.array([(goal.x, goal.y) for goal in goals]).reshape(-1, 2),
                        1.35 * radius[[goal.robot for goal in goals]], _ROBOT),
                       (data.boxes[row, :, :2], np.full(data.boxes.shape[1], 8.0), _ROBOT),
                       (data.obstacles[row], view.scale * data.moving_radius, _OBSTACLE)]
        tracks = data.poses[:0, :, :2]
        if not shown:
            things.append((data.poses[0, :, :2], radius, _START))
            step = -(-data.poses.shape[0] * len(radius) // _MOST_POINTS)
            tracks = data.poses[::step, :, :2]
        self._tracks = view.points(tracks)
        self._centres = view.points(np.vstack([each[0] for each in things]))
        self._reach = np.concatenate([each[1] for each in things])
        self._weight = np.repeat([each[2] for each in things], [len(each[0]) for each in things])
        self._names: list[Floats] = []

    def choose(self, places: list[_Place], width: float, height: float) -> _Place:
        """Return the first of the places that hide least, and keep it free of other names."""
        boxes = [place.box(self._view, width, height) for place in places]
        best = int(np.argmin([self._cost(box) for box in boxes]))
        self._names.append(boxes[best])
        return places[best]

    def _cost(self, box: Floats) -> float:
        grid = np.meshgrid(np.linspace(box[0], box[2], 5), np.linspace(box[1], box[3], 3))
        spots = np.column_stack([each.ravel() for each in grid]) / self._view.scale
        solid = self._data.in_obstacles(spots + self._view.low)
        tracks = (_distance(self._tracks, box) < 1.0).any(axis=0)
        names = [bool((box[:2] < other[2:]).all() and (other[:2] < box[2:]).all())
                 for other in self._names]
        near = _distance(self._centres, box) < self._reach
        return (float(self._weight[near].sum()) + _TRACK * float(tracks.sum())
                + _NAME * sum(names) + _OBSTACLE * bool(solid.any()))


def _distance(points: Floats, box: Floats) -> Floats:
    """Return how far points (..., 2) are from a box, 0 within it."""
    beyond = np.maximum(np.maximum(box[:2] - points, points - box[2:]), 0.0)
    return np.asarray(np.hypot(beyond[..., 0], beyond[..., 1]))


# Zones of a scenario in pictures: named places on the floor, such as a nest or a lamp.

_FILL = 0.22  # opacity
_POINT = 42.0  # of a zone without radius: size as scatter takes it
MOST_NAMES = 300  # names of more zones would cover each other, and take minutes
NAME = 'name of a zone'  # mark of its text
_LINE = 1.3  # height of a name, in sizes of its letters


def _draw_zones(axes: Axes, data: RunData, shown: Sequence[int] = ()) -> None:
    """Draw zones as discs beneath everything that moves, and their names above it, with a halo.

    A name is at the upper edge of its zone, or where it hides less: robots, goals, tracks,
    obstacles and other names. ``shown``: indexes of the stamps that pictures side by side show;
    none: the tracks and their end. Only the first ``MOST_NAMES`` have names.
    """
    zones = data.scenario.world.zones
    if not zones:
        return
    # All at once: an artist for each zone takes minutes for thousands.
    round_ = [zone for zone in zones if zone.radius is not None]
    colours = [zone_colour(zone) for zone in round_]
    for style in ({'facecolors': colours, 'linewidths': 0.0, 'alpha': _FILL, 'zorder': 0.7},
                  {'facecolors': 'none', 'edgecolors': colours, 'linewidths': 1.0,
                   'zorder': 0.8}):
        centres = np.array([zone.center for zone in round_]).reshape(-1, 2)
        widths = np.array([2.0 * (zone.radius or 0.0) for zone in round_])
        axes.add_collection(discs(axes, centres, widths, gid='zones', **style))
    points = [zone for zone in zones if zone.radius is None]
    if points:
        x, y = zip(*(zone.center for zone in points), strict=True)
        axes.scatter(x, y, s=_POINT, marker='D', color=[zone_colour(zone) for zone in points],
                     linewidths=0.0, zorder=0.8, gid='zones')
    axes.apply_aspect()  # else the size of the view is not known
    (xmin, xmax), (ymin, ymax) = axes.get_xlim(), axes.get_ylim()
    view = _View((xmin, ymin), (xmax, ymax), points_a_metre(axes, data))
    scene, height = _Scene(data, view, shown), _LINE * float(rcParams['font.size'])
    rim = [withStroke(linewidth=2.0, foreground=palette().ground)]
    for zone in zones[:MOST_NAMES]:
        places = _places_of(zone, view, width_of(zone.name), height)
        if places:
            place = scene.choose(places, width_of(zone.name), height)
            axes.annotate(zone.name, place.anchor, xytext=place.shift, ha=place.across,
                          va=place.up, textcoords='offset points', fontsize='medium',
                          color=palette().ink, zorder=8.7, parse_math=False,
                          annotation_clip=False, path_effects=rim, gid=NAME)


# Ticks of an arena: the same steps on both axes.

_TICK = 0.6  # inches between ticks at least


def _set_ticks(axes: Axes, width: float, height: float) -> None:
    """Set ticks of the same steps on both axes of a view (m), unless one side is too short."""
    inches = axes.get_position().width * figure_of(axes).get_figwidth()
    count = int(np.clip(inches / _TICK, 3, 9))
    step = _step(max(width, height), count)
    for axis, side in ((axes.xaxis, width), (axes.yaxis, height)):
        axis.set_major_locator(MultipleLocator(step if side >= step else _step(side, 2)))
    low, high = axes.get_xlim()
    if high >= 1000.0:  # half of so long a label would be beyond the picture's edge
        axes.set_xticks([tick for tick in axes.get_xticks() if low <= tick <= high])
        axes.get_xticklabels()[-1].set_horizontalalignment('right')


def _step(side: float, count: int) -> float:
    """Return the least of 1, 2 and 5 of a power of ten that divides a side into so few."""
    steps = MaxNLocator(nbins=count, steps=[1, 2, 5, 10]).tick_values(0.0, side)
    return float(steps[1] - steps[0])


def draw_arena(axes: Axes, data: RunData, name_wind: bool = True,
               index: int | None = None, shown: Sequence[int] = (),
               width: float = math.inf) -> None:
    """Draw everything that does not move: as ``draw_world``, and the wind as ``draw_wind``."""
    draw_world(axes, data, shown)
    draw_wind(axes, data, name_wind, index, width)


def _draw_obstacles(axes: Axes, data: RunData) -> None:
    """Draw the obstacles that do not move, and the paths of the others."""
    world, grey = data.world, palette().obstacle
    if world.cells is not None:
        _draw_cells(axes, world.cells)
    free = world.given_segments.reshape(-1, 2, 2)
    axes.add_collection(lines(free, colors=grey, linewidths=1.5, capstyle='round', zorder=3))
    walls = world.segments[:len(world.segments) - len(world.inner_segments)]
    axes.add_collection(lines(walls.reshape(-1, 2, 2), colors=palette().ink,
                              linewidths=1.0, capstyle='projecting', zorder=3,
                              clip_on=False))  # they stand on the edge of the view
    solids = [*map(rectangle_corners, world.rectangles), *world.polygons]
    axes.add_collection(PolyCollection(solids, facecolors=grey, edgecolors='none', zorder=3))
    still = data.still_circles
    axes.add_collection(discs(axes, still[:, :2], 2.0 * still[:, 2], facecolors=grey,
                              edgecolors='none', zorder=3))
    for disc in data.scenario.world.moving:
        path = [*disc.path, disc.path[0]] if disc.at_end == 'loop' else disc.path
        axes.plot(*zip(*path, strict=True), color=grey, linestyle=':', linewidth=1.0,
                  zorder=2, gid='path')


def _draw_cells(axes: Axes, cells: CellMap) -> None:
    """Draw a map: occupied cells dark, unknown ones light."""
    rows, columns = cells.values.shape
    shade = np.full(cells.values.shape, np.nan)  # not drawn
    shade[cells.values == OCCUPIED] = 1.0
    shade[cells.values == UNKNOWN] = 0.0
    x, y, yaw = cells.origin
    place = Affine2D().scale(cells.resolution).rotate(yaw).translate(x, y) + axes.transData
    limits = axes.get_xlim(), axes.get_ylim()
    greys = ListedColormap([palette().unknown, palette().obstacle])
    axes.imshow(shade, origin='lower', extent=(0, columns, 0, rows), transform=place,
                interpolation='nearest', cmap=greys,
                vmin=0.0, vmax=1.0, zorder=0.5)
    axes.set(xlim=limits[0], ylim=limits[1], aspect='equal')
    # Walls thinner than a pixel of the picture would be left out.
    axes.add_collection(lines(cells.outlines.reshape(-1, 2, 2), colors=palette().obstacle,
                              linewidths=0.4, zorder=0.6))


def draw_world(axes: Axes, data: RunData, shown: Sequence[int] = ()) -> None:
    """Draw everything that does not move but the wind; zones as ``_draw_zones`` does."""
    xmin, ymin, xmax, ymax = data.view
    axes.set(xlim=(xmin, xmax), ylim=(ymin, ymax), aspect='equal')
    axes.tick_params(length=2)
    _set_ticks(axes, xmax - xmin, ymax - ymin)
    for spine in axes.spines.values():  # walls are drawn; without them a faint frame
        spine.set(visible=not data.world.has_walls, color=palette().grid)
    _draw_zones(axes, data, shown)
    _draw_obstacles(axes, data)
