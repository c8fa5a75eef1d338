"""One simulation in a ROS domain: the lock."""

import os

import pytest

from sbot.ros.domain import check_free, claim, current_domain, parse_domain
from sbot_common.errors import InputError

DOMAIN = 1_000_000 + os.getpid()  # no domain of ROS, but a lock of nobody else


def test_a_domain_has_one_simulation_for_each_clock():
    first = claim(DOMAIN)
    try:
        with pytest.raises(InputError, match=f'another simulation runs in ROS domain {DOMAIN} '):
            claim(DOMAIN)
        with pytest.raises(InputError, match='--domain free'):
            check_free(DOMAIN)
        os.close(claim(DOMAIN, '/arena/clock'))
        check_free(DOMAIN + 1)
    finally:
        os.close(first)
    check_free(DOMAIN)
    os.close(claim(DOMAIN))


@pytest.mark.parametrize('clock', ['/clock', '/arena/clock'])
def test_free_is_a_domain_without_a_simulation(clock):
    first = parse_domain('free')
    claimed = claim(first, clock)
    try:
        parse_domain('free')  # which gives the first one back: from now on its run alone has it
        assert parse_domain('free') != first
    finally:
        os.close(claimed)


def test_a_free_domain_is_given_once_although_its_simulation_has_not_begun():
    first = parse_domain('free')
    assert parse_domain('free') != first  # as another process would get it


@pytest.mark.parametrize('text', ['-1', '233', 'five', '1.5', ''])
def test_what_is_no_domain(text, monkeypatch):
    with pytest.raises(InputError, match=r"^--domain: got .*0 to 232, or 'free'"):
        parse_domain(text)
    if text:
        monkeypatch.setenv('ROS_DOMAIN_ID', text)
        with pytest.raises(InputError, match=r'^ROS_DOMAIN_ID: '):
            current_domain()


def test_the_domain_of_the_environment(monkeypatch):
    monkeypatch.setenv('ROS_DOMAIN_ID', '7')
    assert current_domain() == 7
    monkeypatch.delenv('ROS_DOMAIN_ID')
    assert current_domain() == 0
