#!/usr/bin/env python3
"""Evolve the weights of a small network by CMA-ES: s-bots avoid obstacles, or aggregate.

    pip install '.[evolve]'
    python examples/evolve.py aggregate -o aggregation

It writes `fitness.png`, and `network.json` for `controller: network`. It prints scores on fresh
seeds: of this network, of random weights, of the best of a random search with as many candidates,
and of a rule written by hand.
"""

import argparse
import pickle
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

import matplotlib as mpl
import numpy as np

import sbot
from sbot.learn.tasks.registry import entry_of
from sbot_common.errors import install_command

try:
    import cma
except ImportError:
    sys.exit(f"evolve.py needs cma: {install_command('evolve')}")

mpl.use('Agg')
import matplotlib.pyplot as plt

ARENAS = 3  # worlds in which each candidate is judged
TRAINING_SEEDS = range(1, 33)
FRESH_SEEDS = range(1001, 1021)

BOX = {'rate': 10, 'world': {'bounds': [0, 0, 1.6, 1.6],
                             'circles': [{'center': [0.5, 0.6], 'radius': 0.12},
                                         {'center': [1.1, 1.1], 'radius': 0.15}]},
       'robots': [{'body': 's-bot', 'count': 5, 'controller': 'none'}],
       'sensors': {'infrared': True, 'infrared_noise': 0.1, 'scan_beams': 1}}


class Problem(NamedTuple):
    """What is evolved."""

    scenario: Any
    sense: list
    network: Any
    ticks: int
    keep: list  # of an episode
    score: Any  # of an episode: (K,)
    rule: Any  # written by hand: the entry of a task (`sbot list tasks`)


def avoids(episode):
    """Return the mean of speed ahead, straightness and free room (Floreano and Mondada, 1994)."""
    v, omega = episode.command[1:, ..., 0], episode.command[1:, ..., 2]
    fast = np.clip(v / 0.08, 0, 1)
    straight = 1 - np.sqrt(np.minimum(1, np.abs(omega) * 0.095 / 2 / 0.08))
    free = 1 - np.minimum(1, episode.infrared[1:].max(axis=3) / 30.18)
    return (fast * straight * free - episode.collided[1:]).mean(axis=(0, 2))


def gathers(episode):
    """Return how much nearer to the centre of all robots are in the last third, on average."""
    place = episode.pose[..., :2]
    spread = np.linalg.norm(place - place.mean(axis=2, keepdims=True), axis=3).mean(axis=2)
    return 1 - spread[-len(spread) // 3:].mean(axis=0) / spread[0]


TEXTS = {'evolved': 'CMA-ES', 'searched': 'best of {} random weights',
         'rule': 'rule written by hand', 'random': 'random weights'}
OTHERS = {'rule': '--', 'searched': '-.', 'random': ':'}  # and their lines in the picture


PROBLEMS = {
    'avoid': lambda: Problem(BOX, ['infrared'], sbot.network('perceptron', ['infrared']), 600,
                             ['command', 'collided', 'infrared'], avoids,
                             entry_of('avoid_obstacles')),
    'aggregate': lambda: Problem(
        'evolved_aggregation', ['infrared', 'neighbours'],
        sbot.network('perceptron', ['infrared', 'neighbours']), 500, ['pose'], gathers,
        entry_of('aggregate')),
}


class Judge:
    """Scores of candidates, each in the same few worlds."""

    def __init__(self, problem, candidates, arenas, threads):
        self.problem, self.arenas = problem, arenas
        self.worlds = sbot.Worlds(problem.scenario, candidates * arenas, sense=problem.sense,
                                  threads=threads)

    def __call__(self, weights, seeds):
        """Return scores (candidates, arenas) of weights (candidates, W) at seeds (arenas,)."""
        p = self.problem
        self.worlds.reset(np.tile(seeds, len(weights)))
        episode = self.worlds.run(p.network, np.repeat(weights, self.arenas, axis=0), p.ticks,
                                  keep=p.keep)
        return p.score(episode).reshape(len(weights), self.arenas)


def evolve(problem, generations, population, seed, threads, checkpoint=None):
    """Return the best weights (W,) and the scores (generations, population).

    A search goes on from the file ``checkpoint``, if there is one, with the same bits.
    """
    rng = np.random.default_rng(seed)
    judge = Judge(problem, population, ARENAS, threads)
    search = cma.CMAEvolutionStrategy(
        np.zeros(problem.network.weight_count), 0.7,
        {'popsize': population, 'seed': seed, 'verbose': -9})
    history = []
    if checkpoint is not None and checkpoint.exists():
        search, rng, history = pickle.loads(checkpoint.read_bytes())
    while len(history) < generations:
        weights = np.array(search.ask())
        scores = judge(weights, rng.choice(TRAINING_SEEDS, ARENAS, replace=False)).mean(axis=1)
        search.tell(list(weights), (-scores).tolist())
        history.append(scores)
        if checkpoint is not None:
            new = checkpoint.with_suffix('.new')
            new.write_bytes(pickle.dumps((search, rng, history)))
            new.replace(checkpoint)  # whoever stops this finds an old one or a new one, whole
    return search.result.xfavorite, np.array(history)


def search_at_random(problem, generations, population, seed, threads):
    """Return the best of as many random weights as ``evolve`` judges, each in as many worlds."""
    rng = np.random.default_rng(seed)
    judge = Judge(problem, population, ARENAS, threads)
    best, found = -np.inf, None
    for _ in range(generations):
        weights = rng.normal(size=(population, problem.network.weight_count))
        scores = judge(weights, rng.choice(TRAINING_SEEDS, ARENAS, replace=False)).mean(axis=1)
        if scores.max() > best:
            best, found = scores.max(), weights[scores.argmax()]
    return found


def compare(problem, threads, **trained):
    """Return scores on fresh seeds, (20,) each, by name: trained weights, the rule, chance."""
    rng = np.random.default_rng(0)
    entry, rows = problem.rule, len(FRESH_SEEDS)
    weights = {name: (problem.network, found) for name, found in trained.items()}
    weights['rule'] = entry.rule_policy(), np.array(entry.rule.weights)
    weights['random'] = problem.network, rng.normal(size=(rows, problem.network.weight_count))
    worlds, scores = Judge(problem, 1, rows, threads).worlds, {}
    for name, (policy, values) in weights.items():
        worlds.reset(np.array(FRESH_SEEDS))
        scores[name] = problem.score(worlds.run(policy, values, problem.ticks, keep=problem.keep))
    return scores


def draw(history, scores, path, title):
    """Draw best and median fitness over generations, and what others score on fresh seeds."""
    figure, axes = plt.subplots(figsize=(7.0, 3.4), layout='constrained')
    generations = np.arange(1, len(history) + 1)
    axes.fill_between(generations, *np.percentile(history, [25, 75], axis=1), alpha=0.25,
                      color='C0', linewidth=0,
                      label='middle half of the candidates')
    axes.plot(generations, history.max(axis=1), color='C1', label='best candidate')
    axes.plot(generations, np.median(history, axis=1), color='C0', label='median candidate')
    for name, line in OTHERS.items():
        axes.axhline(scores[name].mean(), color='0.5', linestyle=line, linewidth=1.2,
                     label=f'{TEXTS[name].format(history.size)}, {len(FRESH_SEEDS)} fresh seeds')
    axes.set(xlabel='generation', ylabel='fitness (no unit)', xlim=(1, len(history)))
    axes.set_title(title, loc='left')
    axes.spines[['top', 'right']].set_visible(False)
    figure.legend(frameon=False, ncols=2, loc='outside lower left')
    figure.savefig(path, dpi=150)
    plt.close(figure)


def main(arguments=None):
    """Read the command line, evolve, write, and print the margin."""
    parser = argparse.ArgumentParser(allow_abbrev=False, description=__doc__.splitlines()[0])
    parser.add_argument('problem', choices=PROBLEMS, help='what the s-bots should do')
    parser.add_argument('-o', '--output', type=Path, default=Path('evolved'),
                        help='folder for the network and its learning curve (default: evolved)')
    parser.add_argument('--generations', type=int, default=40, help='(default: 40)')
    parser.add_argument('--population', type=int, default=24,
                        help='networks in a generation (default: 24)')
    parser.add_argument('--seed', type=int, default=2, help='seed of the search (default: 2)')
    parser.add_argument('--threads', type=int, default=2, help='(default: 2)')
    parser.add_argument('--checkpoint', type=Path, metavar='FILE',
                        help='written after each generation; if it is there, go on from it')
    given = parser.parse_args(arguments)
    problem = PROBLEMS[given.problem]()
    began = time.perf_counter(), time.process_time()
    weights, history = evolve(problem, given.generations, given.population, given.seed,
                              given.threads, given.checkpoint)
    wall, used = time.perf_counter() - began[0], time.process_time() - began[1]
    searched = search_at_random(problem, given.generations, given.population, given.seed,
                                given.threads)
    scores = compare(problem, given.threads, evolved=weights, searched=searched)
    given.output.mkdir(parents=True, exist_ok=True)
    sbot.save_network(given.output / 'network.json', problem.network, weights,
                      scenario=problem.scenario)
    draw(history, scores, given.output / 'fitness.png',
         f'One evolution: {given.population} candidates a generation, {ARENAS} worlds each')
    print(f'{history.size} candidates in {wall:.1f} s, {used:.1f} s of processor time')
    print(f'on {len(FRESH_SEEDS)} fresh seeds:')
    for name, text in TEXTS.items():
        wins = int((scores['evolved'] > scores[name]).sum())
        print(f'  {text.format(history.size):30} {scores[name].mean():6.3f}'
              + (f', evolved is better in {wins}' if name != 'evolved' else ''))
    print(f'wrote {given.output}/network.json and fitness.png')
    return scores


if __name__ == '__main__':
    main()
