"""Compilation by numba: decorators, machine code on disk, threads; alone uses numba internals."""
