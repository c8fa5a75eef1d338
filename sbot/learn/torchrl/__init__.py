"""TorchRL and BenchMARL on batches of worlds."""
