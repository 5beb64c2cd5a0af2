"""A synchronous MCP client for upstream servers of every era; `client.py` is the way in."""
