"""What controllers know of the wind: that of their own tick, forces included (document 000)."""

import numpy as np
import pytest

import sbot

FREE = {'rate': 10, 'duration': 2, 'world': {'bounds': [0, 0, 40, 40], 'open': True}}
GUST = {'wind_gust_start': 0.55, 'wind_gust_duration': 0.5, 'wind_gust_direction': [1, 0, 0]}


class Listener:
    def __init__(self):
        self.heard = []

    def step(self, observation, rng):
        self.heard.append(observation.wind)
        return 0.0, 0.0


def listen(wind, **more):
    listener = Listener()
    run = sbot.run({**FREE, **more, 'wind': wind, 'robots': [
        {'pose': [20, 20, 0], 'controller': listener, 'body': 'foot-bot'}]})
    return np.array(listener.heard), run


@pytest.mark.parametrize('strength', [{'wind_gust_force_mean': 9.0},
                                      {'wind_gust_speed_mean': 0.5}])
def test_a_robot_knows_in_each_tick_how_the_air_moves_it_in_the_next(strength):
    """Impulses of tick k move in tick k + 1 (docs/errata.md W3), forces among them."""
    heard, run = listen({**GUST, **strength, 'wind_speed_mean': 0.1})
    assert heard[:-2] == pytest.approx((np.diff(run.poses[:, 0, :2], axis=0) / 0.1)[1:], abs=1e-9)
    stamps = run.stamps_ns[:-2]
    gusty = (stamps >= 550_000_000) & (stamps < 1_050_000_000)
    assert gusty.sum() == 5
    assert (heard[:-2][gusty, 0] == pytest.approx(0.6))  # 9 N * 0.1 s / 1.8 kg
    assert (heard[:-2][~gusty, 0] == pytest.approx(0.1))
    assert run.wind[:, 0] == pytest.approx(heard)


@pytest.mark.parametrize('rate', [10, 30, 300])
def test_a_gust_in_metres_a_second_moves_a_robot_as_far_at_any_rate(rate):
    """docs/errata.md R7; a force moves it by F t dt/m, which depends on the rate."""
    wind = {**GUST, 'wind_gust_start': 0.5}
    _, run = listen({**wind, 'wind_gust_speed_mean': 0.4}, rate=rate)
    assert run.poses[-1, 0, 0] - 20 == pytest.approx(0.4 * 0.5, abs=1e-9)
    _, run = listen({**wind, 'wind_gust_force_mean': 9.0}, rate=rate)
    assert run.poses[-1, 0, 0] - 20 == pytest.approx(9.0 * 0.5 / rate / 1.8, abs=1e-9)


def test_gusts_blow_inside_a_field_and_forces_do_not_unless_asked_for(tmp_path, caplog):
    """docs/errata.md R6."""
    from wind_model.generate import FieldParameters, generate
    from wind_model.rotors_text import write_grid
    path = tmp_path / 'uniform.txt'
    write_grid(path, generate('uniform', **{**FieldParameters()._asdict(), 'speed': 0.2}))
    field = {'use_custom_static_wind_field': True, 'custom_wind_field_path': str(path),
             'wind_speed_mean': 0.0}
    places = {'world': {'bounds': [1, 1, 20, 20]}}

    def end(**wind):
        run = sbot.run({**FREE, **places, 'wind': {**field, **GUST, **wind}, 'robots': [
            {'pose': [10, 10, 0], 'controller': 'none', 'body': 'foot-bot'}]})
        return run.poses[-1, 0, 0] - 10

    alone = end()
    assert alone > 0.3
    assert end(wind_gust_speed_mean=0.4) - alone == pytest.approx(0.2, abs=1e-6)
    caplog.clear()
    assert end(wind_gust_force_mean=9.0) == alone
    assert 'forces_with_field' in caplog.text
    caplog.clear()
    assert end(wind_gust_force_mean=9.0, forces_with_field=True) - alone == pytest.approx(
        9.0 * 0.5 * 0.1 / 1.8, abs=1e-6)
    assert 'force' not in caplog.text


def test_the_vertical_part_is_in_the_message(tmp_path):
    from wind_model.generate import FieldParameters, generate
    from wind_model.rotors_text import write_grid
    grid = generate('uniform', **FieldParameters()._asdict())
    path = tmp_path / 'rising.txt'
    write_grid(path, grid._replace(w=grid.w + 0.25))
    sbot.run({**FREE, 'world': {'bounds': [1, 1, 20, 20]}, 'duration': 0.3, 'wind': {
        'use_custom_static_wind_field': True, 'custom_wind_field_path': str(path)}, 'robots': [
            {'pose': [10, 10, 0], 'controller': 'none'}]}, record=tmp_path / 'bag')
    from sbot_common.wire.messages import read_vector
    heard = [read_vector(message.payload)[1]
             for message in sbot.Bag(tmp_path / 'bag').messages({'/wind'})]
    assert len(heard) == 4
    assert {z for _, _, z in heard} == {0.25}
