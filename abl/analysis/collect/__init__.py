"""One walk over an agent that records what is read, written and referred to, and where."""
