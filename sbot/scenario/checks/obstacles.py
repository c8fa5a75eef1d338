"""Checks of obstacles: simple outlines, speeds of moving obstacles, free places of boxes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sbot.files.yaml_text import Origins
from sbot.scenario.model import ScenarioFile, World
from sbot.scenario.world import box_bodies, box_poses, solid_names, starting_world
from sbot_common.errors import InputError, bad_value
from sbot_sim.collision.overlap import PAIR, find_overlaps
from sbot_sim.world.bodies import Body, body_arrays
from sbot_sim.world.geometry import outline_error

THINNEST = 1e-3  # m; a tick is divided into steps of a quarter of the thinnest box


def check_polygons(written: ScenarioFile, origins: Origins) -> None:
    """Raise InputError for a polygon whose sides meet."""
    for k, polygon in enumerate(written.world.polygons):
        wrong = outline_error(np.array(polygon.corners))
        if wrong is not None:
            raise bad_value(origins.where(('world', 'polygons', k, 'corners')),
                            [list(corner) for corner in polygon.corners],
                            f'an outline that does not touch itself; {wrong} (side 0 joins the '
                            'first corner to the second)')


def check_moving(written: ScenarioFile, bodies: Sequence[Body], origins: Origins) -> None:
    """Raise InputError for an obstacle that could jump over a robot or a box in a tick."""
    least = min(body.inner_radius for body in bodies)
    for k, disc in enumerate(written.world.moving):
        if disc.speed * written.rate.dt > 0.5 * least:
            raise bad_value(
                origins.where(('world', 'moving', k, 'speed')), disc.speed,
                f'at most {0.5 * least / written.rate.dt:g} m/s at {written.rate.hz:g} Hz: in a '
                'tick it moves at most half the smallest radius of a robot or a box, here '
                f'{least:g} m (of a rectangle: of the circle inside it)')


def check_boxes(world: World, origins: Origins) -> None:
    """Raise InputError for a box without a shape or too thin, or one that starts in something.

    ``world`` has its map by absolute path.
    """
    for k, box in enumerate(world.boxes):
        where = origins.where(('world', 'boxes', k))
        if (box.size is None) == (box.radius is None):
            raise InputError(f"{where}: got {'neither' if box.size is None else 'both'} of 'size' "
                             "(a rectangle) and 'radius' (a round box), expected one")
        key, thickness = (('size', min(box.size)) if box.size else
                          ('radius', 2.0 * (box.radius or 0.0)))
        if thickness < THINNEST:
            raise bad_value(origins.where(('world', 'boxes', k, key)), getattr(box, key),
                            f'a box of at least {THINNEST:g} m')
    if not world.boxes:
        return
    arrays = starting_world(world, with_boxes=False)
    found = find_overlaps(arrays, body_arrays((), box_bodies(world)), box_poses(world))
    if not len(found.robot):
        return
    box, kind, other, depth = min(zip(*(column.tolist() for column in found), strict=True))
    if kind == PAIR:
        box, other = max(box, other), min(box, other)
    what = f'world.boxes.{other}' if kind == PAIR else solid_names(world, arrays, kind, other)
    raise bad_value(origins.where(('world', 'boxes', box, 'center')),
                    list(world.boxes[box].center),
                    f'a free place: box {box} is {depth:.3g} m too near to {what}')
