"""Parley: the place where software agents ask people."""
