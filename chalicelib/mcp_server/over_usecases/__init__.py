"""The tools' port (`mcp_server.backend`) over Parley's use cases; what each principal may reach is
decided here."""
