# SPDX-License-Identifier: Apache-2.0
"""Browser viewer: HTML page of a recording, or a live run."""
