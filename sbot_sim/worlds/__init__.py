# SPDX-License-Identifier: Apache-2.0
"""Phases of a tick: compiled functions of a batch of worlds; batches change no bit of a world."""
