"""One page over all memory systems: who has what in which."""
