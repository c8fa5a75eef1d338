"""Types that a message package uses: missing ones and endless ones are named, with the file."""

import time

import pytest

pytest.importorskip('rosidl_adapter')

from sbot.environment.message_types import MOST_DEPTH, MOST_VALUES, check_contained, check_types


@pytest.fixture
def check(tmp_path):
    """Check files by their texts; `std_msgs/Header` is installed."""
    share = tmp_path / 'share'
    (share / 'std_msgs' / 'msg').mkdir(parents=True)
    (share / 'std_msgs' / 'msg' / 'Header.idl').touch()

    def call(**texts):
        for name, text in texts.items():
            path = tmp_path / 'own' / ('srv' if '---' in text else 'msg') / name
            path = path.with_suffix(f'.{path.parent.name}')
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        check_types(tmp_path / 'own', 'own', share)
    return call


def test_types_of_the_package_and_of_others_are_found(check):
    check(One='int32 a\nstring<=5 b "x"\nstd_msgs/Header[] headers\n',
          Two='One[2] ones\nown/One one\n', Do='Two two\n---\nOne one\n')


@pytest.mark.parametrize(('texts', 'message'), [
    ({'One': 'Nothing x'}, 'msg/One.msg: type Nothing: there is no msg/Nothing.msg'),
    ({'Do': 'int32 a\n---\nNothing x'}, 'srv/Do.srv: type Nothing: there is no msg/Nothing.msg'),
    ({'One': 'far_msgs/Away x'},
     'msg/One.msg: type far_msgs/Away needs far_msgs, which is not installed'),
    ({'One': 'std_msgs/Away x'}, 'msg/One.msg: type std_msgs/Away: std_msgs has no such message'),
    ({'One': 'One[] more'}, 'msg/One.msg: contains itself'),
    ({'One': 'Two x', 'Two': 'Three x', 'Three': 'One x'}, 'msg/One.msg: contains itself'),
    ({'Outer': 'One x', 'Two': 'One x', 'One': 'Two x'}, 'msg/One.msg: contains itself'),
    ({'One': 'Two x', 'Two': 'Three x', 'Three': 'Two x'}, 'msg/Three.msg: contains itself'),
    ({'Do': 'Two x\n---\n', 'Two': 'Two x'}, 'msg/Two.msg: contains itself'),
    ({'One': 'int32[5000] a', 'Two': 'One[5000] x'},
     f'msg/Two.msg: has 25000000 values, expected at most {MOST_VALUES}'),
    ({'One': 'int32 a\nint32 a'}, 'msg/One.msg: the fields iterable contains duplicate names: a'),
    ({'One': 'int32 a b c ((('}, "msg/One.msg: value 'b c (((' can not be converted to type "
     "'int32': must be a valid integer value >= -2147483648 and <= 2147483647")])
def test_what_cannot_be_made_is_named(check, texts, message):
    with pytest.raises(ValueError, match=r'^(msg|srv)/') as raised:
        check(**texts)
    assert str(raised.value) == message


def test_messages_in_many_levels_are_refused(check):
    texts = {f'A{i}': f'A{i + 1} x' for i in range(MOST_DEPTH)} | {f'A{MOST_DEPTH}': 'int32 x'}
    with pytest.raises(ValueError, match=f'more than {MOST_DEPTH} levels'):
        check(**texts)


def test_messages_in_messages_are_checked_in_a_time_in_proportion_to_their_number():
    width = 40
    contained = {f'{level}_{i}': [(f'{level + 1}_{j}', 1) for j in range(width)]
                 for level in range(MOST_DEPTH - 1) for i in range(width)}
    contained |= {f'{MOST_DEPTH - 1}_{i}': [] for i in range(width)}
    began = time.process_time()
    check_contained(contained, dict.fromkeys(contained, 0))
    assert time.process_time() - began < 2.0  # about 0.03 s; a way for each file takes minutes
