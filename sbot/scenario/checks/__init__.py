"""Warnings about settings that have no effect."""
