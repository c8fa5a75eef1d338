"""Evaluation of learning: policies trained with several seeds, and tested on unseen seeds."""
