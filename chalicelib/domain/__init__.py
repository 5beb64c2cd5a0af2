"""The rules: pure functions of (state, input, now). No I/O, no clock, no AWS."""
