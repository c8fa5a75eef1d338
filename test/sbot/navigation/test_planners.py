"""The planners of benchmark/navigation/planners, which the benchmark compares with."""

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest

import sbot
from sbot.navigation.benchmark import run_controllers, scene_sources
from sbot.navigation.library import chosen_scenes, families
from sbot.sweeps.experiment import Options
from sbot_sim.world.geometry import make_world

FOLDER = Path(__file__).resolve().parents[3] / 'benchmark' / 'navigation' / 'planners'
PLANNERS = ['astar:AstarDwa', 'mppi:Mppi', *(
    ['astar:AstarOrca'] if importlib.util.find_spec('navground') else [])]
pytestmark = pytest.mark.forked
WALL = {'duration': 60, 'python_path': [str(FOLDER)], 'until': 'goal_reached',
        'sensors': {'scan_noise_std': 0.01},
        'world': {'bounds': [0, 0, 12, 10], 'rectangles': [
            {'center': [6, 3.5], 'size': [0.4, 7]}, {'center': [5, 7], 'size': [2.4, 0.4]}]}}


@pytest.mark.parametrize('planner', PLANNERS)
def test_a_planner_leaves_a_pocket_and_gives_the_same_bits_again(planner):
    one = {**WALL, 'robots': [{'pose': [3, 4, 0], 'goal': [9, 4], 'goal_tolerance': 0.5,
                               'controller': planner}]}
    first = sbot.run(one)
    assert first.summary['robots'][0]['goal_reached_s'] is not None
    assert not first.collided.any()
    assert sbot.run(one).summary['trajectory_sha256'] == first.summary['trajectory_sha256']


def test_a_row_has_the_parameters_of_a_planner(monkeypatch):
    monkeypatch.chdir(FOLDER)
    scenes = list(scene_sources(chosen_scenes(families(), ['hallway']), [3]))
    fixed = {'duration': 0.5, 'robots.*.parameters.ahead': 2.0}
    row, = run_controllers(scenes, ['astar:AstarDwa'], fixed, Options(jobs=1, progress=False))
    assert row['error'] is None
    assert row['set'] == fixed
    assert len(row['controller_sha256']) == 64


def test_one_plan_lets_robots_change_sides_of_a_corridor():
    # 1 m wide: nobody can pass, so two have to make room in a bay.
    walls = [{'center': [6, y], 'size': [8, 1.5]} for y in (0.75, 4.75)]
    walls[1] = {'center': [4, 3.25], 'size': [4, 1.5]}
    walls.append({'center': [9, 3.25], 'size': [2, 1.5]})
    robots = [{'pose': [1, 2, 0], 'goal': [11, 2]}, {'pose': [11, 2, 3.14], 'goal': [1, 2]}]
    run = sbot.run({'duration': 90, 'python_path': [str(FOLDER)], 'until': 'goal_reached',
                    'world': {'bounds': [0, 0, 12, 4], 'rectangles': walls},
                    'robots': [{**each, 'goal_tolerance': 0.5, 'controller': 'pibt:Pibt'}
                               for each in robots]})
    assert all(each['goal_reached_s'] is not None for each in run.summary['robots'])
    assert not run.collided.any()


@pytest.fixture
def planners(monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))
    for name in ('astar', 'pibt'):
        sys.modules.pop(name, None)


@pytest.mark.usefixtures('planners')
def test_in_no_step_two_robots_are_in_one_cell_or_change_places():
    from pibt import Graph, next_cells
    graph = Graph(make_world((0, 0, 4, 4)), 0.3, 1.0, np.array([0.5, 0.5]))
    rng = np.random.default_rng(6)
    at, ends = rng.permutation(16)[:12].tolist(), rng.permutation(16)[:12].tolist()
    steps = [graph.steps(end) for end in ends]
    for _ in range(30):
        to = next_cells(graph, at, steps, rng.permutation(12).tolist())
        assert len(set(to)) == 12
        assert all(b == a or b in graph.near[a] for a, b in zip(at, to, strict=True))
        moved = {(a, b) for a, b in zip(at, to, strict=True) if a != b}
        assert not moved & {(b, a) for a, b in moved}
        at = to


@pytest.mark.usefixtures('planners')
def test_the_cheapest_way_avoids_dear_cells():
    from astar import search
    prices = np.ones((5, 9))
    prices[:4, 4] = 50.0
    prices[:, 6] = np.inf, np.inf, 1.0, np.inf, np.inf
    towards, at, way = search(prices, 26, 18), 18, [18]
    while at != 26:
        at = int(towards[at])
        way.append(at)
    assert (4, 4) in {divmod(cell, 9) for cell in way}  # round the dear column
    assert (2, 6) in {divmod(cell, 9) for cell in way}
    assert search(np.where(prices > 9, np.inf, prices)[:4], 26, 18)[18] == -1
