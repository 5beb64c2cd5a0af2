"""What builds, checks and runs Parley from outside; nothing in `chalicelib` imports it."""
