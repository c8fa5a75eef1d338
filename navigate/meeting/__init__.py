"""Meetings that go wrong: ways out of a block, and out of the way of what moves."""
