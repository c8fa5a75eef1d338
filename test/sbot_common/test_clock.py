import pytest
from hypothesis import given
from hypothesis import strategies as st

from sbot_common.clock import Rate, in_seconds
from sbot_common.errors import InputError

rates = st.builds(Rate, st.integers(1, 10_000), st.integers(1, 100))


def test_stamps_of_30_hz_are_rounded_down():
    rate = Rate.parse(30)
    assert [rate.stamp_ns(k) for k in range(4)] == [33333333, 66666666, 100000000, 133333333]
    assert rate.dt == 1 / 30


@given(rates, st.integers(0, 10**7))
def test_tick_is_the_inverse_of_stamp(rate, k):
    stamp = rate.stamp_ns(k)
    assert stamp > 0
    assert rate.tick(stamp) == k
    assert rate.tick(stamp - 1) == k - 1


@given(rates, st.integers(1, 10_000))
def test_ticks_cover_the_seconds(rate, k):
    ticks = rate.ticks(k * rate.dt)
    assert ticks in (k, k + 1)  # the decimal number printed may lie just above k ticks
    assert Rate.parse(30).ticks(60.0) == 1800
    assert Rate.parse(30).ticks(0.01) == 1


def test_fractions_keep_their_value():
    assert Rate.parse('100/3') == Rate(100, 3)
    assert Rate.parse(12.5) == Rate(25, 2)
    assert str(Rate.parse('100/3')) == '100/3'


@pytest.mark.parametrize('bad', [0, -1, 'fast', '1/0', True, float('nan'), 2e9, None])
def test_bad_rates_are_refused_by_name(bad):
    with pytest.raises(InputError, match='loop_rate: got'):
        Rate.parse(bad, 'loop_rate')


@pytest.mark.parametrize(('seconds', 'text'), [
    (54.666667, '54.67 s'), (20.0, '20 s'), (12345.678, '12345.68 s'), (0.033333333, '0.03333 s'),
    (0.0, '0 s'), (2e6, '2000000 s')])
def test_times_of_people_have_one_format(seconds, text):
    assert in_seconds(seconds) == text
