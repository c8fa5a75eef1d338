"""Document 001: the leader/follower potential-field controller."""
