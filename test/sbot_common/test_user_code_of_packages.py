"""Entry points of installed packages, found without their reader where there are none."""

import subprocess
import sys
import zipfile

from sbot_common.user_code import entry_points_of

POINTS = '[some.group]\nb = elsewhere:B\na = elsewhere:A\n'


def install(folder, kind='dist-info'):
    package = folder / f'elsewhere-1.{kind}'
    package.mkdir()
    name = 'METADATA' if kind == 'dist-info' else 'PKG-INFO'
    (package / name).write_text('Metadata-Version: 2.1\nName: elsewhere\nVersion: 1\n')
    (package / 'entry_points.txt').write_text(POINTS)


def test_points_of_a_package_in_alphabetical_order(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    assert entry_points_of('some.group') == []
    install(tmp_path)
    assert [point.name for point in entry_points_of('some.group')] == ['a', 'b']
    assert entry_points_of('other.group') == []


def test_points_of_packages_of_other_kinds(tmp_path, monkeypatch):
    for kind, place in (('egg-info', tmp_path / 'project'), ('archive', tmp_path / 'a.zip')):
        if kind == 'archive':
            with zipfile.ZipFile(place, 'w') as file:
                file.writestr('elsewhere-1.dist-info/METADATA', 'Name: elsewhere\nVersion: 1\n')
                file.writestr('elsewhere-1.dist-info/entry_points.txt', POINTS)
        else:
            place.mkdir()
            install(place, kind)
        with monkeypatch.context() as within:
            within.syspath_prepend(place)
            assert [point.name for point in entry_points_of('some.group')] == ['a', 'b'], kind


def test_a_group_that_nobody_has_imports_no_reader():
    code = ("import sys\nfrom sbot_common.user_code import entry_points_of\n"
            "assert entry_points_of('no.such.group') == []\n"
            "assert 'importlib.metadata' not in sys.modules")
    subprocess.run([sys.executable, '-S', '-c', code], check=True, timeout=240)
