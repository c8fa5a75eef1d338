"""Rendering of episodes: images, pages that replay them, a live view in a browser."""
