"""Helpers that lie beside the tests, as modules."""

from pathlib import Path

import pytest
from loaded import load

HERE = Path(__file__).parent
# So that test files may import them: pytest imports by path, without a search path.
load(HERE / 'elementary_header.py')
oracle, cases = load(HERE / 'document_oracle.py'), load(HERE / 'document_cases.py')


@pytest.fixture(scope='session')
def oracles(tmp_path_factory: pytest.TempPathFactory) -> list:
    """The document's listings, compiled once for each variant of the constants."""
    return compiled(tmp_path_factory, machine_functions=False)


@pytest.fixture(scope='session')
def machine_oracles(tmp_path_factory: pytest.TempPathFactory) -> list:
    """The same with the sine, cosine and inverse tangent of this machine's libm."""
    return compiled(tmp_path_factory, machine_functions=True)


def compiled(tmp_path_factory: pytest.TempPathFactory, machine_functions: bool) -> list:
    reason = oracle.unavailable()
    if reason:
        pytest.skip(reason)
    return [oracle.Oracle(tmp_path_factory.mktemp('listings'), constants, machine_functions)
            for constants in cases.VARIANTS]
