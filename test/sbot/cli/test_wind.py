import json

import meshio
import numpy as np
import pytest

from sbot.cli.main import make_parser
from sbot_common.errors import InputError
from wind_model.rotors_text import read_grid


def sbot(*words):
    args = make_parser('wind').parse_args(['wind', *map(str, words)])
    return args.run(args)


def test_make_at_and_vtk(tmp_path, capsys):
    path = tmp_path / 'vortex.txt'
    assert sbot('make', 'vortex', path, '--radius', 6, '--speed', 0.5, '--resolution', 2) == 0
    assert '21 x 13 x 6 points' in capsys.readouterr().out
    assert sbot('at', path, 26, 12, 0.5) == 0
    assert [float(word) for word in capsys.readouterr().out.split()] == [0, 0.5, 0]
    assert sbot('at', path, 26, -12, 0.5, '--outside', -1, 2, 3) == 0
    assert capsys.readouterr().out == '-1.0 2.0 3.0\n'
    assert sbot('vtk', path) == 0
    names = capsys.readouterr().out.split()
    assert [name.rpartition('/')[2] for name in names] == [
        'vortex_wind.vtu', 'vortex_terrain.vtu', 'vortex.png']
    wind = meshio.read(names[0]).point_data['wind']
    assert np.array_equal(wind[:, 0], read_grid(path).u.ravel())
    assert sbot('vtk', path, '-o', tmp_path / 'other.name', '--height', 1.5) == 0
    assert (tmp_path / 'other.name_wind.vtu').exists()


def test_wake_explains_who_shelters_whom(capsys):
    assert sbot('wake', 'wind_wake', '--json') == 0
    report = json.loads(capsys.readouterr().out)
    terms = {term['id']: term for term in report['robots'][2]['neighbours']}
    assert terms[0]['along'] == pytest.approx(0.2)
    assert terms[0]['lateral'] == pytest.approx(0.1)
    assert report['robots'][2]['r'] == pytest.approx(min(1.0, 2 * terms[0]['r_i']))
    assert report['robots'][0]['r'] == 0
    assert sbot('wake', 'wind_wake') == 0
    assert 'robot 0: along 0.2000 m, lateral 0.1000 m' in capsys.readouterr().out
    with pytest.raises(InputError, match='no robot is sheltered'):
        sbot('wake', 'single_robot')


def test_outside_the_field_is_an_error_that_says_where_it_is(tmp_path):
    path = tmp_path / 'field.txt'
    sbot('make', 'uniform', path)
    with pytest.raises(InputError, match=r'outside the field, which covers x 0 to 40, y 0 to 24'):
        sbot('at', path, 41, 0, 0)


def test_an_existing_file_is_replaced_only_by_force(tmp_path):
    path = tmp_path / 'field.txt'
    path.write_text('precious')
    with pytest.raises(InputError, match='--force'):
        sbot('make', 'hill', path)
    assert path.read_text() == 'precious'
    assert sbot('make', 'hill', path, '--force', '--layers', 3) == 0
    assert read_grid(path).n_z == 3


@pytest.mark.parametrize('words', [
    ('at', 'f', 'x', 1, 2), ('at', 'f', 'nan', 1, 2), ('make', 'storm', 'f'), ('at', 'f'), (),
    ('make', 'hill', 'f', '--layers', 2.5)])
def test_bad_usage(words, capsys):
    with pytest.raises(SystemExit) as info:
        sbot(*words)
    assert info.value.code == 2


def test_bad_values_name_the_option(tmp_path):
    with pytest.raises(InputError, match='radius'):
        sbot('make', 'hill', tmp_path / 'f', '--radius', -1)
    assert not (tmp_path / 'f').exists()
