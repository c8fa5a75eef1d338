"""Small neural networks as compiled robot controllers, for evolution and learning."""
