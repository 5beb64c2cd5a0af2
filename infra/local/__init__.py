"""`make run`: Parley on this machine, with an embedded engine in the place of AWS."""
