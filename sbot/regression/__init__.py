"""Replay of recordings through controllers, golden bags, the pytest plugin."""
