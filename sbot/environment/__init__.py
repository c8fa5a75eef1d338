"""What child processes and nodes of this process find: modules, other machines."""
