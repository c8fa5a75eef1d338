#!/usr/bin/env python3
"""Collect episodes of a task as a Minari dataset, for offline learning.

    pip install '.[learn]' 'minari[create,hdf5]'
    python examples/collect_minari.py sbot/reach_goal/rule-v0

It is in Minari's folder (MINARI_DATASETS_PATH). Collected again, it has the same numbers.
"""

import argparse
import sys

import gymnasium
import numpy as np

import sbot
from sbot.learn.tasks.registry import entry_of
from sbot_common.errors import install_command

try:
    from minari import DataCollector
except ImportError:
    sys.exit("collect_minari.py needs minari: pip install 'minari[create,hdf5]', and "
             f"{install_command('learn')}")


def drive(observation, entry, memory, rng):
    """Return the action of the task's hand-written rule, and noise."""
    action = np.zeros(2)
    entry.rule.function(observation.astype(float), np.array(entry.rule.weights), memory, action,
                        np.zeros(3, np.int64), 0.1)
    return np.clip(action + rng.normal(0, 0.1, 2), -1, 1).astype(np.float32)


def collect(name, episodes, task='reach_goal'):
    """Return a dataset of the episodes with the seeds from 0 on."""
    entry = entry_of(task)
    env = DataCollector(gymnasium.make('sbot.learn:sbot/Task-v0', task=task))
    for seed in range(episodes):
        (observation, _), over = env.reset(seed=seed), False
        memory, rng = np.zeros(entry.rule.memory), np.random.default_rng(seed)
        while not over:
            action = drive(observation, entry, memory, rng)
            observation, _, ended, late, _ = env.step(action)
            over = ended or late
    return env.create_dataset(name, algorithm_name='rule', description=entry.text,
                              requirements=[f'potential_field_bot=={sbot.__version__}'])


def main(arguments=None):
    """Read the command line and collect."""
    parser = argparse.ArgumentParser(allow_abbrev=False, description=__doc__.splitlines()[0])
    parser.add_argument('name', help='of the dataset')
    parser.add_argument('--episodes', type=int, default=20, help='(default: 20)')
    given = parser.parse_args(arguments)
    found = collect(given.name, given.episodes)
    print(f'{found.total_episodes} episodes, {found.total_steps} steps: {found.id}')


if __name__ == '__main__':
    main()
