# SPDX-License-Identifier: Apache-2.0
"""Tasks that come with the package, each with scenes, reward, metric and hand-written rule."""
