# SPDX-License-Identifier: Apache-2.0
"""One world or thousands, stepped from Python or by compiled policies."""
