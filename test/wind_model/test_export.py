import meshio
import numpy as np
import pytest
from matplotlib.image import imread

from sbot_common.errors import InputError
from wind_model.export import _ARROWS, _arrows, _sampled, write_preview, write_terrain, write_wind
from wind_model.generate import generate


@pytest.fixture(scope='module')
def field(random_grid):
    return random_grid(4).lattice()


def test_the_wind_mesh_has_every_point_and_cell(tmp_path, field):
    write_wind(tmp_path / 'wind.vtu', field)
    mesh = meshio.read(tmp_path / 'wind.vtu')
    n_z, n_y, n_x = field.z.shape
    assert mesh.points.shape == (n_x * n_y * n_z, 3)
    assert np.array_equal(mesh.points[:, 2], field.z.ravel())
    assert np.array_equal(mesh.points[:n_x, 0], field.x)
    assert np.array_equal(mesh.point_data['wind'][:, 1], field.v.ravel())
    cells = mesh.cells_dict['hexahedron']
    assert len(cells) == (n_x - 1) * (n_y - 1) * (n_z - 1)
    assert set(cells.ravel()) == set(range(len(mesh.points)))


def test_every_hexahedron_is_the_right_way_round(tmp_path, field):
    write_wind(tmp_path / 'wind.vtu', field)
    mesh = meshio.read(tmp_path / 'wind.vtu')
    corners = mesh.points[mesh.cells_dict['hexahedron']]
    x, y = corners[..., 0], corners[..., 1]
    # VTK: 0 1 2 3 counter-clockwise seen from above, 4 5 6 7 above them.
    area = sum(x[:, i] * y[:, (i + 1) % 4] - x[:, (i + 1) % 4] * y[:, i] for i in range(4))
    assert (area > 0).all()
    assert np.array_equal(corners[:, :4, :2], corners[:, 4:, :2])
    assert (corners[:, 4:, 2] > corners[:, :4, 2]).all()


def test_the_terrain_mesh_is_the_lowest_layer(tmp_path, field):
    write_terrain(tmp_path / 'terrain.vtu', field)
    mesh = meshio.read(tmp_path / 'terrain.vtu')
    assert np.array_equal(mesh.points[:, 2], field.z[0].ravel())
    assert np.array_equal(mesh.point_data['elevation'], field.z[0].ravel())
    assert len(mesh.cells_dict['quad']) == (field.x.size - 1) * (field.y.size - 1)


def test_the_preview_is_a_picture_with_something_in_it(tmp_path, field):
    write_preview(tmp_path / 'field.png', field, 2.0)
    picture = imread(tmp_path / 'field.png')
    assert picture.shape[1] > 500
    assert len(np.unique(picture.reshape(-1, picture.shape[2]), axis=0)) > 100


@pytest.mark.parametrize('kind', ['vortex', 'hill'])
def test_arrows_do_not_cross_vtk(kind):
    field = generate(kind).lattice()
    x, y, wind = _sampled(field, float(field.z.mean()), _ARROWS)
    lengths = np.hypot(*np.moveaxis(_arrows(x, y, wind), -1, 0))
    # Each stays in a circle about its middle; these circles do not meet.
    spacing = min(np.diff(x).min(), np.diff(y).min())
    assert 0.9 * spacing < np.nanmax(lengths) < spacing


def test_a_folder_that_does_not_exist(tmp_path, field):
    for write in (write_wind, write_terrain, lambda path, field: write_preview(path, field, 1.0)):
        with pytest.raises(InputError, match='cannot be written'):
            write(tmp_path / 'nowhere' / 'file', field)
