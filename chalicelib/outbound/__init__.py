"""Calls to the outside: guarded HTTP, the prober, the MCP relay client."""
