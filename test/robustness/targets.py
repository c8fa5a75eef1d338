"""The parsers that are fuzzed: each with good inputs, and a function that reads one input.

A function returns, or raises InputError; anything else is a finding.
"""

import io
import struct
import zlib
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from random import Random
from typing import NamedTuple

import numpy as np
import yaml
import zstandard
from mcap.opcode import Opcode
from mutate import mutated
from PIL import Image
from rosbags.rosbag2 import StoragePlugin, Writer

from sbot.bag import compare, tables
from sbot.bag.reader import Bag
from sbot.cli.bag import _information
from sbot.controllers.neural import function_policy
from sbot.controllers.neural.network import (
    FUNCTION,
    load_network,
    make_network,
    read_content,
    save_network,
)
from sbot.figures.data import RunData
from sbot.files.yaml_text import decode_text, dump_yaml
from sbot.regression.commands import Recording
from sbot.regression.replay import replay
from sbot.runner.loop import run_scenario
from sbot.scenario.argos import argos_scenario
from sbot.scenario.load import load_scenario, parse_scenario
from sbot.scenario.maps import load_map
from sbot.scenario.shipped import config_directory, scenario_names
from sbot.scenario.stage import stage_scenario
from sbot.viewer.data import _read_scans, page, page_data
from sbot_common import topics
from sbot_common.errors import InputError
from sbot_common.wire import cdr, controller, messages
from sbot_sim.messages.broadcast import read_rab_data
from wind_model.messages import decode_field, decode_vector
from wind_model.rotors_text import read_grid

MAGIC = b'\x89MCAP0\r\n'
_HEAD = struct.Struct('<BQ')


class Target(NamedTuple):
    """A parser."""

    seeds: Callable[[Path], list[bytes]]  # good inputs; may use the folder
    read: Callable[[bytes, Path], object]  # reads one input; may write into the folder
    make: Callable[[list[bytes], Random], bytes] = lambda seeds, random: mutated(
        random.choice(seeds), seeds, random)


def _text(seeds: list[bytes], random: Random) -> bytes:
    return mutated(random.choice(seeds), seeds, random, text=True)


def _write(folder: Path, name: str, data: bytes) -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


# Scenarios and what they name.

SCENARIO = b"""\
name: small
seed: 3
rate: 100/3
duration: 2
world: {bounds: [-1, -1, 9, 5], segments: [[1, 4, 3, 4.5]],
  circles: [{center: [6, 3], radius: 0.5}],
  rectangles: [{center: [7.5, 4], size: [0.3, 0.4], yaw: 0.3}],
  polygons: [{corners: [[3, 3], [4, 3], [4, 4], [3.6, 3.3]]}],
  moving: [{radius: 0.3, path: [[0, 4], [0, 3]], speed: 0.5}],
  zones: [{name: nest, center: [8, 2], radius: 0.5, color: "#2e9e5b"}, {name: b, center: [0, 0]}]}
sensors: {infrared: true, scan_beams: 12, range_and_bearing: true}
wind: {wind_speed_mean: 0.3, wake: true}
bodies: {mine: {radius: 0.2, like: robot}}
robots:
- &a {pose: [1, 1, 0], goal: [8, 2], controller: potential_field}
- {pose: [3, 1, 0.5], body: mine, controller: wind_aware, goal: [3.5, 1.0]}
- {pose: [5, 1, 0.5], controller: none}
controllers: {potential_field: {attraction_constant_gamma: 0.2}}
"""


@cache
def _scenarios() -> list[bytes]:
    folder = config_directory() / 'scenarios'
    return [SCENARIO] * 15 + [(folder / f'{name}.yaml').read_bytes() for name in scenario_names()]


def read_scenario(data: bytes, folder: Path) -> None:
    """Parse, write as YAML, parse again: the same; a small one is run for two ticks."""
    scenario = parse_scenario(decode_text(data, 'x.yaml'), 'x.yaml', folder,
                              import_controllers=False)
    text = scenario.to_yaml()
    again = parse_scenario(text, 'again', folder, import_controllers=False)
    assert again.to_yaml() == text, 'another scenario after writing and reading'
    if data[-1:] > b'\x60' and len(scenario.robots) < 30 and not scenario.python_path and all(
            ':' not in robot.controller for robot in scenario.robots) and (
            scenario.sensors.scan.scan_beams < 1000 and scenario.until is None):
        short = parse_scenario(text, 'short', folder, overrides={'duration': 2 * scenario.rate.dt})
        run_scenario(short, keep=False)


def _map_texts(folder: Path) -> list[bytes]:
    _write(folder, 'map.png', _images(folder)[0])
    return [b'image: map.png\nresolution: 0.05\norigin: [0.0, -1.5, 0.1]\nnegate: 0\n'
            b'occupied_thresh: 0.65\nfree_thresh: 0.196\nmode: trinary\n']


def read_map(data: bytes, folder: Path) -> None:
    """Load a map.yaml."""
    load_map(_write(folder, 'map.yaml', data))


@cache
def _image_seeds() -> list[bytes]:
    found = []
    grey = Image.fromarray((np.indices((20, 30)).sum(axis=0) % 7 * 40).astype(np.uint8))
    for mode, kind in [('L', 'PNG'), ('L', 'PPM'), ('1', 'PNG'), ('P', 'PNG'), ('RGBA', 'PNG'),
                       ('LA', 'PNG'), ('I;16', 'PNG'), ('RGB', 'BMP'), ('P', 'GIF'),
                       ('RGB', 'JPEG'), ('L', 'TIFF'), ('F', 'TIFF'), ('CMYK', 'TIFF'),
                       ('RGB', 'TGA'), ('RGB', 'WEBP'), ('I', 'TIFF'), ('YCbCr', 'JPEG')]:
        file = io.BytesIO()
        source = grey.convert('I').convert(mode) if mode == 'I;16' else grey.convert(mode)
        source.save(file, kind)
        found.append(file.getvalue())
    return [*found, b'P2\n3 2\n255\n0 1 2\n3 4 255\n', b'P5\n# x\n3 2\n65535\n' + bytes(12)]


def _images(folder: Path) -> list[bytes]:
    return _image_seeds()


def read_image(data: bytes, folder: Path) -> None:
    """Load a map with this image."""
    _write(folder, 'fuzzed', data)
    load_map(_write(folder, 'image.yaml', b'{image: fuzzed, resolution: 0.05, origin: [0, 0, 0],'
                    b' negate: 0, occupied_thresh: 0.65, free_thresh: 0.2}'))


def _winds(folder: Path) -> list[bytes]:
    text = ('min_x: 0.0\nmin_y: -1.0\nn_x: 3\nn_y: 2\nres_x: 0.5\nres_y: 1.0\n'
            'vertical_spacing_factors:\n0 0.4 1\nbottom_z:\n' + '0 ' * 6 + '\ntop_z:\n' + '5 ' * 6)
    return [(text + ''.join(f'\n{name}:\n' + f'{number} ' * 18 for name, number in (
        ('u', 1.5), ('v', -0.2), ('w', 1e-3)))).encode()]


def read_wind(data: bytes, folder: Path) -> None:
    """Read a wind grid."""
    read_grid(_write(folder, 'wind.txt', data))


ARGOS = b"""<?xml version="1.0" ?>
<argos-configuration>
  <framework><system threads="0"/>
    <experiment length="10" ticks_per_second="10" random_seed="1"/></framework>
  <controllers><x id="c" library="build/libair_resistance"><params velocity="5"/></x></controllers>
  <loop_functions library="wind"><air_resistance angle_deg="30" magnitude="12"/></loop_functions>
  <arena size="5, 5, 1" center="0,0,0.5">
    <box id="b" size="1,0.1,0.5" movable="false">
      <body position="1,1,0" orientation="30,0,0"/></box>
    <cylinder id="z" radius="0.1" height="0.2" movable="true">
      <body position="-1,1,0" orientation="0,0,0"/></cylinder>
    <foot-bot id="f0"><body position="0,0,0" orientation="0,0,0"/>
      <controller config="c"/></foot-bot>
    <distribute><position method="uniform" min="-2,-2,0" max="2,2,0"/>
      <orientation method="uniform" min="0,0,0" max="360,0,0"/>
      <entity quantity="5" max_trials="100">
        <e-puck2 id="e" rab_range="1"><controller config="c"/></e-puck2></entity></distribute>
  </arena>
  <physics_engines><dynamics2d id="d"/></physics_engines>
  <media><range_and_bearing id="r" check_occlusions="false"/></media>
</argos-configuration>
"""


def read_argos(data: bytes, folder: Path) -> None:
    """Translate an experiment, and load the translation."""
    text = dump_yaml(argos_scenario(data, 'x.argos', {})[0])
    parse_scenario(text, 'x.argos', folder, import_controllers=False)


WORLD = b"""\
interval_sim 50  # ms
unit_angle "degrees"
include "more.inc"
define sonar sensor ( range [0 5.0] fov 15 samples 1 )
define rob position ( size [0.44 0.38 0.22] origin [-0.04 0 0 0] drive "diff"
  velocity_bounds [-0.5 0.5 0 0 0 0 -90 90] localization "odom" odom_error [0.03 0.03 0 0.05]
  block ( points 4 point[0] [0 0] point[1] [0 1] point[2] [1 1] point[3] [1 0] z [0 0.2] )
  ranger ( pose [0.1 0 0 0] sonar ( pose [0 0 0 90] ) sensor ( range [0 8] samples 9 fov 180 ) ) )
floorplan ( name "hall" size [16 12 1] pose [4 0 0 0] bitmap "map.png" )
rob ( name "r0" pose [1 -2 0 45] ctrl "wander" )
rob ( name "r1" pose [3 -2 0 0] drive "omni" laser ( samples 5 range_max 4 ) )
model ( pose [6 2 0 30] size [1 2 1] model ( pose [1 0 0 0] obstacle_return 0 ) )
"""
INCLUDED = b'define floorplan model ( color "gray30" boundary 1 obstacle_return 1 )\n'


def _worlds(folder: Path) -> list[bytes]:
    _write(folder, 'map.png', _images(folder)[0])
    _write(folder, 'more.inc', INCLUDED)
    return [WORLD, WORLD, WORLD.replace(b'include "more.inc"', INCLUDED)]


def read_world(data: bytes, folder: Path) -> None:
    """Load a world of Stage; its translation is the same scenario."""
    file = _write(folder, 'fuzzed.world', data)
    text = dump_yaml(stage_scenario(data, str(file))[0])
    scenario = load_scenario(str(file))
    assert parse_scenario(text, 'fuzzed.world', folder, 'fuzzed') == scenario, 'another scenario'


# Recordings.

def _recorded(folder: Path) -> Path:
    """A recording of five ticks with all sensors, made once."""
    path = folder / 'seed_bag'
    if not path.exists():
        data = parse_scenario(SCENARIO.decode(), 'x', folder, overrides={'duration': 0.12})
        run_scenario(data, record=path, keep=False)
    return path


@cache
def _mcap(folder: Path) -> bytes:
    return next(_recorded(folder).glob('*.mcap')).read_bytes()


def use_bag(path: Path, choice: int, folder: Path) -> None:
    """Do with a bag what one of the commands does."""
    bag = Bag(path, partly=True)
    if choice == 0:
        _information(bag)
    elif choice == 1:
        tables.write_csv(bag, io.StringIO())
    elif choice == 2:
        data = RunData.from_bag(bag)
        run = page_data(data, _read_scans(bag, data))
        page(run, run['name'])
    elif choice == 3:
        compare.Comparison.of(bag, Bag(folder / 'seed_bag'))
    elif choice == 4:
        Recording.read(bag)
    else:
        data = bag.scenario_text
        plain = parse_scenario(data, 'scenario', folder, import_controllers=False)
        if not plain.python_path and all(':' not in r.controller for r in plain.robots) and (
                plain.until is None):
            replay(bag)


def read_bag(data: bytes, folder: Path) -> None:
    """Read bytes as an MCAP file."""
    use_bag(_write(folder, 'fuzzed.mcap', data), zlib.crc32(data) % 6, folder)


def _records(data: bytes) -> Iterator[tuple[int, bytes]]:
    offset = 0
    while offset < len(data):
        opcode, length = _HEAD.unpack_from(data, offset)
        yield opcode, data[offset + 9:offset + 9 + length]
        offset += 9 + length


def _packed(opcode: int, record: bytes) -> bytes:
    return _HEAD.pack(opcode, len(record)) + record


@cache
def _flat(folder: Path) -> list[tuple[int, bytes]]:
    """The records of the recording, those in chunks too."""
    found = []
    for opcode, record in _records(_mcap(folder)[len(MAGIC):-len(MAGIC)]):
        if opcode == Opcode.CHUNK:
            place = 8 + 8 + 8 + 4
            place += 4 + int.from_bytes(record[place:place + 4], 'little') + 8
            found += list(_records(zstandard.ZstdDecompressor().decompress(record[place:])))
        elif opcode in (Opcode.HEADER, Opcode.METADATA):
            found.append((opcode, record))
        elif opcode == Opcode.DATA_END:
            break
    return found


_END = _packed(Opcode.DATA_END, bytes(4)) + _packed(Opcode.FOOTER, bytes(20)) + MAGIC


class _Changed:
    """Recordings whose records or payloads are changed, with everything around them right."""

    folder = Path()

    @classmethod
    def seeds(cls, folder: Path) -> list[bytes]:
        cls.folder = folder
        return [MAGIC + b''.join(_packed(*each) for each in _flat(folder)) + _END]

    @classmethod
    def records(cls, seeds: list[bytes], random: Random) -> bytes:
        """One or a few records changed inside."""
        records = list(_flat(cls.folder))
        for _ in range(random.choice([1, 1, 3])):
            kind = random.choice(sorted({opcode for opcode, _ in records}))
            place = random.choice([i for i, (opcode, _) in enumerate(records) if opcode == kind])
            opcode, record = records[place]
            records[place] = (random.choice([opcode] * 9 + [random.randrange(1, 20)]),
                              mutated(record, [record], random))
        inside = b''.join(_packed(*each) for each in records[2:])
        first = b''.join(_packed(*each) for each in records[:2])
        if random.random() < 0.5:
            return MAGIC + first + inside + _END
        kind, data = random.choice([
            (b'', inside), (b'zstd', zstandard.ZstdCompressor(level=1).compress(inside))])
        size = random.choice([len(inside)] * 9 + [0, 2**62])
        chunk = struct.pack('<QQQII', 0, 2**40, size, 0, len(kind)) + kind + struct.pack(
            '<Q', len(data)) + data
        return MAGIC + first + _packed(Opcode.CHUNK, chunk) + _END

    @classmethod
    def payloads(cls, seeds: list[bytes], random: Random) -> bytes:
        """The payloads of one topic's messages changed."""
        records = list(_flat(cls.folder))
        number = random.choice([record[:2] for opcode, record in records if opcode == 5])
        places = [i for i, (opcode, record) in enumerate(records)
                  if opcode == Opcode.MESSAGE and record[:2] == number]
        for place in places if random.random() < 0.2 else [random.choice(places)]:
            record = records[place][1]
            records[place] = Opcode.MESSAGE, record[:22] + mutated(
                record[22:], [record[22:]], random)
        return MAGIC + b''.join(_packed(*each) for each in records) + _END


def _metadata_seeds(folder: Path) -> list[bytes]:
    bag = folder / 'with_metadata'
    if not bag.exists():
        bag.mkdir()
        _write(bag, 'seed_bag_0.mcap', _mcap(folder))
    text = (_recorded(folder) / 'metadata.yaml').read_bytes()
    return [text, yaml.safe_dump(yaml.safe_load(text)).encode()]


def read_metadata(data: bytes, folder: Path) -> None:
    """Read a bag with this metadata.yaml."""
    _write(folder / 'with_metadata', 'metadata.yaml', data)
    use_bag(folder / 'with_metadata', 0, folder)


def _sqlite_seeds(folder: Path) -> list[bytes]:
    path = folder / 'foreign'
    if not path.exists():
        with Writer(path, version=9, storage_plugin=StoragePlugin.SQLITE3) as writer:
            known = {}
            for message in Bag(_recorded(folder)).messages():
                if message.name not in known:
                    known[message.name] = writer.add_connection(
                        message.name, message.type, typestore=cdr.typestore())
                writer.write(known[message.name], message.stamp_ns, message.payload)
    return [next(path.glob('*.db3')).read_bytes()]


def read_sqlite(data: bytes, folder: Path) -> None:
    """Read bytes as a .db3 file."""
    use_bag(_write(folder, 'fuzzed.db3', data), zlib.crc32(data) % 5, folder)


# Messages.

READERS: list[Callable[[bytes], object]] = [
    messages.PoseStamped.of_odometry, messages.read_scan, messages.read_twist,
    messages.PoseStamped.of_pose,
    messages.read_vector, messages.read_clock, decode_field, decode_vector, read_rab_data,
    lambda raw: messages.read_poses(raw, 3),
    lambda raw: messages.read_twist(raw, messages.TWIST_STAMPED), controller._read_twist_of,
    *(read for _, read in controller.FIELDS.values()),
    *(lambda raw, kind=kind: (cdr.decode(raw, kind), cdr.canonical(raw, kind)) for kind in sorted({
        topic.type for topic in vars(topics).values() if isinstance(topic, topics.Topic)}))]


def _payloads(folder: Path) -> list[bytes]:
    first = {}
    for message in Bag(_recorded(folder)).messages():
        first.setdefault(message.name, message.payload)
    seeds = list(first.values())
    for read in READERS:
        _READABLE.append([seed for seed in seeds if _accepts(read, seed)] or seeds)
    return seeds


_READABLE: list[list[bytes]] = []  # of each reader, the seeds that it accepts


def _accepts(read: Callable[[bytes], object], seed: bytes) -> bool:
    try:
        read(seed)
    except InputError:
        return False
    return True


def _message(seeds: list[bytes], random: Random) -> bytes:
    """Return a changed message, in every second case of the reader's own type."""
    number = random.randrange(len(READERS))
    source = random.choice(_READABLE[number] if random.random() < 0.5 else seeds)
    return bytes([number]) + mutated(source, seeds, random)[1:]


def read_message(data: bytes, folder: Path) -> None:
    """Read bytes as one of the messages that nodes and replays read."""
    if data:
        READERS[data[0] % len(READERS)](b'\0' + data[1:])


# Networks and policies.

@cache
def _networks(folder: Path) -> list[bytes]:
    kinds = {'perceptron': (), 'mlp': (3, 2), 'ctrnn': (2,), 'gru': (2, 1), 'lstm': (2,)}
    for kind, hidden in kinds.items():
        network = make_network(kind, ['scan:4', 'goal', 'imu:2'], hidden=hidden, outputs='twist',
                               max_speed=0.5, turn=1.0, hold=3)
        save_network(folder / f'{kind}.json', network, np.linspace(-1, 1, network.weight_count))
    source = function_policy.Source('def f(w, x, m, outputs):\n    outputs[0] = 1.0\n', {}, {})
    network = make_network('perceptron', ['goal'], outputs='wheels', max_speed=0.5, turn=0.1)
    function_policy._write_policy(folder / 'function.json', function_policy._SavedPolicy(
        'function.json', 'f', source, 'numpy', network, 2, np.ones(3)))
    return [(folder / f'{name}.json').read_bytes() for name in (*kinds, *kinds, 'function')]


def read_network(data: bytes, folder: Path) -> None:
    """Load a network, or look at a policy, and write it again: it is the same then."""
    path = _write(folder, 'network.json', data)
    if read_content(path).get('kind') == FUNCTION:
        function_policy.read_policy(path)  # which executes nothing
        return
    network, weights = load_network(path)
    save_network(folder / 'again.json', network, weights)
    again, same = load_network(folder / 'again.json')
    assert again == network
    assert same.tobytes() == weights.tobytes()


TARGETS = {
    'scenario': Target(lambda folder: _scenarios(), read_scenario, _text),
    'map': Target(_map_texts, read_map, _text),
    'image': Target(_images, read_image),
    'wind': Target(_winds, read_wind, _text),
    'argos': Target(lambda folder: [ARGOS], read_argos, _text),
    'world': Target(_worlds, read_world, _text),
    'bag': Target(lambda folder: [_mcap(folder)], read_bag),
    'records': Target(_Changed.seeds, read_bag, _Changed.records),
    'payloads': Target(_Changed.seeds, read_bag, _Changed.payloads),
    'metadata': Target(_metadata_seeds, read_metadata, _text),
    'sqlite': Target(_sqlite_seeds, read_sqlite),
    'messages': Target(_payloads, read_message, _message),
    'network': Target(_networks, read_network, _text)}
