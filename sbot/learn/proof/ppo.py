"""Independent PPO: one policy that every robot of a task learns (extra ``train``)."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from sbot.learn.proof.evolve import Note, Trained
from sbot.learn.tasks.entry import Entry
from sbot_common.errors import InputError, install_command


def ppo(entry: Entry, seed: int, decisions: int = 400_000, worlds: int = 32, threads: int = 1,
        note: Note = lambda *_: None) -> Trained:
    """Return the policy that PPO of Stable-Baselines3 learns: IPPO with shared parameters.

    Each robot of each world is a row of the batch, with its own observation and reward (de Witt
    et al., Is Independent Learning All You Need?, arXiv 2011.09533).

    Parameters
    ----------
    entry : the task
    seed : of the learner and, spawned for each world, of the scenes
    decisions : of all robots of all worlds
    worlds : how many are stepped at once
    threads : changes no bit
    note : is called after each rollout

    Raises
    ------
    InputError
        if Stable-Baselines3 is not installed.
    KeyboardInterrupt
        before the end of the first episode. Later ones end the training and keep its result.

    """
    try:
        import torch
        from stable_baselines3 import PPO
        from stable_baselines3.common.vec_env import VecMonitor
    except ImportError:
        raise InputError(f"ppo needs stable-baselines3: {install_command('train')}") from None
    from sbot.learn import sb3_env
    from sbot.learn.stable_baselines import network_of
    torch.set_num_threads(1)  # the network is small; and sums keep their order
    scene = entry.make_scene()
    env = sb3_env(scene.scenario(0), worlds, task=scene, threads=threads)
    model = PPO('MlpPolicy', VecMonitor(env), n_steps=32,
                batch_size=8 * worlds * scene.team, n_epochs=6, gamma=0.98, seed=seed,
                learning_rate=lambda left: 1e-3 * left, device='cpu',
                policy_kwargs={'net_arch': {'pi': [16, 16], 'vf': [32, 32]},
                               'log_std_init': -0.5})
    began, curve, stopped = time.process_time(), [], False

    def keep(names: dict[str, Any], _: dict[str, Any]) -> bool:
        last = model.ep_info_buffer
        if not names['n_steps'] and last:  # a rollout begins
            curve.append([time.process_time() - began, model.num_timesteps * scene.hold,
                          np.mean([episode['r'] for episode in last])])
            note(model.num_timesteps, curve[-1][2])
        return True

    try:
        model.learn(decisions, callback=keep)
    except KeyboardInterrupt:
        stopped = True
        if not curve:
            raise
    network, weights = network_of(model)
    # It decided every scene.hold ticks in training. As evolved ones it is compared by decisions in
    # every tick, and its file drives as compared (docs/learned_results.md).
    return Trained(network._replace(hold=1), weights, np.array(curve).reshape(-1, 3), stopped)
