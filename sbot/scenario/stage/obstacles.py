"""Obstacles of a Stage world: rectangles, polygons and the outlines of bitmaps."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from sbot.scenario.stage.bitmaps import Bitmaps
from sbot.scenario.stage.entities import Entity
from sbot.scenario.stage.geometry import (
    Array,
    Frame,
    Units,
    block_outlines,
    fitted,
    frame_of,
    size_of,
)
from sbot.scenario.stage.notes import Notes
from sbot.scenario.stage.tokens import Place
from sbot_sim.world.geometry import inside_polygon, outline_error

FLAT = 0.05  # m, height up to which a model that nothing hits is a mark on the floor
READ = ('pose', 'origin', 'size', 'bitmap', 'boundary', 'noblocks', 'obstacle_return',
        'ranger_return')


class Obstacle(NamedTuple):
    """What stands in the world."""

    place: Place
    segments: Array  # (K, 4) x0, y0, x1, y1 (m)
    solid: Array | None  # corners (M, 2) (m) of a simple outline; then there are no segments


def obstacles_of(model: Entity, frame: Frame, units: Units, bitmaps: Bitmaps,
                 notes: Notes) -> list[Obstacle]:
    """Return the obstacles of one model, without its children.

    Parameters
    ----------
    model : an entity of kind ``model``
    frame : its pose in the world
    units, notes : of the file
    bitmaps : of the file

    Raises
    ------
    InputError
        for values and files that are wrong.

    """
    notes.unknown(model, *READ)
    seen, hit = model.number('ranger_return', 1.0) >= 0, model.number('obstacle_return', 1.0) != 0
    size = size_of(model, units)
    if not hit and (not seen or _height(model, units) <= FLAT):
        return []
    if not hit:
        notes.add(model.place_of('obstacle_return'), 'obstacle_return 0 has no effect: what '
                  'lasers see is solid here')
    elif not seen:
        notes.add(model.place_of('ranger_return'), 'ranger_return < 0 has no effect: lasers see '
                  'everything that is solid here')
    shape = frame.then(frame_of(model, 'origin', units, notes))
    outlines, lines = block_outlines(model), []
    if 'bitmap' in model.properties:
        borders = bitmaps.outlines(model.text('bitmap'), model.place_of('bitmap'))
        lines = [borders.reshape(-1, 2)] if len(borders) else []
    elif not outlines and model.number('noblocks', 0.0) == 0:
        outlines = [rectangle(size)]
    parts = fitted([*lines, *outlines], size)
    walls = [each.reshape(-1, 4) for each in parts[:len(lines)]]
    if model.number('boundary', 0.0) != 0 and not (outlines and not lines):
        walls.append(sides(rectangle(size)))
    return [*(Obstacle(model.place, shape.points(each.reshape(-1, 2)).reshape(-1, 4), None)
              for each in walls),
            *(_block(model.place, shape.points(each)) for each in parts[len(lines):])]


def _height(model: Entity, units: Units) -> float:
    given = model.properties.get('size')
    return units[0] * float(given.numbers(2, 3)[2]) if given and len(given.values) > 2 else 1.0


def rectangle(size: tuple[float, float]) -> Array:
    """Return the corners (4, 2) of a rectangle about the origin."""
    x, y = 0.5 * size[0], 0.5 * size[1]
    return np.array([[-x, -y], [x, -y], [x, y], [-x, y]])


def _block(place: Place, corners: Array) -> Obstacle:
    """Return the obstacle of an outline: its sides alone, where it is not simple."""
    if outline_error(corners) is not None:
        return Obstacle(place, sides(corners), None)
    return Obstacle(place, np.empty((0, 4)), corners)


def sides(corners: Array) -> Array:
    """Return the sides (M, 4) of an outline that have a length."""
    lines = np.hstack([corners, np.roll(corners, -1, axis=0)])
    return _with_length(lines)


def _with_length(lines: Array) -> Array:
    kept: Array = lines[(lines[:, :2] != lines[:, 2:]).any(axis=1)]
    return kept


def world_of(obstacles: list[Obstacle], robots: Array) -> tuple[dict[str, Any], list[Place]]:
    """Return segments and polygons of a scenario's world, and the place of each polygon.

    In Stage only outlines stop robots and beams: what is around a robot's start (x, y of
    ``robots`` (N, 2), m) is a wall around it, and becomes segments.
    """
    segments: list[list[float]] = []
    polygons: list[dict[str, Any]] = []
    places: list[Place] = []
    for each in obstacles:
        lines = each.segments
        if each.solid is not None:
            if inside_polygon(each.solid, robots).any():
                lines = sides(each.solid)
            else:
                polygons.append({'corners': each.solid.tolist()})
                places.append(each.place)
        segments += _with_length(lines).tolist()
    return {'segments': segments, 'polygons': polygons}, places


def extent(obstacles: list[Obstacle], robots: Array, margin: float) -> list[float]:
    """Return xmin, ymin, xmax, ymax (m) of everything, with a margin (m) around it."""
    points = np.vstack([robots, *(each.segments.reshape(-1, 2) for each in obstacles),
                        *(each.solid for each in obstacles if each.solid is not None)])
    low, high = points.min(axis=0) - margin, points.max(axis=0) + margin
    return [*low.tolist(), *high.tolist()]
