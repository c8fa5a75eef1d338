import math
from types import SimpleNamespace

import numpy as np
import pytest
from PIL import Image

import sbot
from sbot.scenario.load import load_scenario
from sbot.scenario.maps import load_map
from sbot.scenario.model import World
from sbot_common.errors import InputError
from sbot_sim.messages.occupancy import _occupancy
from sbot_sim.world.geometry import FREE, OCCUPIED, UNKNOWN, _to_world, to_cells

# What turtlebot3's maps say; its images are PGM with these three shades.
TURTLEBOT3 = {'resolution': 0.05, 'origin': [-10.0, -10.0, 0.0], 'negate': 0,
              'occupied_thresh': 0.65, 'free_thresh': 0.196}
BLACK, GREY, WHITE = 0, 205, 254


def write_map(folder, pixels, name='map.pgm', **changes):
    """Write pixels (rows from the top, columns[, channels]) and a map.yaml; return its path."""
    image = folder / name
    if name == 'ascii.pgm':
        text = '\n'.join(' '.join(str(v) for v in row) for row in pixels)
        rows, columns = pixels.shape
        image.write_text(f'P2\n# CREATOR: test\n{columns} {rows}\n255\n{text}\n')
    else:
        Image.fromarray(pixels).save(image)
    values = {'image': name, **TURTLEBOT3, **changes}
    path = folder / 'map.yaml'
    path.write_text(''.join(f'{key}: {value}\n' for key, value in values.items()
                            if value is not None))
    return path


def turtlebot3_pixels():
    """Return the world of turtlebot3 as a SLAM map: a hexagon of walls, nine pillars, rough."""
    rng = np.random.default_rng(3)
    y, x = np.mgrid[0:384, 0:384]
    x, y = (x - 191.5) * 0.05, (191.5 - y) * 0.05
    distance = np.max([x * math.cos(a) + y * math.sin(a) for a in np.arange(6) * math.pi / 3],
                      axis=0)
    pixels = np.full(x.shape, GREY, np.uint8)
    pixels[distance < 2.6] = WHITE
    pixels[(distance >= 2.6) & (distance < 2.6 + 0.1 * rng.random(x.shape))] = BLACK
    pixels[(distance >= 2.6) & (distance < 2.65)] = BLACK
    for px in (-1.1, 0.0, 1.1):
        for py in (-1.1, 0.0, 1.1):
            pixels[np.hypot(x - px, y - py) < 0.15] = BLACK
    return pixels


def march(cells, xy, angle):
    """Return how far a ray goes through the pixels, one by one, until one is occupied."""
    start = to_cells(np.array([xy]), cells.resolution, cells.origin)[0]
    along = np.array([math.cos(angle - cells.origin[2]), math.sin(angle - cells.origin[2])])
    borders = [(np.arange(size + 1) - start[axis]) / along[axis]
               for axis, size in enumerate(cells.values.shape[::-1])]
    begins = np.sort(np.concatenate([[0.0], *borders]))
    begins = begins[begins >= 0.0]
    inside = start + (begins[:-1] + np.diff(begins) / 2)[:, None] * along
    hit = cells.occupies(_to_world(inside, cells.resolution, cells.origin))
    return begins[np.argmax(hit)] * cells.resolution if hit.any() else math.inf


@pytest.mark.parametrize('name', ['map.pgm', 'ascii.pgm', 'map.png'])
def test_three_shades_become_three_values_with_row_0_lowest(tmp_path, name):
    pixels = np.array([[BLACK, GREY, WHITE], [WHITE, WHITE, BLACK]], np.uint8)
    cells = load_map(write_map(tmp_path, pixels, name))
    assert cells.values.tolist() == [[FREE, FREE, OCCUPIED], [OCCUPIED, UNKNOWN, FREE]]
    assert cells.resolution == 0.05
    assert cells.origin == (-10.0, -10.0, 0.0)


@pytest.mark.parametrize(('shade', 'negate', 'expected'), [
    (89, 0, OCCUPIED), (90, 0, UNKNOWN),  # p = 0.651 and 0.647 about occupied_thresh 0.65
    (205, 0, UNKNOWN), (206, 0, FREE),  # p = 0.1961 and 0.1922 about free_thresh 0.196
    (166, 1, OCCUPIED), (165, 'true', UNKNOWN), (50, 'yes', UNKNOWN), (49, 1, FREE),
])
def test_thresholds_are_strict(tmp_path, shade, negate, expected):
    cells = load_map(write_map(tmp_path, np.full((1, 1), shade, np.uint8), negate=negate))
    assert cells.values.item() == expected


@pytest.mark.parametrize(('pixel', 'expected'), [
    ((0, 0, 0, 255), OCCUPIED), ((0, 0, 0, 0), OCCUPIED),  # mean 63.75 and 0
    ((120, 120, 0, 255), UNKNOWN), ((120, 120, 0), OCCUPIED), ((255, 255, 255, 0), UNKNOWN),
])
def test_the_shade_is_the_mean_of_all_channels_opacity_included(tmp_path, pixel, expected):
    cells = load_map(write_map(tmp_path, np.array([[pixel]], np.uint8), 'map.png'))
    assert cells.values.item() == expected


def test_palette_and_16_bit_images_are_read_by_what_they_show(tmp_path):
    pixels = np.array([[BLACK, WHITE]], np.uint8)
    deep = write_map(tmp_path, pixels.astype(np.uint16) * 257, 'map.png')
    assert load_map(deep).values.tolist() == [[OCCUPIED, FREE]]
    Image.fromarray(pixels).convert('P').save(tmp_path / 'map.png')
    assert load_map(deep).values.tolist() == [[OCCUPIED, FREE]]


def test_merged_edges_are_one_segment_for_each_straight_border(tmp_path):
    pixels = np.full((20, 30), WHITE, np.uint8)
    pixels[5:8, 3:27] = BLACK  # one wall
    pixels[12, 10] = BLACK
    pixels[13, 11] = BLACK  # touching by a corner
    pixels[:, 29] = BLACK  # at the map's edge
    cells = load_map(write_map(tmp_path, pixels, origin=[0, 0, 0], resolution=1))
    found = {tuple(sorted([(x0, y0), (x1, y1)])) for x0, y0, x1, y1 in cells.outlines}
    assert found == {
        ((3, 12), (27, 12)), ((3, 15), (27, 15)), ((3, 12), (3, 15)), ((27, 12), (27, 15)),
        ((10, 8), (11, 8)), ((10, 7), (12, 7)), ((11, 6), (12, 6)),
        ((10, 7), (10, 8)), ((11, 6), (11, 8)), ((12, 6), (12, 7)),
        ((29, 0), (29, 20)), ((30, 0), (30, 20)), ((29, 0), (30, 0)), ((29, 20), (30, 20))}


@pytest.mark.parametrize('origin', [[-10.0, -10.0, 0.0], [3.0, -2.0, 0.7], [0.0, 0.0, -2.5]])
def test_scans_agree_with_a_march_over_pixels_to_one_cell(tmp_path, origin):
    cells = load_map(write_map(tmp_path, turtlebot3_pixels(), origin=origin))
    free = np.argwhere(cells.values == FREE)
    rng = np.random.default_rng(1)
    spots = _to_world(free[rng.choice(len(free), 12)][:, ::-1] + 0.5, 0.05, cells.origin)
    pose = np.column_stack([spots, rng.uniform(-math.pi, math.pi, 12)])
    dot = {'radius': 0.001, 'collision_distance': 0.0}
    session = sbot.session({'world': {'map': str(tmp_path / 'map.yaml')}, 'bodies': {'dot': dot},
                            'robots': [{'pose': each, 'body': 'dot', 'controller': 'none'}
                                       for each in pose], 'sensors': {'scan_range_max': 5.0}})
    scan, ranges = session.parameters.sensors.lasers.all[0], session.snapshot.ranges
    checked = 0
    for robot in range(len(pose)):
        for beam in range(0, ranges.shape[1], 7):
            angle = pose[robot, 2] + scan.angle_min + beam * scan.angle_increment
            expected = march(cells, pose[robot, :2], angle)
            if expected > 5.0:
                assert ranges[robot, beam] == math.inf
            else:
                assert ranges[robot, beam] == pytest.approx(expected, abs=1e-5)  # a cell is 0.05
                checked += 1
    assert checked > 100


def test_map_is_published_as_it_was_read(tmp_path):
    path = write_map(tmp_path, turtlebot3_pixels(), origin=[1.0, 2.0, 0.5])
    world = World.arrays(SimpleNamespace(map=str(path), bounds=None, open=False, segments=(),
                                         circles=(), rectangles=(), polygons=()))
    grid = _occupancy(world)
    assert (grid.values == load_map(path).values).all()
    assert grid.origin == (1.0, 2.0, 0.5)
    assert grid.resolution == 0.05


def test_other_obstacles_are_drawn_into_the_map(tmp_path):
    path = write_map(tmp_path, np.full((40, 40), WHITE, np.uint8), origin=[0, 0, math.pi / 2])
    circle = SimpleNamespace(center=(-1.0, 0.5), radius=0.2)
    world = World.arrays(SimpleNamespace(map=str(path), bounds=None, open=False, segments=(),
                                         circles=[circle], rectangles=(), polygons=()))
    grid = _occupancy(world)
    row, column = np.argwhere(grid.values == OCCUPIED).mean(axis=0)
    assert _to_world(np.array([[column + 0.5, row + 0.5]]), 0.05, grid.origin)[0] == pytest.approx(
        [-1.0, 0.5], abs=0.025)


SCENARIO = """
world: {map: map.yaml}
robots:
  - {body: s-bot, controller: none, pose: [%s, %s, 0]}
"""


def test_a_scenario_names_a_map_relative_to_itself(tmp_path):
    write_map(tmp_path, turtlebot3_pixels())
    (tmp_path / 'scenario.yaml').write_text(SCENARIO % (0.15, 0.15))
    scenario = load_scenario(str(tmp_path / 'scenario.yaml'))
    assert scenario.world.map == str(tmp_path / 'map.yaml')
    world = scenario.world.arrays()
    assert world.bounds == pytest.approx([-10.0, -10.0, 9.2, 9.2])
    assert len(world.free_segments) == len(load_map(scenario.world.map).outlines)


@pytest.mark.parametrize('xy', [(-5.0, -5.0), (-5.0, -5.3)])
def test_a_robot_inside_an_occupied_region_is_refused(tmp_path, xy):
    pixels = turtlebot3_pixels()
    pixels[250:330, 50:130] = BLACK  # 4 m wide: its outline is far from its middle
    write_map(tmp_path, pixels)
    (tmp_path / 'scenario.yaml').write_text(SCENARIO % xy)
    with pytest.raises(InputError, match=r'yaml:4: robots\.0\.pose.*too near to world\.map'):
        load_scenario(str(tmp_path / 'scenario.yaml'))


@pytest.mark.parametrize(('changes', 'message'), [
    ({'resolution': None}, "map.yaml:1: key 'resolution' is missing; usual: resolution: 0.05$"),
    ({'negate': None, 'occupied_thresh': None, 'free_thresh': None},
     "keys 'negate', 'occupied_thresh', 'free_thresh' are missing; usual: negate: 0, "
     'occupied_thresh: 0.65, free_thresh: 0.196$'),
    ({'resolution': 0}, r'map.yaml:2: resolution: got 0, expected a number > 0'),
    ({'resolution': 'fine'}, "resolution: got 'fine'"),
    ({'origin': [0, 0]}, r'origin: got \[0, 0\], expected \[x, y, yaw\]'),
    ({'origin': [0, 0, '.nan']}, 'origin'),
    ({'negate': 'maybe'}, "negate: got 'maybe', expected 0 or 1"),
    ({'free_thresh': None}, "'free_thresh' is missing"),
    ({'mode': 'scale'}, "mode: got 'scale', expected 'trinary'"),
    ({'image': 'other.png'}, 'image: .*other.png: cannot be read: No such file'),
    ({'image': 'map.yaml'}, 'expected an image')])
def test_errors_name_the_key(tmp_path, changes, message):
    path = write_map(tmp_path, np.zeros((2, 2), np.uint8), **changes)
    with pytest.raises(InputError, match=message):
        load_map(path)


def test_missing_and_damaged_files_are_named(tmp_path):
    with pytest.raises(InputError, match=r'none\.yaml: cannot be read'):
        load_map(tmp_path / 'none.yaml')
    path = write_map(tmp_path, np.zeros((200, 200), np.uint8), 'map.png')
    image = tmp_path / 'map.png'
    image.write_bytes(image.read_bytes()[:60])
    with pytest.raises(InputError, match=r'map\.png'):
        load_map(path)
