"""Write the rewards that the originals of `examples/ports` give in some states.

    pip install vmas==1.5.2 mpe2==1.1.1
    python test/examples/make_ported_rewards.py

makes `ported_rewards.json` anew. The states are drawn here; the originals compute the rewards.
"""

import json
from importlib.metadata import version
from pathlib import Path

import numpy as np
import torch
import vmas
from mpe2 import simple_speaker_listener_v4, simple_spread_v3, simple_tag_v3

STATES = 12
RNG = np.random.default_rng(46)


def places(count, within):
    """Return points (STATES, count, 2), rounded so that JSON keeps all of them."""
    return RNG.uniform(-within, within, (STATES, count, 2)).round(4)


def moved(before, by):
    return (before + RNG.uniform(-by, by, before.shape)).round(4)


def put(entities, points):
    """Put entities of VMAS at points (STATES, count, 2), in double precision."""
    for i, entity in enumerate(entities):
        entity.state.pos = torch.tensor(points[:, i])


def rewards(scenario):
    """Return the rewards (STATES, robots), computed in double precision."""
    torch.set_default_dtype(torch.float64)
    found = [scenario.reward(agent) for agent in scenario.world.agents]
    torch.set_default_dtype(torch.float32)
    return torch.stack(found, dim=1).double().tolist()


def original(name):
    return vmas.make_env(name, num_envs=STATES, device='cpu', seed=0).scenario


def discovery():
    scenario, robots, targets = original('discovery'), places(5, 0.5), places(7, 0.6)
    put(scenario.world.agents, robots)
    put(scenario._targets, targets)
    scenario.targets_respawn = False  # what is drawn comes after the rewards
    return {'robots': robots.tolist(), 'targets': targets.tolist(), 'rewards': rewards(scenario)}


def navigation():
    scenario, goals = original('navigation'), places(4, 0.6)
    goals[:4] = [[-0.5, 0.0], [-0.1, 0.0], [0.1, 0.1], [0.5, 0.3]]
    before = moved(goals, 0.3)
    robots = moved(before, 0.05)
    robots[:4] = moved(goals[:4], 0.03)  # there
    agents = scenario.world.agents
    put([agent.goal for agent in agents], goals)
    put(agents, before)
    for agent in agents:
        scenario.agent_reward(agent)  # notes the distance
    put(agents, robots)
    return {'before': before.tolist(), 'robots': robots.tolist(), 'goals': goals.tolist(),
            'rewards': rewards(scenario)}


def transport():
    scenario, before = original('transport'), places(1, 0.5)
    now, yaw = moved(before, 0.02), RNG.uniform(-3, 3, (STATES, 1)).round(4)
    goal = moved(now, 0.35)
    package, = scenario.packages
    put([package.goal], goal)
    put([package], before)
    package.global_shaping = (100.0 * torch.linalg.vector_norm(
        package.state.pos - package.goal.state.pos, dim=1))
    put([package], now)
    package.state.rot = torch.tensor(yaw)
    return {'before': before.tolist(), 'package': now.tolist(), 'yaw': yaw.tolist(),
            'goal': goal.tolist(), 'rewards': rewards(scenario)}


def mpe(module, robots, marks, mark=None):
    """Return the rewards that an environment of MPE gives in states."""
    env, found = module.env().unwrapped, []
    env.reset(seed=0)
    world, scenario = env.world, env.scenario
    for state in range(STATES):
        for entities, points in ((world.agents, robots), (world.landmarks, marks)):
            for entity, point in zip(entities, points[state], strict=True):
                entity.state.p_pos = point
        if mark is not None:
            world.agents[0].goal_b = world.landmarks[mark[state]]
        local = np.array([scenario.reward(agent, world) for agent in world.agents], float)
        if env.local_ratio is not None:  # as in its _execute_world_step
            local = (scenario.global_reward(world) * (1 - env.local_ratio)
                     + local * env.local_ratio)
        found.append(local.tolist())
    return {'robots': robots.tolist(), 'landmarks': marks.tolist(), 'rewards': found}


def main():
    mark = RNG.integers(3, size=STATES).tolist()
    found = {
        'versions': {name: version(name) for name in ('vmas', 'mpe2')},
        'discovery': discovery(), 'navigation': navigation(), 'transport': transport(),
        'spread': mpe(simple_spread_v3, places(3, 0.4), places(3, 1.0)),
        'tag': mpe(simple_tag_v3, places(4, 0.1) + RNG.uniform(-1.3, 1.3, (STATES, 1, 2)).round(4),
                   places(2, 0.9)),
        'speaker_listener': {**mpe(simple_speaker_listener_v4, places(2, 1.0), places(3, 1.0),
                                   mark), 'mark': mark}}
    path = Path(__file__).with_name('ported_rewards.json')
    path.write_text('{\n' + ',\n'.join(f'{json.dumps(name)}: {json.dumps(each)}'
                                       for name, each in found.items()) + '\n}\n', 'utf-8')


main()
