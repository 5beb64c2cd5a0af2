"""Parley's tools, one file each, against the port in `mcp_server.backend`."""
