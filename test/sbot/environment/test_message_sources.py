"""Sources of message packages that are broken or hostile are refused in one line."""

import os

import pytest

from sbot.environment import message_sources
from sbot.environment.message_sources import MOST_BYTES, MOST_FILES, read_sources
from sbot_common.errors import InputError

PACKAGE = '<package><name>tiny_interfaces</name></package>'
BOMB = ('<!DOCTYPE a [<!ENTITY b "ha"><!ENTITY c "&b;&b;">]><package><name>&c;</name></package>')


@pytest.fixture
def sources(tmp_path):
    folder = tmp_path / 'sources'
    (folder / 'msg').mkdir(parents=True)
    (folder / 'msg' / 'Two.msg').write_text('int32 a\n')
    (folder / 'package.xml').write_text(PACKAGE)
    return folder


def refused(folder):
    with pytest.raises(InputError) as raised:
        read_sources(folder)
    text = str(raised.value)
    assert '\n' not in text
    assert 'Errno' not in text
    return text.replace(f'{folder}/', '')


def test_name_and_texts_are_read_and_written(sources, tmp_path):
    (sources / 'srv').mkdir()
    (sources / 'srv' / 'Add.srv').write_text('int32 a\n---\n')
    (sources / 'msg' / 'notes.txt').write_text('no message')
    # What others say of a name in a comment or an inner element is not the package's name.
    (sources / 'package.xml').write_text(
        '<?xml version="1.0"?><!-- <name>wrong</name> --><package format="3">'
        '<author><name>wrong</name></author><name> tiny_interfaces </name></package>')
    found = read_sources(sources)
    assert found == ('tiny_interfaces', {'msg/Two.msg': 'int32 a\n',
                                         'srv/Add.srv': 'int32 a\n---\n'})
    found.write(tmp_path / 'copy')
    assert read_texts(tmp_path / 'copy') == found.texts


def read_texts(folder):
    return {path.relative_to(folder).as_posix(): path.read_text('utf-8')
            for path in sorted(folder.rglob('*.*'))}


@pytest.mark.parametrize(('text', 'message'), [
    ('no <name>tiny_interfaces</name>', 'package.xml:1: not XML: syntax error'),
    ('<package>\n<name>a</package>', 'package.xml:2: not XML: mismatched tag'),
    ('', 'package.xml:1: not XML: no element found'),
    (BOMB, 'package.xml: declares a document type or entities (<!DOCTYPE ...>), which are not '
     'read; remove them'),
    (BOMB.replace('"ha"', 'SYSTEM "file:///etc/passwd"'),
     'package.xml: declares a document type or entities (<!DOCTYPE ...>), which are not read; '
     'remove them')])
def test_a_package_file_that_is_no_plain_xml_is_refused(sources, text, message):
    (sources / 'package.xml').write_text(text)
    assert refused(sources) == message


@pytest.mark.parametrize('name', ['', 'Two', 'two words', 'a__b', 'a_', 'os', 'class', '../up',
                                  'aé', 'double', 'namespace'])
def test_a_name_that_no_package_may_have_is_refused(sources, name):
    (sources / 'package.xml').write_text(f'<package><name>{name}</name></package>', 'utf-8')
    assert refused(sources) == (
        f'package.xml: <name>: got {name!r}, expected small letters, digits and single '
        'underscores, a letter first, and not a name of Python or C')


@pytest.mark.parametrize('path', ['package.xml', 'msg/Two.msg'])
@pytest.mark.parametrize(('make', 'message'), [
    (os.mkfifo, 'got a pipe, expected a regular file'),
    (os.mkdir, 'got a folder, expected a regular file'),
    (lambda path: path.write_bytes(b'int32 a\n# caf\xe9\n'),
     ':2: byte 0xe9 is not UTF-8; save the file as UTF-8'),
    (lambda path: path.write_bytes(b'int32 \0 a'), ':1: got a byte of 0, expected text'),
    (lambda path: path.touch() or os.truncate(path, 3 << 30),
     f'got more than {MOST_BYTES} bytes, expected fewer')])
def test_a_file_that_is_no_text_of_a_sensible_size_is_refused(sources, path, make, message):
    (sources / path).unlink()
    make(sources / path)
    text = refused(sources)
    assert text.startswith(path)
    assert text.endswith(message)


def test_a_link_to_itself_is_refused(sources):
    (sources / 'msg' / 'Loop.msg').symlink_to('Loop.msg')
    assert refused(sources) == 'msg/Loop.msg: cannot be read: Too many levels of symbolic links'


def test_a_folder_that_links_to_itself_is_read_once(sources):
    (sources / 'msg' / 'inner').symlink_to('.')
    assert list(read_sources(sources).texts) == ['msg/Two.msg']


@pytest.mark.parametrize('name', ['two words.msg', 'None.msg', 'Two_Request.msg', 'two.msg'])
def test_a_file_whose_name_is_no_type_is_refused(sources, name):
    (sources / 'msg' / name).write_text('int32 a\n')
    assert refused(sources) == (
        f"msg: got '{name}', expected a file name such as Pose.msg: a capital "
        'letter first, then letters and digits, and not a word of Python')


def test_files_whose_names_ros_makes_equal_are_refused(sources):
    for name in ('AB', 'Ab'):
        (sources / 'msg' / f'{name}.msg').write_text('int32 a\n')
    assert refused(sources) == (
        'msg/AB.msg cannot be combined with msg/Ab.msg: ROS 2 makes ab of both')


def test_comments_are_left_out_and_lines_that_may_carry_code_are_refused(sources):
    (sources / 'msg' / 'Two.msg').write_text('# */ evil(); /*\nint32 a # \\\n')
    (sources / 'srv').mkdir()
    (sources / 'srv' / 'Add.srv').write_text('# */\n--- # */\nint32 a\n')
    assert read_sources(sources).texts == {'msg/Two.msg': 'int32 a\n',
                                           'srv/Add.srv': '---\nint32 a\n'}
    (sources / 'srv' / 'Add.srv').write_text('---\nstring a "\\"\n')
    assert refused(sources).startswith('srv/Add.srv:2: value: got ')


def test_the_work_of_a_folder_is_limited(sources, monkeypatch):
    monkeypatch.setattr(message_sources, 'MOST_LINES', 2)
    (sources / 'msg' / 'Three.msg').write_text('int32 a\nint32 b\n')
    assert refused(sources) == (
        'msg/Two.msg: the files up to this one have more than 2 fields and constants')
    monkeypatch.setattr(message_sources, 'MOST_OF_ALL', 20)
    assert refused(sources) == 'msg/Two.msg: the files up to this one have more than 20 bytes'


def test_too_many_files_are_refused(sources):
    for i in range(MOST_FILES):
        (sources / 'msg' / f'A{i}.msg').touch()
    assert refused(sources) == (
        f'{sources}: got {MOST_FILES + 1} messages and services, expected at most {MOST_FILES}')


@pytest.mark.parametrize('name', ['nowhere', 'zero\0'])
def test_a_folder_that_is_not_there_is_refused(tmp_path, name):
    assert refused(tmp_path / name).endswith(
        'expected a folder with package.xml, and msg/*.msg or srv/*.srv')
