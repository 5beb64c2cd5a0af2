"""What an agent host sets up: the five variables in every place that a runtime reads, and a probe.

`python -m chalicelib.hostenv` is the command line. Nothing here needs AWS or the service itself.
"""
