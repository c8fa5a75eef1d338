"""A simulator without a world: notes what a run control makes it do, and plays its peers."""

from sbot_common.clock import Rate
from sbot_sim.ros.lockstep import FreeRunning, Lockstep
from sbot_sim.ros.run_control import Actions, Options

RATE = Rate(10, 1)


class Simulator:
    """Notes actions in ``log``; wall time is ``now`` and passes by ``after`` only.

    Each tick that is published leaves a question to every robot (in ``questions``, the ticks asked
    about) and to `wind_model` (in ``winds``, the stamps), which a test answers when it likes.
    """

    def __init__(self, awaited=(True, True), *, lockstep=True, **options):
        self.now, self.tick, self.log = 100.0, 0, []
        self.absent, self.announced = [], True
        self.others_here, self.told = [], []
        self.many = ''  # in words: who publishes a robot's commands, if several do
        self.gone, self.asking = [], []  # external robots: those that left, those that are asked
        self.questions = {i: [] for i, wanted in enumerate(awaited) if wanted}
        self.winds = {'velocity': [], 'force': []}
        self.commands = {}  # robot: the tick that its last command answers
        self.felt = []  # ticks whose wind was handed on
        self.seen = []  # (tick, commands) as the observer is shown them
        chosen = Options(**{
            'rate': RATE, 'ticks': 0, 'lockstep': lockstep, 'lockstep_timeout': 10.0,
            'target_real_time_factor': 0.0, 'cmd_vel_timeout': 0.2, 'awaited': awaited, **options})
        actions = Actions(
            tick=lambda: self.tick, start=self.note('start'), end=self.note('end'),
            publish_clock=self._publish_clock, publish_snapshot=self._publish_snapshot,
            publish_wind=self._publish_wind, publish_inputs=self._publish_inputs,
            stop=self.note('stop'), observe=self._observe, advance=self._advance,
            reset=self._reset, wait=self.told.append, ask=self._ask,
            ask_for_time=self._ask_for_time, unheard=lambda: self.asking,
            publish_triggers=self._publish_triggers,
            node_of=lambda robot: f'/node_{robot}' * (robot in chosen.external))
        self.external = list(chosen.external)
        self.control = (Lockstep(chosen, actions, lambda: self.now, self) if lockstep
                        else FreeRunning(chosen, actions, lambda: self.now, self))

    def others(self):
        return self.others_here

    def missing(self):
        return self.absent

    def goals_announced(self):
        return self.announced

    def left(self):
        return self.gone

    def rivals(self, robot):
        return self.many

    def note(self, name):
        return lambda *arguments: self.log.append((name, *arguments))

    def _publish_clock(self):
        self.log.append(('clock', self.tick))
        for stamps in self.winds.values():
            stamps.append(RATE.stamp_ns(self.tick))

    def _publish_snapshot(self):
        self.log.append(('snapshot', self.tick))
        for asked in self.questions.values():
            asked.append(self.tick)
        return [self.external] * bool(self.external)

    def _publish_wind(self):
        self.felt.append(self.tick)
        return []

    def _publish_triggers(self):
        self.log += [('triggers', self.tick)] * bool(self.external)
        return [self.external] * bool(self.external)

    def _publish_inputs(self, robot):
        self.log.append(('inputs', robot))
        self.questions[robot].append(self.tick)

    def _ask(self, robots):
        self.log.append(('ask', list(robots)))
        self.asking = [f'/node_{robot}' for robot in robots]

    def _ask_for_time(self):
        self.log.append(('ask for time',))
        self.asking = [f'/node_{robot}' for robot in self.external]

    def have_read(self):
        """The external nodes that are asked say that they have handled what was sent."""
        self.asking = []
        self.control.proceed()

    def command(self, robot):
        """An external node commands."""
        if self.control.accept_command(robot, b'command'):
            self.commands[robot] = self.tick
        self.control.proceed()

    def _observe(self):
        self.seen.append((self.tick, dict(self.commands)))

    def _advance(self):
        self.tick += 1

    def _reset(self):
        self.log.append(('reset', self.tick))
        self.tick = 0

    def answer(self, robot):
        asked = self.questions[robot].pop(0)
        if self.control.accept_command(robot, str(asked).encode()):
            self.commands[robot] = asked
        self.control.proceed()

    def blow(self, part):
        stamp_ns = self.winds[part].pop(0)
        if self.control.accept_wind(part, stamp_ns):
            self.control.proceed()

    def answer_all(self):
        for part in self.winds:
            self.blow(part)
        for robot in self.questions:
            self.answer(robot)

    def after(self, seconds):
        """Let wall time pass, in the steps in which a node looks."""
        for _ in range(round(seconds / 0.05)):
            self.now += 0.05
            self.control.watch()

    def taken(self):
        """Return the log, and forget it."""
        log, self.log = self.log, []
        return log
