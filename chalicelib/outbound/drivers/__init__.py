"""Agents that Parley drives itself: `direct` needs no model, `bedrock` asks one."""
