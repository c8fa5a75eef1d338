"""Names that a message package must not have: taken ones, equal ones and words of languages."""

import pytest

from sbot.environment.message_names import check_different, check_free
from sbot_common.errors import InputError


@pytest.mark.parametrize(('paths', 'made'), [
    (('msg/AB.msg', 'msg/Ab.msg'), 'ab'), (('srv/MyTf2.srv', 'srv/MyTF2.srv'), 'my_tf2')])
def test_names_that_ros_makes_equal_are_refused(paths, made):
    with pytest.raises(InputError) as raised:
        check_different(paths)
    assert str(raised.value) == (
        f'{paths[0]} cannot be combined with {paths[1]}: ROS 2 makes {made} of both')


def test_different_names_are_accepted():
    check_different(['msg/AB.msg', 'msg/ABc.msg', 'srv/AB.srv', 'msg/A.msg'])


@pytest.fixture
def prefix(tmp_path):
    (tmp_path / 'share' / 'std_msgs').mkdir(parents=True)
    return tmp_path


def test_the_name_of_an_installed_package_is_refused(prefix):
    with pytest.raises(InputError) as raised:
        check_free('package.xml: <name>', 'std_msgs', prefix)
    assert str(raised.value) == ("package.xml: <name>: got 'std_msgs', expected a package that is "
                                 f'not installed; {prefix}/share/std_msgs is')


def test_the_name_of_a_module_is_refused_and_an_earlier_result_is_not(prefix, monkeypatch):
    monkeypatch.syspath_prepend(str(prefix))
    folder = prefix / 'tiny_interfaces'
    folder.mkdir()  # sources in the current folder, say
    check_free('name', 'tiny_interfaces', prefix)
    (folder / '__init__.py').touch()
    with pytest.raises(InputError, match=r'^name: got .tiny_interfaces., expected a name that no '
                                         r'Python module has; .*__init__\.py has it'):
        check_free('name', 'tiny_interfaces', prefix)
    (folder / 'libtiny_interfaces__rosidl_generator_c.so').touch()
    check_free('name', 'tiny_interfaces', prefix)
    with pytest.raises(InputError, match=r'Python module has; .*numpy'):
        check_free('name', 'numpy', prefix)
