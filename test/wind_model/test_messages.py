from functools import partial

import numpy as np
import pytest

from sbot_common.errors import InputError
from sbot_common.topics import WIND_FIELD, WIND_MARKERS
from sbot_common.wire import cdr
from wind_model.generate import generate
from wind_model.grid import velocity_at
from wind_model.messages import (
    decode_field,
    decode_vector,
    encode_field,
    encode_markers,
    encode_vector,
)
from wind_model.parameters import Height


def arrows(raw):
    markers = cdr.decode(raw, WIND_MARKERS.type).markers
    assert markers[0].action == 3
    assert all(m.action == 0 and m.type == 0 and m.header.frame_id == 'map' for m in markers[1:])
    assert len({m.id for m in markers}) == len(markers)
    return [[[p.x, p.y, p.z] for p in marker.points] for marker in markers[1:]]


@pytest.mark.parametrize('bad', [np.nan, np.inf])
def test_vectors_that_are_not_finite_are_refused(bad):
    with pytest.raises(InputError, match='finite'):
        decode_vector(encode_vector(1, np.array([0.0, bad, 0.0])))


@pytest.mark.parametrize('shape', [(5, 4, 6), (2, 2, 2), (3, 7, 2)])
def test_a_field_comes_back_to_the_last_bit(shape, random_grid):
    for seed in range(3):
        field = random_grid(seed, *shape).lattice()
        again = decode_field(encode_field(5, field))
        assert all(np.array_equal(a, b) for a, b in zip(field, again, strict=True))
        points = np.random.default_rng(seed).uniform(-12, 12, (200, 3))
        outside = np.arange(3.0)
        assert np.array_equal(velocity_at(field, points, outside),
                              velocity_at(again, points, outside))


def test_the_clouds_layout_is_the_documented_one(random_grid):
    field = random_grid(0).lattice()
    cloud = cdr.decode(encode_field(5, field), WIND_FIELD.type)
    assert (cloud.width, cloud.height) == (5, 4 * 6)
    assert cloud.row_step == cloud.point_step * cloud.width
    kinds = {f.name: f.datatype for f in cloud.fields}
    assert kinds == {'x': 7, 'y': 7, 'z': 7, 'gx': 8, 'gy': 8, 'gz': 8, 'u': 8, 'v': 8, 'w': 8}
    offsets = {f.name: f.offset for f in cloud.fields}
    data = cloud.data.reshape(-1, cloud.point_step)
    x = np.ascontiguousarray(data[:, offsets['x']:offsets['x'] + 4]).view('<f4').ravel()
    w = np.ascontiguousarray(data[:, offsets['w']:offsets['w'] + 8]).view('<f8').ravel()
    assert np.array_equal(x[:5], field.x.astype(np.float32))
    assert np.array_equal(w, field.w.ravel())


def test_no_field_is_a_cloud_without_points():
    raw = encode_field(5, None)
    assert decode_field(raw) is None
    assert cdr.decode(raw, WIND_FIELD.type).width == 0


def tampered(change):
    field = generate('vortex', resolution=8.0, layers=2).lattice()
    cloud = cdr.decode(encode_field(0, field), WIND_FIELD.type)
    values = {name: getattr(cloud, name) for name in cloud.__dataclass_fields__
              if name != '__msgtype__'}
    values['data'] = values['data'].copy()
    change(values)
    return cdr.encode(cdr.message_class(WIND_FIELD.type)(**values))


def set_double(values, point, offset, number):
    where = point * values['point_step'] + offset
    values['data'][where:where + 8] = np.frombuffer(np.float64(number).tobytes(), np.uint8)


def set_field(values, name, number):
    """Another number in the PointField of `w`."""
    setattr(values['fields'][-1], name, number)


@pytest.mark.parametrize('change', [
    lambda v: v.update(fields=v['fields'][:-1]),
    lambda v: v.update(data=v['data'][:-1]),
    lambda v: v.update(width=v['width'] - 1),
    lambda v: v.update(is_bigendian=True),
    lambda v: v.update(height=v['height'] - 1, data=v['data'][:-v['row_step']]),
    *(partial(set_field, name='offset', number=number) for number in (2**31 - 1, 2**32 - 8, 57)),
    partial(set_field, name='count', number=2**28 + 1),
    lambda v: set_double(v, 3, 16, 7.7),
    lambda v: set_double(v, 3, 32, np.nan),
    lambda v: set_double(v, 3, 40, np.inf),
    lambda v: set_double(v, 0, 32, 99.0)],
    ids=['no w', 'short', 'width', 'big-endian', 'rows', 'w far behind', 'w before', 'w across',
         'w counted', 'gx', 'gz nan', 'u inf', 'gz order'])
def test_clouds_that_are_no_field_are_refused(change):
    with pytest.raises(InputError, match=WIND_FIELD.name):
        decode_field(tampered(change))


def test_uniform_wind_is_one_arrow_at_the_origin():
    assert arrows(encode_markers(0, None, np.array([0.0, -2.0, 0.0]), Height(0.5))) == [
        [[0, 0, 0.5], [0, -2, 0.5]]]
    assert arrows(encode_markers(0, None, np.zeros(3), Height(0.5))) == []


def test_a_field_has_arrows_all_over_along_the_wind():
    field = generate('vortex', radius=6.0, resolution=2.0).lattice()
    found = np.array(arrows(encode_markers(0, field, np.zeros(3), Height(0.5))))
    assert 100 < len(found) < 500
    assert np.ptp(found[:, 0, 0]) > 30
    assert np.ptp(found[:, 0, 1]) > 18
    wind = velocity_at(field, np.ascontiguousarray(found[:, 0]), np.zeros(3))
    along = found[:, 1] - found[:, 0]
    assert np.linalg.norm(along, axis=1).max() == pytest.approx(2.0)
    assert np.abs(along[:, 0] * wind[:, 1] - along[:, 1] * wind[:, 0]).max() < 1e-9
