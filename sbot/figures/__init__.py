# SPDX-License-Identifier: Apache-2.0
"""Figures and animations of a run (matplotlib)."""
