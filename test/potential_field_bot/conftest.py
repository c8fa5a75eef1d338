"""Helpers that lie beside the tests, as modules."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

HERE = Path(__file__).parent


def load(name: str) -> ModuleType:
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, HERE / f'{name}.py')
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
    return sys.modules[name]


# So that test files may import them: pytest imports by path, without a search path.
load('elementary_header')
load('document_oracle')
load('document_cases')


@pytest.fixture(scope='session')
def oracles(tmp_path_factory: pytest.TempPathFactory) -> list:
    """The document's listings, compiled once for each variant of the constants."""
    return compiled(tmp_path_factory, machine_functions=False)


@pytest.fixture(scope='session')
def machine_oracles(tmp_path_factory: pytest.TempPathFactory) -> list:
    """The same with the sine, cosine and inverse tangent of this machine's libm."""
    return compiled(tmp_path_factory, machine_functions=True)


def compiled(tmp_path_factory: pytest.TempPathFactory, machine_functions: bool) -> list:
    oracle, cases = load('document_oracle'), load('document_cases')
    reason = oracle.unavailable()
    if reason:
        pytest.skip(reason)
    return [oracle.Oracle(tmp_path_factory.mktemp('listings'), constants, machine_functions)
            for constants in cases.VARIANTS]
