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
assert (Two.MOST, Two().b) == (5, 2.5)
Add.__import_type_support__()
print(kind.two.a, Add._TYPE_SUPPORT is not None, Add.Response().sum)
"""


@pytest.fixture
def sources(tmp_path):
    folder = tmp_path / 'sources'
    for kind, name, text in (('msg', 'Two.msg', 'int32 MOST=5\nint32 a # [m]\nfloat64 b 2.5\n'),
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
    assert main([str(sources), str(made)]) == 2
    assert 'tiny_interfaces: cannot be written: File exists' in capsys.readouterr().err


@can_make
def test_a_package_that_is_installed_is_refused(sources, tmp_path, capsys):
    (sources / 'package.xml').write_text('<package><name>std_msgs</name></package>')
    assert main([str(sources), str(tmp_path / 'made')]) == 2
    assert 'expected a package that is not installed' in capsys.readouterr().err
    assert not (tmp_path / 'made').exists()


@can_make
def test_an_error_in_a_service_is_one_line(sources, tmp_path, capsys):
    (sources / 'srv' / 'Add.srv').write_text('Nothing x\n---\n')
    assert main([str(sources), str(tmp_path / 'made')]) == 2
    [line] = capsys.readouterr().err.splitlines()
    assert line.startswith('tiny_interfaces: ')
    assert 'Nothing' in line
    assert not (tmp_path / 'made').exists()


def test_a_folder_that_is_no_package_is_refused(tmp_path, capsys):
    assert main([str(tmp_path), str(tmp_path / 'made')]) == 2
    assert 'package.xml' in capsys.readouterr().err
    (tmp_path / 'package.xml').write_text('<package><name>empty</name></package>')
    assert main([str(tmp_path), str(tmp_path / 'made')]) == 2
    assert ('expected a folder with package.xml, and msg/*.msg or srv/*.srv'
            in capsys.readouterr().err)
