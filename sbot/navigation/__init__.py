# SPDX-License-Identifier: Apache-2.0
"""Navigation benchmark: a library of scenes, metrics of the field, and a table of controllers."""
