# SPDX-License-Identifier: Apache-2.0
"""Data of the browser page: world, compressed tables of a recording, frames of a live run."""

from __future__ import annotations

import base64
import html
import json
import math
import re
import zlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sbot.bag.reader import Bag
from sbot.bag.tables import Series
from sbot.controllers.registry import NONE
from sbot.figures.arena import robot_colours
from sbot.figures.data import RunData
from sbot.runner.history import Run
from sbot.scenario.assemble import robot_bodies, simulation_parameters, zone_colour
from sbot.scenario.model import Scenario
from sbot_common.errors import bad_value, writing
from sbot_common.topics import BASE_SCAN
from sbot_common.wire.cdr import little_endian
from sbot_common.wire.messages import read_header_stamp
from sbot_sim.sensors.laser import Lasers
from sbot_sim.world.bodies import Body, is_there
from sbot_sim.world.geometry import FREE, OCCUPIED, UNKNOWN, CellMap, rectangle_corners

MOST_FRAMES = 6000  # ten minutes at 10 Hz; the page draws straight lines between them
_SCAN_NUMBERS = 8_000_000  # of all scans together, before compression
MOST_BEAMS = 180
_HOLE = 0xFFFF  # code of a range that is none
_LEVELS = 0xFFFE
_MOST_CELLS = 4096  # on a side
MOST_BORDERS = 250_000  # of a map whose cells are shown; each is 27 bytes of the page, and drawn
_LONGEST = 0x3FFF  # of a run of cells
_CODES = {FREE: 0, OCCUPIED: 1, UNKNOWN: 2}  # of cells


class Scans(NamedTuple):
    """What lasers saw at some of the frames."""

    frames: NDArray[np.intp]  # (J,)
    ranges: NDArray[np.float32]  # (J, N, beams that are shown) m


def _frame_step(ticks: int) -> int:
    """Return how many stamps apart the page's frames are."""
    return max(1, -(-ticks // MOST_FRAMES))


def _pack(values: NDArray[Any], low: ArrayLike, high: ArrayLike, *, holes: bool = False,
         ) -> dict[str, Any]:
    """Return a table (frames, channels) as the page's `unpack` reads it.

    Whole numbers of 16 bits from ``low`` to ``high`` (which repeat over the channels), as
    differences from frame to frame, channel after channel, deflated.

    Parameters
    ----------
    values : (frames, channels)
    low, high : the range of each of the repeating channels
    holes : whether what is not finite may occur

    """
    lows, highs = np.atleast_1d(np.asarray(low, float)), np.atleast_1d(np.asarray(high, float))
    step = np.where(highs > lows, highs - lows, 1.0) / _LEVELS
    repeat = values.shape[1] // len(lows)
    offset, scale = np.tile(lows, repeat), np.tile(step, repeat)
    finite = np.isfinite(values)
    scaled = np.clip(np.rint((np.where(finite, values, offset) - offset) / scale), 0, _LEVELS)
    codes = scaled.astype(np.uint16)
    if holes:
        codes[~finite] = _HOLE
    deltas = np.diff(codes, axis=0, prepend=np.zeros((1, codes.shape[1]), np.uint16))
    raw = np.ascontiguousarray(deltas.T).astype('<u2').tobytes()
    return {'frames': values.shape[0], 'channels': values.shape[1], 'low': lows.tolist(),
            'step': step.tolist(), 'holes': holes, 'data': _deflated(raw, 9)}


def _deflated(raw: bytes, level: int = 6) -> str:
    """Return bytes as the page's `inflate` reads them."""
    return base64.b64encode(zlib.compress(raw, level)).decode('ascii')


def lasers_of(scenario: Scenario) -> Lasers:
    """Return the lasers of a scenario's robots; a page shows the first of each."""
    return simulation_parameters(scenario).sensors.lasers


def shown_beams(lasers: Lasers) -> slice:
    """Return which columns of ranges (N, columns) a page shows."""
    widest = max(own[0].beams for own in lasers.kits)
    return slice(0, widest, max(1, -(-widest // MOST_BEAMS)))


def _header(data: RunData) -> dict[str, Any]:
    """Return the data that a page needs once: world, robots, lasers."""
    world, lasers = data.world, lasers_of(data.scenario)
    beams = shown_beams(lasers)
    walls = world.segments[:len(world.segments) - len(world.inner_segments)]
    solids = [*map(rectangle_corners, world.rectangles), *world.polygons]
    cells = None if world.cells is None else _cell_runs(world.cells)
    outlines = [] if world.cells is None else [world.cells.outlines]
    if cells is not None and len(outlines[0]) > MOST_BORDERS:
        outlines = []  # the cells show the same
    begin = int(data.stamps_ns[0])
    return {
        'name': f'{data.scenario.name}, seed {data.scenario.seed}',
        'live': False,
        'bounds': world.bounds.tolist(),
        'segments': _rounded(np.vstack([walls, world.given_segments, *outlines])),
        'cells': cells,
        'circles': _rounded(data.still_circles),
        'moving': _rounded(data.moving_radius),  # radii; frames have the centres
        'boxes': [_corners(box) or box.radius
                  for box in data.scenario.world.box_bodies()],  # frames have their poses
        'polygons': [_rounded(corners) for corners in solids],
        'zones': [[*zone.center, zone.radius, zone_colour(zone), zone.name]
                  for zone in data.scenario.world.zones],
        'radius': _rounded(data.radius),
        'outlines': [_corners(body) for body in robot_bodies(data.scenario)],
        'colours': robot_colours(data),
        'arrows': _rounded(data.wind_arrows()),
        'goals': [[round((goal.stamp_ns - begin) / 1e9, 4), goal.robot, goal.x, goal.y]
                  for goal in data.goals],
        # Rows of ranges have as many as the widest; a robot's laser is that of its kit.
        'beams': len(range(0, beams.stop, beams.step)), 'kit': lasers.kit.tolist(),
        'lasers': [{'x': own.laser_x, 'y': own.laser_y, 'yaw': own.laser_yaw,
                    'beams': len(range(0, own.beams, beams.step)), 'angle_min': own.angle_min,
                    'increment': own.angle_increment * beams.step}
                   for own, *_ in lasers.kits],
    }


def _cell_runs(cells: CellMap) -> dict[str, Any] | None:
    """Return the cells of a map as the page's `paintCells` reads them.

    They are runs of equal cells, row by row from the lowest: whole numbers of 16 bits, deflated.
    The upper two bits are the kind (free, occupied, unknown), the others the length. None for a
    map with more cells on a side than canvases have pixels: the page has its outlines.
    """
    if max(cells.values.shape) > _MOST_CELLS:
        return None
    values = cells.values.ravel()
    begin = np.flatnonzero(np.diff(values, prepend=values[0] + 1))
    length = np.diff(begin, append=values.size)
    codes = np.select([values[begin] == value for value in _CODES], list(_CODES.values()))
    pieces = -(-length // _LONGEST)
    lengths = np.full(pieces.sum(), _LONGEST)
    lengths[np.cumsum(pieces) - 1] = length - (pieces - 1) * _LONGEST
    runs = (np.repeat(codes, pieces) << 14 | lengths).astype('<u2').tobytes()
    rows, columns = cells.values.shape
    return {'columns': columns, 'rows': rows, 'resolution': cells.resolution,
            'origin': list(cells.origin), 'data': _deflated(runs)}


def _corners(body: Body) -> list[Any] | None:
    """Return the corners [x, y] (m) of a body in its own frame; None if it is round."""
    return None if body.outline is None else _rounded(body.outline)


def _rounded(values: ArrayLike, digits: int = 5) -> list[Any]:
    rounded: list[Any] = np.round(np.asarray(values), digits).tolist()
    return rounded


def page_data(data: RunData, scans: Scans | None) -> dict[str, Any]:
    """Return everything the page needs to show a recording."""
    step = _frame_step(len(data.stamps_ns))
    poses, wind = data.poses[::step], data.wind[::step]
    frames, count = poses.shape[:2]
    xmin, ymin, xmax, ymax = data.world.bounds.tolist()
    strongest = float(np.abs(wind).max(initial=0.0))
    out = _header(data)
    out['times'] = np.round(data.seconds[::step], 4).tolist()
    out['poses'] = _pack(poses.reshape(frames, 3 * count), [xmin, ymin, -np.pi],
                        [xmax, ymax, np.pi], holes=not is_there(poses).all())
    out['winds'] = _pack(wind.reshape(frames, 2 * count), -strongest, strongest)
    if data.obstacles.shape[1]:
        centres = data.obstacles[::step]
        out['obstacles'] = _pack(centres.reshape(frames, -1), centres.min(axis=(0, 1)),
                                centres.max(axis=(0, 1)))
    if data.boxes.shape[1]:
        places = data.boxes[::step]
        low, high = places[:, :, :2].min(axis=(0, 1)), places[:, :, :2].max(axis=(0, 1))
        out['box_poses'] = _pack(places.reshape(frames, -1), [*low, -np.pi], [*high, np.pi])
    if scans is not None:
        farthest = float(np.where(np.isfinite(scans.ranges), scans.ranges, 0.0).max(initial=1.0))
        out['scans'] = _pack(scans.ranges.reshape(len(scans.ranges), -1), 0.0, farthest,
                            holes=True)
        out['scan_frames'] = scans.frames.tolist()
    return out


def _read_scans(bag: Bag, data: RunData) -> Scans | None:
    """Return scans of a recording, as many as the page should hold; None if there are none."""
    count = len(data.radius)
    present = bag.names()
    names = [BASE_SCAN.resolve(i, count) for i in range(count)]
    if any(name not in present for name in names):
        return None
    frames, every = _scan_frames(len(data.stamps_ns), count)
    wanted = {int(stamp): j for j, stamp in enumerate(data.stamps_ns[frames])}
    series = {name: Series(name, BASE_SCAN.type) for name in names}
    with bag.named_errors():
        for message in bag.messages_of(dict.fromkeys(names, (BASE_SCAN.type,))):
            payload = little_endian(message.payload, message.type)
            if read_header_stamp(payload) in wanted:
                series[message.name].add(payload)
    return _join_scans([series[name] for name in names], shown_beams(lasers_of(data.scenario)),
                       wanted, every)


def _kept_scans(run: Run) -> Scans | None:
    """Return scans of a run in this process, as many as the page should hold, if it kept any."""
    if run.scan is None:
        return None
    frames, every = _scan_frames(len(run.stamps_ns), run.scan.shape[1])
    return Scans(np.arange(len(frames)) * every,
                 run.scan[frames][:, :, shown_beams(lasers_of(run.scenario))])


def _scan_frames(ticks: int, robots: int) -> tuple[NDArray[np.intp], int]:
    """Return the ticks whose scans a page holds, and how many of its frames lie between them."""
    frames = np.arange(0, ticks, _frame_step(ticks))
    every = max(1, -(-len(frames) * robots * MOST_BEAMS // _SCAN_NUMBERS))
    return frames[::every], every


def _join_scans(series: Sequence[Series], beams: slice, wanted: dict[int, int],
                every: int) -> Scans | None:
    """Return the scans of all robots at the stamps where all are there."""
    tables = [each.arrays() for each in series]
    stamps = sorted(set.intersection(*(set(known.tolist()) for known, _ in tables)))
    if not stamps:
        return None
    ranges = np.full((len(stamps), len(series), beams.stop), np.nan, np.float32)
    for i, (known, table) in enumerate(tables):
        # After seven numbers and the count of the ranges.
        row = table[np.searchsorted(known, stamps), 8:8 + beams.stop]
        ranges[:, i, :row.shape[1]] = row
    return Scans(np.array([wanted[stamp] * every for stamp in stamps]), ranges[:, :, beams])


# Frames of a live run: the data that a page needs once, and for each frame.

FRAME_PERIOD = 0.05  # s of wall time between frames


def live_header(scenario: Scenario) -> dict[str, Any]:
    """Return the data that a page needs once of a live run."""
    return {**_header(RunData.at_rest(scenario)), 'drivable': drivable(scenario)}


def drivable(scenario: Scenario) -> list[int]:
    """Return the robots that the page may drive: those without a controller."""
    return [i for i, robot in enumerate(scenario.robots) if robot.controller == NONE]


def frame(seconds: float, poses: ArrayLike, winds: ArrayLike,
          goals: Mapping[int, tuple[float, float]],
          obstacles: ArrayLike | None = None,
          boxes: ArrayLike | None = None) -> dict[str, Any]:
    """Return a frame: time since the start (s), poses (N, 3), winds (N, 2), goals (m) of robots.

    ``obstacles`` (M, 2) (m) are the centres of those that move, ``boxes`` (B, 3) the poses of
    pushable boxes.
    """
    moving = {name: _rounded(np.ravel(places), 4) for name, places in (
        ('obstacles', obstacles), ('box_poses', boxes)) if places is not None}
    return {
        't': round(seconds, 4),
        'poses': [None if math.isnan(value) else value for value in _rounded(np.ravel(poses), 4)],
        'winds': _rounded(np.ravel(winds), 4),
        **moving,
        'goals': [[0.0, robot, *goal] for robot, goal in sorted(goals.items())],
    }


def scans(ranges: Iterable[ArrayLike]) -> list[float | None]:
    """Return ranges (N, beams) as a frame has them; None where nothing is seen."""
    return [round(r, 3) if math.isfinite(r) else None
            for row in ranges for r in np.ravel(row).tolist()]


_HERE = Path(__file__).parent
_SCRIPTS = ('page.js', 'around.js', 'start.js')  # in this order


def page(run: dict[str, Any] | None, title: str) -> str:
    """Return the whole page: HTML, style, script and data, nothing to load from elsewhere.

    Parameters
    ----------
    run : as ``data.page_data`` returns it; None: the page asks its server for a live run
    title : shown until the name of the run has arrived

    """
    template = (_HERE / 'page.html').read_text('utf-8')
    script = '\n'.join((_HERE / name).read_text('utf-8') for name in _SCRIPTS)
    # '<' is all that could end the element early.
    data = json.dumps(run, separators=(',', ':'), allow_nan=False).replace('<', '\\u003c')
    texts = {'@TITLE@': html.escape(title), '@SCRIPT@': script, '@RUN@': data}
    return re.sub('|'.join(texts), lambda mark: texts[mark[0]], template)


def write_view(source: Run | Bag | str | Path, output: str | Path) -> None:
    """Write the page of a run in this process, or of a recording.

    Raises
    ------
    InputError
        if the bag cannot be used or the file cannot be written.

    """
    check_name(output)
    run = _data_of(source if isinstance(source, Run | Bag) else Bag(source))
    with writing(output):
        Path(output).write_bytes(page(run, run['name']).encode('utf-8', 'replace'))


def _data_of(source: Run | Bag) -> dict[str, Any]:
    """Return what a page shows of a run in this process, or a recording; scans if it has them."""
    if isinstance(source, Run):
        return page_data(RunData.from_result(source), _kept_scans(source))
    data = RunData.from_bag(source)
    return page_data(data, _read_scans(source, data))


def check_name(output: str | Path, option: str = 'output') -> None:
    """Raise InputError unless the file name is valid for a page."""
    if not str(output).endswith(('.html', '.htm')):
        raise bad_value(option, str(output), 'a file that ends in .html')


# Runs and recordings in a notebook: the page of the viewer in a frame, inline and offline.

HEIGHT = 480  # px
MOST_BYTES = 8_000_000  # of a page: a notebook keeps it with every output


def notebook_page(shown: Run | Bag) -> str | None:
    """Return the HTML of a run or recording; None if it has no poses or its page is too large."""
    if isinstance(shown, Run) and not len(shown.poses):
        return None  # of a run with keep=False
    data = _data_of(shown)
    text = page(data, data['name'])
    if len(text) > MOST_BYTES:
        data.pop('scans', None)
        data.pop('scan_frames', None)
        text = page(data, data['name'])
    if len(text) > MOST_BYTES:
        return None
    return (f'<iframe style="width: 100%; height: {HEIGHT}px; border: 1px solid #ccc" '
            f'sandbox="allow-scripts" srcdoc="{html.escape(text)}"></iframe>')
