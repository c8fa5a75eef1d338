"""Proof of learning: policies trained with several seeds, and examined on seeds never seen."""
