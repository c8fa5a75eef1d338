# SPDX-License-Identifier: Apache-2.0
"""Reading of files and text from anywhere, within limits."""
