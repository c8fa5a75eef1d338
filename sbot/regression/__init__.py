"""Regression tests: replay of recordings, golden bags, pytest plugin."""
