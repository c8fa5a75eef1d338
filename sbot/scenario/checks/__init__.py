"""Warnings of settings that would silently do nothing."""
