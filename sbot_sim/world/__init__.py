# SPDX-License-Identifier: Apache-2.0
"""The fixed world and the robots' bodies, and spatial look-up of both."""
