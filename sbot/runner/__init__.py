# SPDX-License-Identifier: Apache-2.0
"""The in-process run of a scenario: loop, history, summary."""
