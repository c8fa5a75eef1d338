"""Keys of machine code: levels of processors, versions."""

import pytest
from numba.core.registry import cpu_target

from sbot_common.compiled import keys

V2 = '+cx16,+popcnt,+sahf,+sse3,+sse4.1,+sse4.2,+ssse3'
V3 = f'{V2},+avx,+avx2,+bmi,+bmi2,+f16c,+fma,+lzcnt,+movbe'


@pytest.fixture
def processor(monkeypatch):
    """A function that lets numba see another processor."""
    def see(triple: str, name: str, features: str) -> None:
        codegen = cpu_target.target_context.codegen()
        monkeypatch.setattr(type(codegen), 'magic_tuple', lambda _: (triple, name, features))
    monkeypatch.setattr(keys.numba.config, 'CPU_NAME', None)
    return see


@pytest.mark.parametrize(('triple', 'features', 'levels'), [
    ('x86_64-unknown-linux-gnu', f'{V3},-avx512f', ['x86-64-v3', 'x86-64-v2']),
    ('x86_64-unknown-linux-gnu', V3.replace('+fma', '-fma'), ['x86-64-v2']),
    ('x86_64-unknown-linux-gnu', V3.replace('+avx,', ''), ['x86-64-v2']),  # NUMBA_ENABLE_AVX=0
    ('x86_64-unknown-linux-gnu', V2.replace('+popcnt,', ''), []),
    ('aarch64-unknown-linux-gnu', '-sve', ['generic']), ('arm64-apple-darwin', '', ['generic']),
    ('riscv64-unknown-linux-gnu', '+m', [])])
def test_levels_that_a_processor_has(processor, triple, features, levels):
    processor(triple, 'any', features)
    assert keys.usable_levels() == levels


@pytest.mark.parametrize(('name', 'levels'), [
    ('x86-64-v2', ['x86-64-v2']), ('znver3', []), ('generic', [])])
def test_a_processor_that_is_asked_for_is_the_only_one(processor, monkeypatch, name, levels):
    monkeypatch.setattr(keys.numba.config, 'CPU_NAME', name)
    processor('x86_64-unknown-linux-gnu', name, V3)
    assert keys.usable_levels() == levels


def test_a_level_is_for_all_builds_of_a_version_but_not_for_others(monkeypatch):
    before, own = keys.shipped_key('x86-64-v3'), keys.own_key()
    monkeypatch.setattr(keys.sys, 'version', '3.99.1 (of another distribution)')
    assert keys.shipped_key('x86-64-v3') == before
    assert keys.own_key() != own
    assert keys.shipped_key('x86-64-v2') != before
    real = keys.version
    for package in ('numba', 'llvmlite', 'numpy'):
        monkeypatch.setattr(keys, 'version', lambda name, package=package: (
            '99.1' if name == package else real(name)))
        assert keys.shipped_key('x86-64-v3') != before
