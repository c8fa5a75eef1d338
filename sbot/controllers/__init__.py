# SPDX-License-Identifier: Apache-2.0
"""Controllers by name: shipped ones, those of installed packages, and the user's own."""
