# SPDX-License-Identifier: Apache-2.0
"""Compilation by numba: decorators, machine code on disk, threads; alone uses numba internals."""
