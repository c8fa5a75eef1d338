"""Message packages made from their sources."""

import importlib.util
import os
import subprocess
import sys

import pytest

from sbot.environment.message_package import compilers
from sbot.ros.interfaces import main
from sbot.ros.live_tf import ros_prefix

can_make = pytest.mark.skipif(
    importlib.util.find_spec('rclpy') is None or ros_prefix() is None or compilers() is None,
    reason='ROS 2 with its generators, or a compiler, is missing')
USE = """
from tiny_interfaces.msg import Two
from tiny_interfaces.srv import Add
kind = Add.Request(two=Two(a=3))
assert (Two.NAME, Two().text, Two().texts) == ('*/ é "', "it's ; //", ["it's", '*/']), Two()
Add.__import_type_support__()
print(kind.two.a, Add._TYPE_SUPPORT is not None, Add.Response().sum)
"""


# Comments and values that would be compiled, if they came through: executed when loaded.
HOSTILE = r"""# */ int system(const char*); EVIL void e(void) { system("touch PWNED"); } /*
int32 a  # [m] */ int executed; /*
# ends in a backslash \
int32 b
string NAME='*/ é "'
string text "it's ; //"
string[] texts ["it's", '*/']
""".replace('EVIL', 'static __attribute__((constructor))')


@pytest.fixture
def sources(tmp_path):
    folder = tmp_path / 'sources'
    for kind, name, text in (('msg', 'Two.msg', HOSTILE.replace('PWNED', f'{tmp_path}/PWNED')),
                             ('srv', 'Add.srv', 'Two two\n---\nint32 sum\n')):
        (folder / kind).mkdir(parents=True)
        (folder / kind / name).write_text(text)
    (folder / 'package.xml').write_text('<package><name>tiny_interfaces</name></package>')
    return folder


@can_make
def test_a_service_is_made_and_loaded_and_nothing_else_is_written(sources, tmp_path, capsys):
    made = tmp_path / 'made'
    assert main([str(sources), str(made)]) == 0, capsys.readouterr().err
    assert capsys.readouterr().out == f'PYTHONPATH={made}\n'
    assert sorted(path.name for path in sources.rglob('*') if path.is_file()) == [
        'Add.srv', 'Two.msg', 'package.xml']
    done = subprocess.run([sys.executable, '-c', USE], capture_output=True, text=True, check=True,
                          env={**os.environ, 'PYTHONPATH': str(made)}, timeout=240)
    assert done.stdout == '3 True 0\n'
    assert not (tmp_path / 'PWNED').exists()
    assert main([str(sources), str(made)]) == 2
    assert 'expected one without tiny_interfaces' in capsys.readouterr().err


@can_make
def test_services_alone_that_use_types_of_another_package_are_made(tmp_path, capsys):
    sources = tmp_path / 'sources'
    (sources / 'srv').mkdir(parents=True)
    (sources / 'srv' / 'Load.srv').write_text('rcl_interfaces/Parameter[] given\n---\nbool ok\n')
    (sources / 'package.xml').write_text('<package><name>load_interfaces</name></package>')
    made = tmp_path / 'made'
    assert main([str(sources), str(made)]) == 0, capsys.readouterr().err
    done = subprocess.run(
        [sys.executable, '-c', 'from load_interfaces.srv import Load; from rcl_interfaces.msg '
         'import Parameter; print(Load.Request(given=[Parameter(name="a")]).given[0].name)'],
        capture_output=True, text=True, env={**os.environ, 'PYTHONPATH': str(made)}, timeout=240)
    assert done.stdout == 'a\n', done.stderr


@can_make
@pytest.mark.parametrize(('name', 'reason'), [
    ('std_msgs', 'expected a package that is not installed'),
    ('numpy', 'expected a name that no Python module has')])
def test_a_package_that_would_hide_another_is_refused(sources, tmp_path, capsys, name, reason):
    (sources / 'package.xml').write_text(f'<package><name>{name}</name></package>')
    assert main([str(sources), str(tmp_path / 'made')]) == 2
    assert capsys.readouterr().err.startswith(
        f"{sources}/package.xml: <name>: got '{name}', {reason}")
    assert not (tmp_path / 'made').exists()


@can_make
def test_a_package_that_takes_too_long_is_ended(sources, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr('sbot.ros.interfaces._TIMEOUT', (0.01, 0.0))
    assert main([str(sources), str(tmp_path / 'made')]) == 2
    assert capsys.readouterr().err == 'tiny_interfaces: making it took more than 0.01 s\n'


@can_make
def test_an_error_in_a_service_is_one_line(sources, tmp_path, capsys):
    (sources / 'srv' / 'Add.srv').write_text('Nothing x\n---\n')
    assert main([str(sources), str(tmp_path / 'made')]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert lines == ['tiny_interfaces: srv/Add.srv: type Nothing: there is no msg/Nothing.msg']
    assert not (tmp_path / 'made').exists()


def test_a_folder_that_is_no_package_is_refused(tmp_path, capsys):
    assert main([str(tmp_path), str(tmp_path / 'made')]) == 2
    assert ('expected a folder with package.xml, and msg/*.msg or srv/*.srv'
            in capsys.readouterr().err)


@can_make
def test_a_folder_that_cannot_be_written_is_one_line(sources, tmp_path, capsys):
    (tmp_path / 'made').write_text('a file')
    assert main([str(sources), str(tmp_path / 'made')]) == 2
    assert capsys.readouterr().err == (
        f'{tmp_path}/made/tiny_interfaces: cannot be written: Not a directory\n')


def test_broken_sources_are_one_line(sources, tmp_path, capsys):
    (sources / 'package.xml').write_text('no XML')
    assert main([str(sources), str(tmp_path / 'made')]) == 2
    assert capsys.readouterr().err == f'{sources}/package.xml:1: not XML: syntax error\n'
