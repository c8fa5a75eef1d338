# SPDX-License-Identifier: Apache-2.0
"""Regression tests: replay of recordings, golden bags, pytest plugin."""
