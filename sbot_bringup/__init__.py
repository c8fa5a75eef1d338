"""Scenarios, runs, bring-up, record and replay, pictures: the only place that knows all packages."""
