import json
import math
import tracemalloc
from pathlib import Path

import pytest
import yaml
from bag_maker import RATE, flush, make_bag

from potential_field_bot.bot import PotentialField
from sbot.bag.compare import Comparison
from sbot.bag.reader import Bag
from sbot.bag.recorder import Recorder
from sbot.bag.ticks import ticks
from sbot.cli import replay as replay_command
from sbot.cli.bag import _information
from sbot.cli.main import make_parser
from sbot.regression.replay import _recorded_inputs, replay
from sbot.runner.loop import run_scenario
from sbot.scenario.load import load_scenario
from sbot.version import THIS, VERSION
from sbot_common.errors import InputError
from sbot_common.observation import make_observation
from sbot_common.random import CONTROLLER, TickGenerator
from sbot_common.topics import CMD_VEL, GOAL, Topic
from sbot_common.wire.messages import read_twist, write_pose, write_string, write_twist
from sbot_sim.sensors.registry import codecs


def recorded(directory, name='leader_follower', duration=2.0, **overrides):
    run_scenario(load_scenario(name, {'duration': duration, **overrides}), record=directory)
    return directory


@pytest.fixture(scope='module')
def bag(tmp_path_factory):
    return recorded(tmp_path_factory.mktemp('replay') / 'bag')


def rewritten(bag, directory, change):
    """Copy a bag; ``change`` returns the new (name, payload) of a message, or None to drop it."""
    with Recorder(directory, metadata=bag.metadata) as recorder:
        for message in bag.messages():
            changed = change(message)
            if changed is not None:
                recorder.write(changed[0], Topic(changed[0], message.type), message.stamp_ns,
                               changed[1])
    return Bag(directory)


def run(*arguments):
    args = make_parser('replay').parse_args(['replay', *map(str, arguments)])
    return args.run(args)


def test_command_line_says_so(bag, capsys):
    assert run(bag) == 0
    assert 'all 244 commands of 61 ticks agree bit for bit' in capsys.readouterr().out
    assert run(bag, '--json') == 0
    assert json.loads(capsys.readouterr().out)['equal'] is True
    assert run(bag, '--quiet') == 0
    assert 'all 244 commands of 61 ticks agree bit for bit' in capsys.readouterr().out


@pytest.mark.parametrize('constant', ['linear_scaler_lambda', 'ema_coefficient_eta'])
def test_one_ulp_in_a_constant_is_found(bag, constant, capsys):
    scenario = load_scenario('leader_follower')
    value = math.nextafter(getattr(scenario.controllers['potential_field'], constant), math.inf)
    key = f'controllers.potential_field.{constant}'
    result = replay(Bag(bag), {key: value})
    assert result.differences > 0
    assert result.first is not None
    assert result.first.recorded != result.first.new
    assert run(bag, '--set', f'{key}={value!r}') == 1
    out = capsys.readouterr().out
    assert f'first difference: tick {result.first.tick}, robot {result.first.robot}' in out


def test_one_ulp_in_a_command_is_found_where_it_is(bag, tmp_path):
    seen = []

    def change(message):
        if message.name == '/robot_2/cmd_vel':
            seen.append(message)
            if len(seen) == 31:
                vx, vy, omega = read_twist(message.payload)
                return message.name, write_twist(vx, vy, math.nextafter(omega, 9.0))
        return message.name, message.payload

    result = replay(rewritten(Bag(bag), tmp_path / 'changed', change))
    assert result.differences == 1
    assert result.first is not None
    assert (result.first.tick, result.first.robot) == (30, 2)
    assert result.first.recorded.omega == math.nextafter(result.first.new.omega, 9.0)


def test_output_is_a_bag_of_the_same_commands(bag, tmp_path):
    assert run(bag, '--output', tmp_path / 'new', '--quiet') == 0
    result = Comparison.of(Bag(bag), Bag(tmp_path / 'new'))
    assert result.equal
    assert result.messages == 4 * 61 + 1  # and the scenario
    with pytest.raises(InputError, match='exists already'):
        run(bag, '--output', tmp_path / 'new')


def test_a_random_walk_finds_its_own_goals(tmp_path):
    path = recorded(tmp_path / 'bag', duration=3.0, **{
        'controllers.potential_field.on_random_walk': True,
        'controllers.potential_field.goal_regeneration_frequency_hz': 2.0})
    assert len([m for m in Bag(path).messages() if m.name == '/robot_0/goal']) > 3
    assert replay(Bag(path)).equal


def test_a_goal_sent_from_outside_is_taken_up_at_its_tick(bag, tmp_path):
    """Record what a leader answers that was sent elsewhere at tick 20, and back at tick 40."""
    source = Bag(bag)
    scenario = load_scenario('leader_follower', {'duration': 2.0})
    bot = PotentialField(goal=scenario.robots[0].goal,
                         parameters=scenario.controllers['potential_field'])
    numbers = TickGenerator(scenario.seed, 0, CONTROLLER)
    answers, goals = {}, {0: scenario.robots[0].goal, 20: (1.0, 2.0), 40: (1.0, 2.0)}
    for tick in ticks(source, 4, scenario.rate, [topic for topic, _ in codecs().values()]):
        if tick.tick and tick.tick in goals:
            bot.set_goal(*goals[tick.tick])
        seen = make_observation(0, scenario.rate, None, *_recorded_inputs(tick)(0, ['scan']))
        answers[tick.stamp_ns] = bot.step(seen, numbers.at(tick.tick))
    sent = {scenario.rate.stamp_ns(tick): goal for tick, goal in goals.items()}
    with Recorder(tmp_path / 'sent', metadata=source.metadata) as recorder:
        for message in source.messages():
            payload = message.payload
            if message.name == '/robot_0/goal':
                continue
            if message.name == '/robot_0/cmd_vel':
                if message.stamp_ns in sent:
                    recorder.write('/robot_0/goal', GOAL, message.stamp_ns, write_pose(
                        message.stamp_ns, 'map', *sent[message.stamp_ns]))
                vx, omega = answers[message.stamp_ns]
                payload = write_twist(vx, 0.0, omega)
            recorder.write(message.name, Topic(message.name, message.type), message.stamp_ns,
                           payload)
    assert not Comparison.of(source, Bag(tmp_path / 'sent')).equal
    assert replay(Bag(tmp_path / 'sent')).equal


def test_a_reset_starts_the_controllers_anew(bag, tmp_path):
    with Recorder(tmp_path / 'twice', metadata=Bag(bag).metadata) as recorder:
        for _ in range(2):
            for message in Bag(bag).messages():
                recorder.write(message.name, Topic(message.name, message.type), message.stamp_ns,
                               message.payload)
    result = replay(Bag(tmp_path / 'twice'))
    assert result.equal
    assert result.ticks == 2 * 61


def test_a_killed_recording_replays_as_far_as_it_goes(tmp_path, capsys):
    run_scenario(load_scenario('leader_follower', {'duration': 2.0}), record=tmp_path / 'whole')
    with Recorder(tmp_path / 'bag', metadata=Bag(tmp_path / 'whole').metadata) as recorder:
        for k, message in enumerate(Bag(tmp_path / 'whole').messages()):
            recorder.write(message.name, Topic(message.name, message.type), message.stamp_ns,
                           message.payload)
            if k % 500 == 499:
                flush(recorder)
    data = recorder.path.read_bytes()
    recorder.path.write_bytes(data[:len(data) // 2])
    result = replay(Bag(tmp_path / 'bag'))
    assert result.equal
    assert 5 < result.ticks < 60
    assert result.damage
    assert run(tmp_path / 'bag') == 0
    assert 'cut short' in capsys.readouterr().err


# Recorded by the last version whose random numbers came from PCG64: robot 0 draws some, robot 1
# (wind_aware) does not.
OLD = Path(__file__).parent / 'before_philox'


def test_an_older_recording_is_compared_where_nothing_is_drawn(capsys):
    result = replay(Bag(OLD))
    assert (result.equal, result.not_compared, result.version) == (True, (0,), '0.1.0')
    assert (result.ticks, result.commands) == (11, 11)
    assert run(OLD) == 0
    told = capsys.readouterr()
    assert told.err.count(
        'recorded with version 0.1.0 (random numbers: PCG64); this is version ') == 1
    assert '(robot 0)' in told.err
    assert 'all 11 commands of 11 ticks agree' in told.out


def test_in_an_older_recording_another_command_still_is_found():
    result = replay(Bag(OLD), {'robots.1.parameters.velocity': 0.31})
    assert (result.differences, result.first.robot) == (11, 1)


FROM_TICK_FIVE = """
class Mine:
    def reset(self):
        pass

    def step(self, o, rng):
        return (0.1 if o.tick < 5 else 0.2 + rng.random()), 0.0
"""
FROM_TICK_FIVE_SCENARIO = """
name: from_tick_five
rate: 10
duration: 1
world: {bounds: [0, 0, 9, 9]}
robots: [{pose: [2, 2, 0], controller: 'from_tick_five:Mine'}]
"""


@pytest.mark.parametrize(('recorder', 'noted'), [
    ('ours', True), ('ours', False), ('rosbag2', True), ('rosbag2', False)])
def test_what_was_commanded_before_the_first_draw_is_compared(tmp_path, recorder, noted):
    """A bag of rosbag2 has topics alone."""
    (tmp_path / 'from_tick_five.py').write_text(FROM_TICK_FIVE)
    (tmp_path / 'mine.yaml').write_text(FROM_TICK_FIVE_SCENARIO)
    run_scenario(load_scenario(str(tmp_path / 'mine.yaml')), record=tmp_path / 'new')
    source, names = Bag(tmp_path / 'new'), {}
    metadata = {} if recorder == 'rosbag2' else dict(source.metadata)
    if not noted:
        metadata.pop('random_numbers', None)
    with Recorder(tmp_path / 'old', metadata=metadata) as new:
        for message in source.messages():
            topic = names.setdefault(message.name, Topic(message.name, message.type))
            payload = message.payload
            if message.name.endswith('cmd_vel') and read_twist(payload)[0] != 0.1:
                payload = write_twist(0.5, 0.0, 0.0)
            if message.name == '/scenario' and not noted:
                payload = write_string(source.scenario_text)
            new.write(message.name, topic, message.stamp_ns, payload)
    result = replay(Bag(tmp_path / 'old'))
    if noted:
        assert (result.commands, result.differences, result.not_compared) == (11, 6, ())
    else:
        assert (result.commands, result.differences, result.not_compared) == (5, 0, (0,))
        was = 'version before 0.2.0 (random numbers: unknown)' if recorder == 'rosbag2' else (
            f'version {VERSION} (random numbers: PCG64)')
        assert f'recorded with {was}; this is {THIS}' in result.left_out()
    assert _information(Bag(tmp_path / 'old'))['version'] == (
        VERSION if noted or recorder == 'ours' else 'before 0.2.0')


def test_unusable_bags_say_why(bag, tmp_path):
    with Recorder(tmp_path / 'empty', metadata={}) as recorder:
        recorder.write('/cmd_vel', CMD_VEL, 1, write_twist(0.0, 0.0, 0.0))
    with pytest.raises(InputError, match='needs the topic'):
        replay(Bag(tmp_path / 'empty'))
    with pytest.raises(InputError, match="key 'world' is missing"):
        replay(Bag(make_bag(tmp_path / 'made_up')))
    silent = rewritten(Bag(bag), tmp_path / 'silent', lambda m: (
        None if m.name == '/robot_3/cmd_vel' else (m.name, m.payload)))
    with pytest.raises(InputError, match='commands of robot 3, the topic /robot_3/cmd_vel'):
        replay(silent)
    fewer = rewritten(Bag(bag), tmp_path / 'fewer', lambda m: (
        None if m.name.startswith('/robot_3/') else (m.name, m.payload)))
    with pytest.raises(InputError, match=r'number of robots with poses: got 3, expected 4'):
        replay(fewer)
    late = rewritten(Bag(bag), tmp_path / 'late', lambda m: (
        None if m.stamp_ns < 2 * 10**8 and m.name != '/scenario' else (m.name, m.payload)))
    with pytest.raises(InputError, match=r'begins at tick 5, and a replay.*use-sim-time'):
        replay(late)
    with pytest.raises(InputError, match='did you mean'):
        replay(Bag(bag), {'controllers.potential_field.linear_scaler_lambd': 1.0})


def test_a_bag_of_free_running_nodes_says_what_it_lacks(tmp_path):
    free = recorded(tmp_path / 'free', lockstep=False)
    assert replay(Bag(free)).equal  # in one process
    old = []

    def one_late(message):
        """Let a robot's commands come a tick later, as by the wall clock."""
        if message.name != '/robot_1/cmd_vel':
            return message.name, message.payload
        old.append(message.payload)
        return message.name, old[max(0, len(old) - 2)]
    nodes = rewritten(Bag(free), tmp_path / 'nodes', one_late)
    with pytest.raises(InputError, match=r'but they cannot be compared: .*lockstep: false'):
        replay(nodes)


def test_a_bag_of_robots_that_somebody_else_drove_says_so(tmp_path):
    bag = recorded(tmp_path / 'driven', 'single_robot', 0.2, **{'robots.0.controller': 'none'})
    with pytest.raises(InputError, match='driven: no robot has a controller to replay: other'):
        replay(Bag(bag))


def test_commands_that_somebody_else_sends_now_and_then_are_no_answers(tmp_path):
    """Robot 3 is driven from outside, in one tick of two; the others' replay is whole."""
    bag = Bag(recorded(tmp_path / 'bag', duration=1.0, **{'robots.3.controller': 'none'}))
    with Recorder(tmp_path / 'driven', metadata=bag.metadata) as recorder:
        for message in bag.messages():
            recorder.write(message.name, Topic(message.name, message.type), message.stamp_ns,
                           message.payload)
            if message.name == '/robot_0/cmd_vel' and RATE.tick(message.stamp_ns) % 2:
                recorder.write('/robot_3/cmd_vel', CMD_VEL, message.stamp_ns,
                               write_twist(0.1, 0, 0))
    result = replay(Bag(tmp_path / 'driven'))
    assert (result.equal, result.ticks, result.commands) == (True, 31, 93)


def test_memory_does_not_grow_with_the_bag(tmp_path):
    peaks = []
    for length in (1000, 3000):
        path = make_bag(tmp_path / str(length), 1, length)
        tracemalloc.start()
        topics = [topic for topic, _ in codecs().values()]
        assert sum(1 for _ in ticks(Bag(path), 1, RATE, topics)) == length
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < peaks[0] + 200_000  # bytes: a hundred a tick


@pytest.fixture(scope='module')
def with_a_node(bag, tmp_path_factory):
    """A recording in which a node of somebody's own drove robot 1."""
    source = Bag(bag)
    text = yaml.safe_load(source.scenario_text)
    text['robots'][1] = {'pose': text['robots'][1]['pose'], 'controller': 'external'}
    path = tmp_path_factory.mktemp('with_a_node') / 'bag'
    metadata = {**source.metadata, 'scenario': yaml.safe_dump(text)}
    with Recorder(path, metadata=metadata) as recorder:
        for message in source.messages():
            recorder.write(message.name, Topic(message.name, message.type), message.stamp_ns,
                           message.payload)
    return path


def test_a_robot_that_a_node_drove_is_named_as_not_compared(with_a_node, capsys):
    assert run(with_a_node) == 0
    assert capsys.readouterr().out.endswith(
        'agree bit for bit (robot 0, 2, 3). Not compared: robot 1 (external); give its node with '
        '--node\n')
    assert run(with_a_node, '--quiet') == 0
    assert 'Not compared: robot 1 (external); give its node' in capsys.readouterr().out
    assert run(with_a_node, '--json') == 0
    assert json.loads(capsys.readouterr().out)['not_compared'] == [1]


def test_a_recording_of_which_nothing_is_compared_does_not_pass(with_a_node, monkeypatch, capsys):
    result = replay(Bag(with_a_node))._replace(commands=0)
    monkeypatch.setattr(replay_command, 'replay', lambda *_: result)
    assert run(with_a_node) == 2
    told = capsys.readouterr()
    assert 'no command was compared' in told.err
    assert not told.out
    assert run(with_a_node, '--json') == 2
    assert json.loads(capsys.readouterr().out)['equal'] is False
