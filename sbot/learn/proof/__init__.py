# SPDX-License-Identifier: Apache-2.0
"""Evaluation of learning: policies trained with several seeds, and tested on unseen seeds."""
