"""Drawing of the arena, a subject each."""
