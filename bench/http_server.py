"""`python -m bench.http_server`: the app behind the local server, without queues or schedules.

Reads its configuration from the environment, prints its port, and ends with its standard input.
"""

from __future__ import annotations

import sys

from infra.local.gateway import Gateway
from infra.local.server import HttpServer, make_thread_safe


def main() -> None:
    """Serve on any free port until the parent closes the pipe."""
    import app as service

    make_thread_safe(service.app)
    server = HttpServer("127.0.0.1", 0)
    server.serve(Gateway(service.app))
    print(server.port, flush=True)
    sys.stdin.read()
    server.stop()


if __name__ == "__main__":
    main()
