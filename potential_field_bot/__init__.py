# SPDX-License-Identifier: Apache-2.0
"""Document 001: the leader/follower potential-field controller."""
