"""Parley as an MCP server: JSON-RPC over plain functions, stateless, no SDK.

`handler.handle` is the way in. Nothing here knows HTTP frameworks, AWS, settings or the clock.
"""
