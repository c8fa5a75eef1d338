"""Drawing of the arena: obstacles, wind, goals and robots."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from matplotlib import rcParams
from matplotlib.axes import Axes
from matplotlib.collections import EllipseCollection, LineCollection, PolyCollection
from matplotlib.colors import ListedColormap, hsv_to_rgb, to_hex
from matplotlib.path import Path
from matplotlib.patheffects import withStroke
from matplotlib.text import Annotation
from matplotlib.ticker import MaxNLocator, MultipleLocator
from matplotlib.transforms import Affine2D
from numpy.typing import NDArray

from sbot.figures.data import Goal, RunData
from sbot.figures.palette import palette
from sbot.figures.wind_label import wind_label
from sbot.figures.zones import draw_zones
from sbot.scenario.assemble import robot_bodies
from sbot.scenario.controllers import has_leader
from sbot.scenario.world import box_bodies
from sbot_sim.world.cell_map import OCCUPIED, UNKNOWN, CellMap, inside_occupied
from sbot_sim.world.geometry import rectangle_corners
from wind_model.interpolate import points_at, sample

Array = NDArray[np.float64]

LEADER = '#e69f00'

MOST_NAMED = 8  # above this robots have one colour and no line of their own
_MOST_NUMBERED = 20
MOST_NUMBERED_SMALL = 12  # in films and moments
# How large a robot is drawn at least, as a share of the arena's longer side: few, or many.
_LEAST_SIZE, _LEAST_SIZE_OF_MANY = 0.006, 0.004
_LEADER_AMONG_MANY = 1.6  # times larger, to be found
_ARROWS = 18  # of wind, along the longer side
ABOVE = 'above'  # mark of what is written above the axes
_THIN = 0.55  # pt, width of an arrow's shaft at least
_TICK = 0.6  # inches between ticks at least
_RING = 1.35  # times as wide as its robot is the ring of a goal at least
_CORNERS = ((1, 1), (-1, 1), (1, -1), (-1, -1))  # of a robot, where its id may be


def robot_colours(data: RunData, by: str = '') -> list[str]:
    """Return each robot's colour; a leader's is the same in every picture.

    More than ``MOST_NAMED`` robots have one colour together, and with ``by='robot'`` one each.
    """
    count = len(data.radius)
    if count <= MOST_NAMED:
        return [LEADER, *palette().followers[:count - 1]]
    if by == 'robot':
        # Steps of the golden ratio keep the hues of robots with near ids apart.
        hue = np.arange(count) * (math.sqrt(1.25) - 0.5) % 1.0
        shade = 0.55 + 0.3 * (np.arange(count) % 3) / 2
        return [to_hex(colour) for colour in hsv_to_rgb(
            np.column_stack([hue, np.full(count, 0.75), shade]))]
    many = palette().many
    return [LEADER if has_leader(data.scenario) else many] + [many] * (count - 1)


def heading_colours(yaw: Array) -> Any:  # noqa: ANN401 - matplotlib takes arrays
    """Return a colour for each heading (N,) (rad), which goes round with it; (N, 3) RGB."""
    hue = np.mod(yaw / math.tau + 0.6, 1.0)
    shade = np.column_stack([hue, np.full(len(hue), 0.75), np.full(len(hue), 0.8)])
    return hsv_to_rgb(shade)


def view_of(data: RunData) -> tuple[float, float, float, float]:
    """Return xmin, ymin, xmax, ymax (m) of the view: the bounds, where walls stand on them.

    If no walls keep robots inside, tracks are shown for half an arena beyond the bounds, and there
    is a small margin.
    """
    xmin, ymin, xmax, ymax = data.world.bounds.tolist()
    if has_walls(data):
        return xmin, ymin, xmax, ymax
    side = max(xmax - xmin, ymax - ymin)
    margin = 0.01 * side
    reach = data.radius[:, np.newaxis]
    low = (data.poses[:, :, :2] - reach).min(axis=(0, 1))
    high = (data.poses[:, :, :2] + reach).max(axis=(0, 1))
    xmin, ymin = np.minimum((xmin, ymin), np.maximum(low, (xmin - side / 2, ymin - side / 2)))
    xmax, ymax = np.maximum((xmax, ymax), np.minimum(high, (xmax + side / 2, ymax + side / 2)))
    return float(xmin - margin), float(ymin - margin), float(xmax + margin), float(ymax + margin)


def has_walls(data: RunData) -> bool:
    """Tell whether walls stand on the bounds."""
    return len(data.world.segments) > len(data.world.inner_segments)


def drawn_radius(data: RunData) -> Array:
    """Return how large each robot is drawn (m): its size, but large enough to be seen; (N,)."""
    xmin, ymin, xmax, ymax = view_of(data)
    many = len(data.radius) > MOST_NAMED
    least = _LEAST_SIZE_OF_MANY if many else _LEAST_SIZE
    radius = np.maximum(data.radius, least * max(xmax - xmin, ymax - ymin))
    if many and has_leader(data.scenario):
        radius[0] *= _LEADER_AMONG_MANY
    return radius


def draw_arena(axes: Axes, data: RunData, name_wind: bool = True,
               index: int | None = None) -> None:
    """Draw everything that does not move, and the wind as ``draw_wind`` does."""
    draw_world(axes, data)
    draw_wind(axes, data, name_wind, index)


def draw_world(axes: Axes, data: RunData) -> None:
    """Draw everything that does not move."""
    xmin, ymin, xmax, ymax = view_of(data)
    axes.set(xlim=(xmin, xmax), ylim=(ymin, ymax), aspect='equal')
    axes.tick_params(length=2)
    _set_ticks(axes, xmax - xmin, ymax - ymin)
    for spine in axes.spines.values():  # walls are drawn; without them a faint frame
        spine.set(visible=not has_walls(data), color=palette().grid)
    draw_zones(axes, data.scenario.world.zones)
    _draw_obstacles(axes, data)


def _set_ticks(axes: Axes, width: float, height: float) -> None:
    """Set ticks of the same steps on both axes of a view (m), unless one side is too short."""
    figure = axes.get_figure(root=True)
    inches = axes.get_position().width * figure.get_figwidth() if figure is not None else 0.0
    count = int(np.clip(inches / _TICK, 3, 9))
    step = _step(max(width, height), count)
    for axis, side in ((axes.xaxis, width), (axes.yaxis, height)):
        axis.set_major_locator(MultipleLocator(step if side >= step else _step(side, 2)))


def _step(side: float, count: int) -> float:
    """Return the least of 1, 2 and 5 of a power of ten that divides a side into so few."""
    steps = MaxNLocator(nbins=count, steps=[1, 2, 5, 10]).tick_values(0.0, side)
    return float(steps[1] - steps[0])


def _draw_obstacles(axes: Axes, data: RunData) -> None:
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


def draw_moving(axes: Axes, data: RunData, index: int) -> EllipseCollection:
    """Draw the obstacles that move where they are at one of the stamps."""
    moving = discs(axes, data.obstacles[index], 2.0 * data.moving_radius,
                   facecolors=palette().moving, edgecolors=palette().obstacle, linewidths=0.8,
                   zorder=3, gid='moving')
    axes.add_collection(moving)
    return moving


class Boxes:
    """Pushable boxes, rectangular and round."""

    def __init__(self, axes: Axes, data: RunData, poses: Array, **style: Any) -> None:  # noqa: ANN401
        bodies = box_bodies(data.scenario.world)
        self._flat = {k: (box.length, box.width, 0.0) for k, box in enumerate(bodies)
                      if box.is_rectangle}
        self._round = [k for k in range(len(bodies)) if k not in self._flat]
        width = np.array([2.0 * bodies[k].radius for k in self._round])
        style = {'facecolors': palette().box, 'edgecolors': palette().ink, 'linewidths': 0.6,
                 'zorder': 3.2, 'gid': 'boxes', **style}
        self.discs = discs(axes, poses[self._round, :2], width, **style)
        self.rectangles = PolyCollection(outlines(self._flat, poses), **style)
        axes.add_collection(self.discs)
        axes.add_collection(self.rectangles)

    def move(self, poses: Array) -> None:
        """Set the poses (B, 3)."""
        self.discs.set_offsets(poses[self._round, :2])
        self.rectangles.set_verts(outlines(self._flat, poses))


def draw_box_starts(axes: Axes, data: RunData) -> None:
    """Draw where pushable boxes started, dotted."""
    Boxes(axes, data, data.boxes[0], facecolors='none', edgecolors=palette().box, linestyles=':',
          linewidths=1.0, zorder=2, gid='starts of boxes')


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


def free_wind_arrows(data: RunData, index: int | None = None) -> Array:
    """Return rows x, y, u, v (M, 4) (m): arrows of the undisturbed wind on a regular grid.

    The longest reaches 0.6 of the way to the next; there are none where there is no wind.
    ``index``: of a stamp, with its gust; in a run with gusts the longest of all stamps reaches
    0.9 of the way.
    """
    xmin, ymin, xmax, ymax = data.world.bounds.tolist()
    spacing = _spacing(data)
    x, y = (np.linspace(low, high, max(1, round((high - low) / spacing)) + 1)
            for low, high in ((xmin, xmax), (ymin, ymax)))
    x, y = 0.5 * (x[1:] + x[:-1]), 0.5 * (y[1:] + y[:-1])
    points = np.column_stack([each.ravel() for each in np.meshgrid(x, y)])
    wind = wind_at(data, points, index)
    reach, strongest = 0.6, float(np.hypot(*wind.T).max())
    if strongest == 0.0:
        return np.zeros((0, 4))
    if index is not None and data.air.gust.any():
        reach, strongest = 0.9, _strongest_ever(data, points)
    arrows = np.column_stack([points, wind * (reach * spacing / strongest)])
    free = np.ones(len(arrows), bool)
    for part in (-0.5, -0.25, 0.0, 0.25, 0.5):  # along an arrow, which is drawn about its middle
        free &= ~inside_obstacles(data, arrows[:, :2] + part * arrows[:, 2:])
    return arrows[free]


def _spacing(data: RunData) -> float:
    """Return the distance (m) between arrows of the wind."""
    xmin, ymin, xmax, ymax = data.world.bounds.tolist()
    return float(max(xmax - xmin, ymax - ymin)) / _ARROWS


def inside_obstacles(data: RunData, points: Array) -> NDArray[np.bool_]:
    """Tell which points (M, 2) (m) lie in solid obstacles that do not move; (M,)."""
    world = data.world
    inside = np.zeros(len(points), bool)
    for solid in (*map(rectangle_corners, world.rectangles), *world.polygons):
        inside |= Path(solid).contains_points(points)
    for x, y, radius in data.still_circles.tolist():
        inside |= np.hypot(points[:, 0] - x, points[:, 1] - y) < radius
    if world.cells is not None:
        inside |= inside_occupied(world.cells, points)
    return inside


def wind_at(data: RunData, points: Array, index: int | None = None) -> Array:
    """Return the undisturbed wind (M, 2) (m/s) at points (M, 2) (m), where robots feel it.

    The mean at the end of the run, or with ``index`` that of a stamp with its gust.
    """
    above = points_at(data.field, points, data.scenario.wind.flow.height)
    if index is None:
        velocity: Array = sample(data.field, above, data.outside)[:, :2]
        return velocity
    wind = data.air.at(int(data.stamps_ns[index]))
    gusty: Array = sample(data.field, above, wind.velocity)[:, :2] + wind.gust[:2]
    return gusty


def _strongest_ever(data: RunData, points: Array) -> float:
    """Return the speed (m/s) that the wind at the points does not exceed at any stamp."""
    if data.field is None:
        total = data.air.velocity + data.air.gust
        return float(np.hypot(total[:, 0], total[:, 1]).max())
    gusts = np.hypot(data.air.gust[:, 0], data.air.gust[:, 1])
    return float(np.hypot(*wind_at(data, points).T).max() + gusts.max())


def draw_wind(axes: Axes, data: RunData, named: bool = True, index: int | None = None) -> None:
    """Draw the undisturbed wind: the mean, or that of a stamp; ``named``: and how strong it is."""
    arrows = free_wind_arrows(data, index)
    strongest = 0.0
    many = len(data.radius) > MOST_NAMED  # whose tracks are as blue as the wind of a few
    if len(arrows):
        mean = wind_at(data, arrows[:, :2], index)
        if index is not None:
            mean = mean - data.air.at(int(data.stamps_ns[index])).gust[:2]
        strongest = float(np.hypot(*mean.T).max())
        longest = float(np.hypot(arrows[:, 2], arrows[:, 3]).max())
        axes.quiver(*arrows.T, angles='xy', scale_units='xy', scale=1.0, units='xy',
                    width=max(0.06 * longest, _THIN / _points_a_metre(axes)), headwidth=4,
                    headlength=5, headaxislength=4.5, pivot='mid', zorder=1,
                    color=palette().wind_of_many if many else palette().wind)
    label = wind_label(data, strongest, index) if named else ''
    if label:
        above_axes(axes, label, 1.0, fontsize='small',
                   color=palette().wind_text_of_many if many else palette().wind_text)


def above_axes(axes: Axes, text: str, side: float, **style: Any) -> Annotation:  # noqa: ANN401
    """Write a line above the axes, on the line of its title: from the left (0) or right (1)."""
    return axes.annotate(text, (side, 1.0), xycoords='axes fraction', textcoords='offset points',
                         xytext=(0.0, rcParams['axes.titlepad']), va='baseline',
                         ha='right' if side else 'left', parse_math=False, gid=ABOVE, **style)


def _points_a_metre(axes: Axes) -> float:
    figure = axes.get_figure(root=True)
    inches = axes.get_position().width * figure.get_figwidth() if figure is not None else 1.0
    low, high = axes.get_xlim()
    return 72.0 * float(inches) / (high - low)


def discs(axes: Axes, centres: Array, width: Array, **style: Any) -> EllipseCollection:  # noqa: ANN401
    """Return discs of (M,) diameters (m) at (M, 2), to be added to ``axes``."""
    return EllipseCollection(width, width, np.zeros(len(width)), units='xy',
                             offsets=centres, offset_transform=axes.transData, **style)


def lines(ends: Array, **style: Any) -> LineCollection:  # noqa: ANN401
    """Return straight lines between ends (M, 2, 2) (m)."""
    pieces: Any = ends  # matplotlib takes arrays, its annotations only lists
    return LineCollection(pieces, **style)


def latest_goals(data: RunData, stamp_ns: int) -> list[Goal]:
    """Return each robot's goal at a time."""
    latest = {goal.robot: goal for goal in data.goals if goal.stamp_ns <= stamp_ns}
    return [latest[robot] for robot in sorted(latest)]


def covered_goals(data: RunData, stamp_ns: int) -> NDArray[np.bool_]:
    """Tell at which of the latest goals a robot is, so near that it touches the ring; (G,)."""
    goals = latest_goals(data, stamp_ns)
    xy = np.array([(goal.x, goal.y) for goal in goals]).reshape(-1, 1, 2)
    robots = data.poses[np.searchsorted(data.stamps_ns, stamp_ns, side='right') - 1, :, :2]
    covered: NDArray[np.bool_] = (np.hypot(*np.moveaxis(xy - robots, 2, 0))
                                  < (1.0 + _RING) * drawn_radius(data)).any(axis=1)
    return covered


def draw_goals(axes: Axes, data: RunData, stamp_ns: int, small: bool = False) -> None:
    """Draw the goals of a time as rings; of a few robots, filled with their colours.

    A ring is wider than its robot, which is drawn over it. The cross in it is left out while a
    robot is there, as it would hide the robot.
    """
    goals = latest_goals(data, stamp_ns)
    if not goals:
        return
    xy = np.array([(goal.x, goal.y) for goal in goals])
    few = len(data.radius) <= MOST_NAMED
    size = (30.0 if small else 70.0) if few else 22.0  # square points
    # Thin enough to tell a cross in a ring from a blot.
    line = (0.9 if small else 1.2) if few else 0.7
    xy, own, shared, counts = np.unique(xy, axis=0, return_index=True, return_inverse=True,
                                        return_counts=True)
    axes.apply_aspect()  # the axes are as small as the arena makes them
    wide = _RING * 2.0 * _points_a_metre(axes) * drawn_radius(data)
    rings = np.full(len(xy), size)
    np.maximum.at(rings, shared.ravel(), [wide[goal.robot] ** 2 for goal in goals])
    free = ~covered_goals(data, stamp_ns)[own]
    if few:  # a goal of several robots has no colour
        colours = robot_colours(data)
        single = counts == 1
        axes.scatter(xy[single, 0], xy[single, 1], s=rings[single], marker='o', linewidths=0.0,
                     zorder=6, alpha=0.5,
                     facecolors=[colours[goals[k].robot] for k in own[single]])
    over = 8.5 if counts.max() > 1 else 6.5  # a crowd would hide the ring of its goal
    # With a rim, as red on other colours is hard to see.
    rim = [withStroke(linewidth=line + 0.7, foreground=palette().ground)]
    axes.scatter(xy[:, 0], xy[:, 1], s=rings, marker='o', facecolors='none',
                 edgecolors=palette().goal, linewidths=line, zorder=over, path_effects=rim)
    axes.scatter(xy[free, 0], xy[free, 1], s=0.6 * size, marker='+', color=palette().goal,
                 linewidths=line, zorder=8.5, path_effects=rim)


def heading_lines(poses: Array, radius: Array) -> Array:
    """Return a line (N, 2, 2) from the centre of each robot (N, 3) to beyond its rim."""
    ahead = np.column_stack([np.cos(poses[:, 2]), np.sin(poses[:, 2])])
    return np.stack([poses[:, :2], poses[:, :2] + 1.5 * radius[:, None] * ahead], axis=1)


Rectangle = tuple[float, float, float]  # length, width and offset of a body (m)


def rectangles_of(data: RunData) -> dict[int, Rectangle]:
    """Return the rectangular bodies, by robot; the others are round."""
    bodies = enumerate(robot_bodies(data.scenario))
    return {i: (body.length, body.width, body.offset) for i, body in bodies if body.is_rectangle}


def outlines(rectangles: dict[int, Rectangle], poses: Array) -> list[Array]:
    """Return the outlines (4, 2) m of rectangular bodies, the first on top; poses are (N, 3)."""
    return [outline(poses[i], rectangles[i]) for i in sorted(rectangles, reverse=True)]


def widths_of_discs(data: RunData, rectangles: dict[int, Rectangle]) -> Array:
    """Return how wide each robot's disc is drawn (N,) m; 0 for rectangles."""
    width = 2.0 * drawn_radius(data)
    width[list(rectangles)] = 0.0
    return width


def outline(pose: Array, rectangle: Rectangle) -> Array:
    """Return the corners (4, 2) m of a rectangular body at a pose (3,)."""
    length, width, offset = rectangle
    x, y, yaw = pose.tolist()
    return rectangle_corners((x + offset * math.cos(yaw), y + offset * math.sin(yaw), length,
                              width, yaw))


class Robots:
    """Robots as discs and rectangles with their headings, robot 0 on top."""

    def __init__(self, axes: Axes, data: RunData, poses: Array, by: str = '') -> None:
        self._by_heading = by == 'heading'
        self._radius = drawn_radius(data)[::-1]
        self._rectangles = rectangles_of(data)
        many = len(self._radius) > MOST_NAMED
        colours = robot_colours(data, by)[::-1]
        edge: dict[str, Any] = {
            'edgecolors': palette().ground if many else palette().ink,
            'linewidths': 0.3 if many else 0.6, 'zorder': 7}
        width = widths_of_discs(data, self._rectangles)[::-1]
        self.bodies = discs(axes, poses[::-1, :2], width, facecolors=colours, **edge)
        self.headings = lines(heading_lines(poses[::-1], self._radius), colors=palette().ink,
                              linewidths=0.5 if many else 1.0, zorder=8)
        self.boxes = PolyCollection(
            outlines(self._rectangles, poses),
            facecolors=[colours[-1 - i] for i in sorted(self._rectangles, reverse=True)],
            **edge)
        axes.add_collection(self.bodies)
        axes.add_collection(self.boxes)
        axes.add_collection(self.headings)
        self._colour(poses)

    def _colour(self, poses: Array) -> None:
        if self._by_heading:
            colours = heading_colours(poses[:, 2])
            self.bodies.set_facecolor(colours[::-1])
            self.boxes.set_facecolor(colours[sorted(self._rectangles, reverse=True)])

    def move(self, poses: Array) -> None:
        """Set the poses (N, 3)."""
        self._colour(poses)
        self.bodies.set_offsets(poses[::-1, :2])
        self.boxes.set_verts(outlines(self._rectangles, poses))
        self.headings.set_segments(list(heading_lines(poses[::-1], self._radius)))


def number_robots(axes: Axes, data: RunData, index: int = -1, small: bool = False) -> None:
    """Write each robot's id beside it at a stamp, away from the others, unless they are many."""
    poses = data.poses[index]
    if not 1 < len(poses) <= (MOST_NUMBERED_SMALL if small else _MOST_NUMBERED):
        return
    places, radii = poses[:, :2].copy(), drawn_radius(data)
    for i, rectangle in rectangles_of(data).items():
        corners = outline(poses[i], rectangle)
        places[i], radii[i] = corners.mean(axis=0), 0.5 * float(np.hypot(*np.ptp(corners, axis=0)))
    # By robots, goals, and the ids that are written.
    goals = [[goal.x, goal.y] for goal in latest_goals(data, int(data.stamps_ns[index]))]
    taken = places.tolist() + goals
    for i, ((x, y), radius) in enumerate(zip(places.tolist(), radii, strict=True)):
        others = np.array([place for k, place in enumerate(taken) if k != i])

        def room(side: tuple[int, int], x: float = x, y: float = y, others: Array = others,
                 away: float = 2.0 * radius) -> float:
            offset = others - (x + away * side[0], y + away * side[1])
            return float(np.hypot(*offset.T).min())
        # The usual corner, unless another one has clearly more room.
        right, up = max(_CORNERS, key=lambda side: min(room(side), 4.0 * radius))
        shift = radius * math.sqrt(0.5)
        axes.annotate(str(i), (x + right * shift, y + up * shift), xytext=(right, up),
                      textcoords='offset points', zorder=9,
                      fontsize='x-small' if small else 'small',
                      color=palette().ink, ha='left' if right > 0 else 'right',
                      va='bottom' if up > 0 else 'top',
                      path_effects=[withStroke(linewidth=1.5, foreground=palette().ground)])
        taken.append([x + 2.0 * radius * right, y + 2.0 * radius * up])


class Numbers:
    """Ids of a few robots, always at the same corner of each, so that none jumps in a film."""

    def __init__(self, axes: Axes, data: RunData) -> None:
        count = len(data.radius)
        shown = 1 < count <= MOST_NUMBERED_SMALL
        self._shift = drawn_radius(data) * math.sqrt(0.5)
        rim = [withStroke(linewidth=1.5, foreground=palette().ground)]
        self.texts = [axes.annotate(
            str(i), (0.0, 0.0), xytext=(1.0, 1.0), textcoords='offset points', fontsize='x-small',
            zorder=9, color=palette().ink, va='bottom', path_effects=rim, gid='number')
            for i in range(count if shown else 0)]

    def move(self, poses: Array) -> None:
        """Set the poses (N, 3)."""
        for text, (x, y, _), shift in zip(self.texts, poses.tolist(), self._shift.tolist(),
                                          strict=False):
            text.xy = (x + shift, y + shift)
