"""Small files that would take gigabytes or hours are refused, in a process with 1 GiB."""

import struct

import lz4.frame
import numpy as np
import pytest
import zstandard
from children import python
from PIL import Image

from sbot.bag.recorder import MAGIC, Recorder
from sbot_common.topics import SCENARIO
from sbot_common.wire.messages import write_string

pytestmark = pytest.mark.forked

MEMORY = 1 << 30  # bytes beyond what is loaded
GIGABYTES = 3 << 30
LARGE = 200 << 20  # more than a chunk may have

CHILD = """
import resource, sys
from pathlib import Path
from sbot.bag.reader import Bag
from sbot.bag.ticks import rate_of
from sbot.controllers.neural.function_policy import load_policy
from sbot.cli.bag import _information
from sbot.scenario.load import load_scenario
from sbot.scenario.maps import load_map
from sbot_common.errors import InputError
from sbot_sim.sensors.infrared_table import _read_table
pages = int(Path('/proc/self/statm').read_text().split()[0])
limit = pages * resource.getpagesize() + {memory}
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
for path in sys.argv[1:]:
    try:
        print('read', {code})
    except InputError as error:
        print('refused:', error)
"""


def outcomes(code, paths, seconds=900.0):
    """What comes of an expression for each path: a line that begins with 'read' or 'refused'."""
    done = python('-c', CHILD.format(memory=MEMORY, code=code), *paths)
    assert done.returncode == 0, done.stderr[-2000:]
    lines = done.stdout.splitlines()
    assert len(lines) == len(paths)
    return lines


def outcome(code, path):
    return outcomes(code, [path])[0]


INFORM = '_information(Bag(path, partly=True))["damage"]'


def chunk(compression, data, size):
    record = struct.pack('<QQQII', 0, 9, size, 0, len(compression)) + compression
    record += struct.pack('<Q', len(data)) + data
    return struct.pack('<BQ', 6, len(record)) + record


def zeros_of(compression, known):
    """Many zeros, compressed."""
    if compression == b'lz4':
        return lz4.frame.compress(bytes(LARGE), compression_level=0)
    if known:
        return zstandard.ZstdCompressor(level=1).compress(bytes(LARGE))
    stream = zstandard.ZstdCompressor(level=1).compressobj()
    piece = bytes(1 << 24)
    return b''.join([*(stream.compress(piece) for _ in range(LARGE >> 24)), stream.flush()])


def test_chunks_that_decompress_to_more_than_is_declared_or_allowed(tmp_path):
    paths = []
    for compression, known in ((b'zstd', True), (b'zstd', False), (b'lz4', True)):
        data = zeros_of(compression, known)
        for size in (100, LARGE):
            paths.append(tmp_path / f'{compression.decode()}_{known}_{size}.mcap')
            paths[-1].write_bytes(MAGIC + chunk(compression, data, size) + chunk(b'', b'', 0))
    for found in outcomes(INFORM, paths):
        assert 'damaged at byte 8' in found
        assert 'too large' in found


def test_records_of_gigabytes_in_a_sparse_file(tmp_path):
    opcodes = [3, 4, 5, 6, 9, 12, 77]
    paths = [tmp_path / f'{opcode}.mcap' for opcode in opcodes]
    for path, opcode in zip(paths, opcodes, strict=True):
        with path.open('wb') as file:
            file.write(MAGIC + struct.pack('<BQ', opcode, GIGABYTES))
            file.truncate(GIGABYTES + 100)
    for found, opcode in zip(outcomes(INFORM, paths), opcodes, strict=True):
        if opcode in (3, 4, 5, 6, 12):
            assert 'damaged at byte 8' in found
            assert 'too large' in found
        else:  # is not read at all
            assert 'cut off' in found


ALIASES = '\n'.join(['a: &a [x, x, x, x, x, x, x, x, x]', *(
    f'{name}: &{name} [{", ".join(["*" + before] * 9)}]'
    for before, name in zip('abcdefghij', 'bcdefghijk', strict=True))])


METADATA = [
    ALIASES + '\nrosbag2_bagfile_information: *k\n',
    'rosbag2_bagfile_information: ' + '[' * 100_000,
    'rosbag2_bagfile_information: ' + '{a: ' * 100_000,
    ALIASES + '\nrosbag2_bagfile_information: {relative_file_paths: *k}\n',
    '!!python/object/apply:os.system [exit]\n',
    'rosbag2_bagfile_information: 2001-01-01\n', 'rosbag2_bagfile_information: [1]\n',
    'rosbag2_bagfile_information: {relative_file_paths: [[a]], version: !!binary "aa"}\n',
    'a0: &a0 {x: 1}\n' + ''.join(f'a{i}: &a{i} {{<<: [*a{i - 1}, *a{i - 1}], y{i}: 1}}\n'
                                 for i in range(1, 40))]


def test_metadata_of_aliases_nesting_and_tags(tmp_path):
    paths = [tmp_path / str(i) for i in range(len(METADATA))]
    for path, text in zip(paths, METADATA, strict=True):
        with Recorder(path, metadata={}) as recorder:
            recorder.write('/scenario', SCENARIO, 1, write_string('name: x'))
        (path / 'metadata.yaml').write_text(text)
    for found in outcomes(INFORM, paths):
        assert found.startswith('refused')
        assert 'metadata.yaml' in found


def test_rates_that_take_forever_to_compute(tmp_path):
    paths = []
    for rate in ('1e-999999999', '1e999999999', '"1/' + '9' * 100_000 + '"'):
        paths.append(tmp_path / f'{len(paths)}.yaml')
        paths[-1].write_text(f'rate: {rate}\nworld: {{bounds: [0, 0, 9, 9]}}\n'
                        'robots: [{pose: [1, 1, 0], goal: [3, 3]}]\n')
    for found in outcomes('load_scenario(path)', paths):
        assert found.startswith('refused')
        assert 'rate' in found


MAP = '{image: %s, resolution: %s, origin: [0, 0, 0], negate: 0, occupied_thresh: 0.6, ' \
      'free_thresh: 0.2}'


def test_images_of_more_pixels_than_memory_has_room_for(tmp_path):
    Image.new('1', (10_000, 10_000)).save(tmp_path / 'large.png')
    (tmp_path / 'map.yaml').write_text(MAP % ('large.png', 0.05))
    found = outcome('load_map(path)', tmp_path / 'map.yaml')
    assert 'too large: 100000000 pixels (10000 x 10000)' in found
    assert 'SBOT_LIMITS=file_bytes' in found
    Image.new('RGBA', (3000, 3000), (255, 255, 255, 255)).save(tmp_path / 'large.png')
    assert outcome('load_map(path).resolution', tmp_path / 'map.yaml') == 'read 0.05'


def test_maps_of_too_many_outlines_and_of_infinite_size(tmp_path):
    dots = (np.indices((2000, 2000)) % 2).any(axis=0)
    Image.fromarray((dots * 255).astype(np.uint8)).save(tmp_path / 'dots.png')
    (tmp_path / 'map.yaml').write_text(MAP % ('dots.png', 0.05))
    assert 'segments' in outcome('load_map(path)', tmp_path / 'map.yaml')
    Image.new('L', (20, 20)).save(tmp_path / 'small.png')
    (tmp_path / 'map.yaml').write_text(MAP % ('small.png', '1e308'))
    assert 'resolution' in outcome('load_map(path)', tmp_path / 'map.yaml')


def test_other_files_of_gigabytes_are_not_read(tmp_path):
    for name, code, words in (
            ('network.json', 'load_policy(path)', 'more than 32 MiB'),
            ('table.txt', '_read_table(path)', 'more than 1 MiB')):
        path = tmp_path / name
        with path.open('wb') as file:
            file.truncate(GIGABYTES)
        found = outcome(code, path)
        assert found.startswith('refused')
        assert str(path) in found
        assert words in found
