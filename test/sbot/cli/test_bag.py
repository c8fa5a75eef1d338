import io
import json
import math

import pytest
from bag_maker import RATE, SCENARIO_TEXT, command, make_bag, tick_messages

from sbot.bag.compare import Comparison
from sbot.bag.reader import Bag
from sbot.bag.recorder import Recorder
from sbot.bag.tables import write_csv
from sbot.cli.main import make_parser
from sbot.regression.commands import Recording
from sbot_common.errors import InputError
from sbot_common.topics import (
    BASE_POSE_GROUND_TRUTH,
    CLOCK,
    CMD_VEL,
    GOAL,
    POTENTIAL_FIELD_FORCES,
    SCENARIO,
)
from sbot_common.wire import cdr
from sbot_common.wire.messages import (
    read_twist,
    write_clock,
    write_pose,
    write_string,
    write_twist,
)


def run(*arguments):
    args = make_parser('bag').parse_args(['bag', *map(str, arguments)])
    return args.run(args)


def test_info_tells_topics_and_state(tmp_path, capsys):
    path = make_bag(tmp_path / 'bag', 3, 40)
    assert run('info', path, '--json') == 0
    found = json.loads(capsys.readouterr().out)
    assert found['complete'] is True
    assert found['scenario'] == 'made_up'
    assert found['seed'] == 1
    assert found['messages'] == 1 + 40 * 10
    assert found['topics']['/robot_1/cmd_vel'] == {
        'type': 'geometry_msgs/msg/Twist', 'messages': 40, 'first_s': 0.03, 'last_s': 1.2}
    assert run('info', path) == 0
    assert 'made_up, seed 1' in capsys.readouterr().out


def test_info_of_a_thousand_robots_fits_80_columns(tmp_path, capsys):
    with Recorder(tmp_path / 'bag', metadata={}) as recorder:
        for name, topic in (('/robot_999/base_pose_ground_truth', BASE_POSE_GROUND_TRUTH),
                            ('/robot_999/potential_field_forces', POTENTIAL_FIELD_FORCES)):
            for stamp in range(1, 1001):
                recorder.write(name, topic, stamp, b'')
    assert run('info', tmp_path / 'bag') == 0
    out = capsys.readouterr().out
    assert '/robot_999/potential_field_forces' in out
    assert all(len(line) <= 80 for line in out.splitlines() if 'robot_999' in line)


def test_the_seed_of_a_foreign_bag_is_that_of_its_scenario(tmp_path, capsys):
    with Recorder(tmp_path / 'bag', metadata={}) as recorder:
        recorder.write(SCENARIO.name, SCENARIO, 1, write_string('name: theirs\nseed: 7\n'))
    assert run('info', tmp_path / 'bag') == 0
    assert 'scenario  theirs, seed 7' in capsys.readouterr().out


def test_info_of_a_cut_bag_says_so(tmp_path, capsys):
    path = make_bag(tmp_path / 'bag')
    file = next(path.glob('*.mcap'))
    file.write_bytes(file.read_bytes()[:3000])
    assert run('info', path) == 0
    assert 'was its recorder killed' in capsys.readouterr().out


def test_equal_bags(tmp_path, capsys):
    a, b = make_bag(tmp_path / 'a'), make_bag(tmp_path / 'b', shuffle=1)
    assert run('diff', a, b) == 0
    assert capsys.readouterr().out.startswith('equal: 401 messages')


def test_first_difference_is_named_to_the_ulp(tmp_path, capsys):
    def change(tick, name, payload):
        if (tick, name) in ((12, '/robot_2/cmd_vel'), (12, '/robot_1/cmd_vel'),
                            (20, '/robot_0/cmd_vel')):
            vx, vy, omega = read_twist(payload)
            return write_twist(vx, vy, math.nextafter(omega, 9.0))
        return payload

    a, b = make_bag(tmp_path / 'a'), make_bag(tmp_path / 'b', change=change, shuffle=3)
    result = Comparison.of(Bag(a), Bag(b))
    assert not result.equal
    assert result.first is not None
    assert result.first[:5] == (12, RATE.stamp_ns(12), 1, '/robot_1/cmd_vel', 'angular.z')
    assert float(result.first.second) == math.nextafter(command(12, 1)[2], 9.0)
    assert result.different == {f'/robot_{i}/cmd_vel': 1 for i in range(3)}
    assert set(result.distances.values()) == {0.0}
    assert run('diff', a, b) == 1
    assert 'first difference: tick 12, robot 1: /robot_1/cmd_vel angular.z' in (
        capsys.readouterr().out)
    assert run('diff', a, b, '--json') == 1
    assert json.loads(capsys.readouterr().out)['first']['tick'] == 12


def test_end_distance_and_length(tmp_path, capsys):
    a, b = make_bag(tmp_path / 'a', 2, 40), make_bag(tmp_path / 'b', 2, 30)
    result = Comparison.of(Bag(a), Bag(b))
    assert result.first is None
    assert result.unpaired['/robot_1/cmd_vel'] == (10, 0)
    assert not result.equal

    def moved(tick, name, payload):
        if name != '/robot_1/base_pose_ground_truth' or tick < 35:
            return payload
        message = cdr.decode(payload, 'nav_msgs/msg/Odometry')
        message.pose.pose.position.x += 0.25
        return cdr.encode(message)

    c = make_bag(tmp_path / 'c', 2, 40, change=moved)
    result = Comparison.of(Bag(a), Bag(c))
    assert result.first is not None
    assert result.first[0] == 35
    assert result.first.field == 'pose.pose.position.x'
    assert result.distances == {0: 0.0, 1: pytest.approx(0.25)}
    run('diff', a, b)
    said = capsys.readouterr().out
    assert f'10 more messages in {a}' in said
    assert said.endswith('largest distance at the end: 0 m\n')
    run('diff', a, c)
    assert capsys.readouterr().out.endswith('largest distance at the end: 0.25 m, of robot 1\n')


def test_topics_of_one_bag_only_do_not_count(tmp_path, capsys):
    a = make_bag(tmp_path / 'a', 2, 10)
    b = make_bag(tmp_path / 'b', 2, 10, change=lambda tick, name, payload: (
        None if name == '/clock' else payload))
    assert run('diff', a, b) == 0
    assert f'only in {a}: /clock' in capsys.readouterr().out


def test_bags_without_a_common_topic_are_not_equal(tmp_path):
    first, second = make_bag(tmp_path / 'first', 1, 3), tmp_path / 'second'
    with Recorder(second, metadata={}) as recorder:
        recorder.write('/elsewhere', CMD_VEL, 1, write_twist(0.0, 0.0, 0.0))
    with pytest.raises(InputError, match='no topic with messages in common'):
        run('diff', first, second)


def test_csv_writes_a_file(tmp_path):
    path, out = make_bag(tmp_path / 'bag', 2, 15), io.StringIO()
    assert write_csv(Bag(path), out) == 30
    assert run('csv', path, '-o', tmp_path / 'table.csv') == 0
    assert (tmp_path / 'table.csv').read_text() == out.getvalue()


@pytest.mark.parametrize(('name', 'topic', 'payload'), [
    ('/robot_0/cmd_vel', CLOCK, write_clock(1)),
    ('/robot_1/cmd_vel', GOAL, write_pose(1, '', 1, 2)),
    ('/robot_1/base_pose_ground_truth', CMD_VEL, write_twist(1.0, 0.0, 0.0))])
def test_topics_of_another_type_are_named(tmp_path, name, topic, payload):
    """A stranger's cmd_vel may be anything; what reads it says what it expects."""
    path = tmp_path / 'bag'
    with Recorder(path, metadata={'scenario': SCENARIO_TEXT}) as recorder:
        recorder.write(name, topic, 1, payload)
        for tick in range(3):
            for own, kind, raw in tick_messages(tick, 2):
                if own != name:
                    recorder.write(own, kind, 2, raw)
    with pytest.raises(InputError, match=f'{name} has messages of type {topic.type!r}, expected'):
        run('csv', path)
    with pytest.raises(InputError, match=f'{name} has messages of type'):
        Recording.read(Bag(path))
    assert run('info', path) == 0
    assert run('diff', path, path) == 0
