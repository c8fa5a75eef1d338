# SPDX-License-Identifier: Apache-2.0
"""Robot motion: differential drive, impulses, wind."""
