# SPDX-License-Identifier: Apache-2.0
"""The command `sbot`: argument parsers."""
