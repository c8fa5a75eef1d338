"""A body, or a controller's parameters, that no robot uses warns."""

import pytest

import sbot


def load(bodies=None, controllers=None, robots=(), **overrides):
    return sbot.load({'world': {'bounds': [0, 0, 9, 9]}, 'bodies': bodies or {},
                      'controllers': controllers or {},
                      'robots': [{'pose': [1, 1, 0], 'controller': 'none'}, *robots]}, **overrides)


FOOT_BOT = {'pose': [3, 3, 0], 'controller': 'wind_aware', 'body': 'foot-bot'}


@pytest.mark.parametrize(('given', 'message'), [
    ({'bodies': {'footbot': {'mass': 2.0}}},
     "scenario: bodies.footbot: has no effect: no robot has this body; did you mean 'foot-bot'?"),
    ({'bodies': {'q': {'mass': 2.0}}},
     'scenario: bodies.q: has no effect: no robot has this body; in use: foot-bot, robot'),
    ({'controllers': {'navigate': {}}},
     'scenario: controllers.navigate: has no effect: no robot has this controller; '
     'in use: none, wind_aware')])
def test_what_nobody_uses_is_named(given, message, caplog):
    load(**given, robots=[FOOT_BOT])
    assert caplog.messages == [message]


def test_an_override_of_what_nobody_uses_is_named(caplog):
    load(robots=[FOOT_BOT], **{'bodies.foot_bot.mass': 2.0})
    [message] = caplog.messages
    assert message.startswith('scenario, override: bodies.foot_bot.mass: has no effect: ')


def test_what_is_used_is_not(caplog):
    load({'base': {'mass': 2.0}, 'mine': {'like': 'base'}, 'robot': {'mass': 3.0}},
         {'wind_aware': {'velocity': 0.2}}, [{**FOOT_BOT, 'body': 'mine'}])
    load({'foot-bot': {'mass': 2.0}}, {'wind_aware': {'velocity': 0.2}}, [FOOT_BOT],
         **{'robots.*.controller': 'none', 'robots.1.body': 'robot'})
    assert caplog.messages == []
