"""Signals that end a program: as exceptions, deferred during a tick, and with a limit of time.

A handler runs between any two lines of the main thread, also within another handler and where a
lock is held. So no handler here takes a lock: they set plain attributes and start bare threads.
Light to import, so that a program can answer signals from its start.
"""
