"""Small neural networks as robot controllers, compiled: what swarm evolution and learning use."""
