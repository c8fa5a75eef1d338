# SPDX-License-Identifier: Apache-2.0
"""Documents 003 and 000: wind fields, gusts, and the wakes that robots cast on each other."""
