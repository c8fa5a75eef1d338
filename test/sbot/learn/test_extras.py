"""What is not installed is named, with the extra that brings it."""

import sys

import pytest

import sbot
from sbot_common.errors import InputError


@pytest.mark.parametrize(('call', 'module', 'library', 'words'), [
    (lambda: sbot.learn.sb3_env('single_robot', 2), 'stable_baselines', 'torch',
     r"sb3_env\(\) needs stable-baselines3: pip install '\.\[train\]'"),
    (lambda: sbot.learn.sb3_network(None), 'stable_baselines', 'torch',
     r"sb3_network\(\) needs stable-baselines3: pip install '\.\[train\]'"),
    (lambda: sbot.learn.torchrl_env('single_robot', 2), 'torchrl', 'torch',
     r"torchrl_env\(\) needs torchrl: pip install '\.\[marl\]'"),
    (lambda: sbot.learn.benchmarl_task('single_robot'), 'benchmarl',
     'benchmarl.environments.common',
     r"benchmarl_task\(\) needs benchmarl: pip install '\.\[marl\]'"),
    (lambda: sbot.learn.vector_env('single_robot', 2), 'gymnasium_api', 'gymnasium.vector',
     r"vector_env\(\) needs gymnasium: pip install '\.\[learn\]'"),
    (lambda: sbot.learn.parallel_env('single_robot'), 'parallel', 'pettingzoo',
     r"parallel_env\(\) needs pettingzoo: pip install '\.\[learn\]'")])
def test_a_missing_library(monkeypatch, call, module, library, words):
    monkeypatch.delitem(sys.modules, f'sbot.learn.{module}', raising=False)
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(InputError, match=words):
        call()
