"""Entry of ``potential_field``: the leader and followers of document 001."""

from __future__ import annotations

from potential_field_bot.parameters import Parameters
from sbot.controllers.entry import Batch, Entry, Place
from sbot_common.observation import Controller


def _make(place: Place) -> Controller:
    from potential_field_bot.bot import PotentialField
    return PotentialField(goal=place.goal, parameters=place.parameters)


def _batch(ids: list[int], parameters: Parameters, threads: int) -> Batch:
    from potential_field_bot.bot import Followers
    return Followers(ids, parameters, threads)


def _warm_up() -> None:
    from potential_field_bot import bot
    bot.warm_up()
    bot.warm_up_swarm()


def _refusal(place: Place) -> str | None:
    if place.robot_id > 0 or place.goal is not None or place.parameters.on_random_walk:
        return None
    return "key 'goal' is missing; robot 0 leads and needs one: [x, y] (m)"


ENTRY = Entry(
    'potential_field', 'Leader and followers of document 001 (docs/potential_field.md).', _make,
    Parameters(), fields=('scan',), goal_tolerance='goal_radius_sigma_m', refusal=_refusal,
    follows=lambda _: True, batch=_batch, may_preload=True, warm_up=_warm_up,
    executable='potfield_bot', node_name='potfieldbot', node_parameters=True)
