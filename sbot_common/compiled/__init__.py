"""Compilation by numba: decorators, machine code on disk, threads; alone uses its inside."""

from sbot_common.compiled import light_numba  # noqa: F401 - numba must come from here first
