# SPDX-License-Identifier: Apache-2.0
"""Public API of ``import sbot``; ``sbot/__init__.py`` imports each part when it is first used."""
