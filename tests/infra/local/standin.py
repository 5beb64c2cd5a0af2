"""A small Chalice app that stands in for the service where the runner itself is tested."""

from __future__ import annotations

import threading
from typing import Any

from chalice.app import Chalice, CORSConfig, Rate, Response, SQSEvent


def echo_app(barrier: threading.Barrier | None = None) -> Chalice:
    """Says what it sees. `barrier` makes concurrent requests meet inside the view."""
    app = Chalice("standin", configure_logs=False)

    @app.route("/echo/{name}", methods=["GET", "POST"], content_types=["*/*"])
    def echo(name: str) -> dict[str, Any]:
        if barrier is not None:
            barrier.wait(10)
        request = app.current_request
        assert request is not None
        return {
            "name": name,
            "method": request.method,
            "query": request.to_dict()["query_params"],
            "header": request.headers.get("x-probe"),
            "body": bytes(request.raw_body).decode(),  # type: ignore[arg-type]
            "invocation": app.lambda_context.aws_request_id,
        }

    @app.route("/cookies", methods=["GET"])
    def cookies() -> Response:
        return Response("", status_code=204, headers={"Set-Cookie": ["a=1", "b=2"]})

    @app.route("/image", methods=["GET"])
    def image() -> Response:
        return Response(b"\x89PNG\x00", headers={"Content-Type": "image/png"})

    @app.route("/page", methods=["GET"])
    def page() -> Response:
        return Response("<p>é</p>", headers={"Content-Type": "text/html; charset=utf-8"})

    @app.route("/broken", methods=["GET"])
    def broken() -> dict[str, Any]:
        return {"secret detail": object()}

    @app.route("/shared", methods=["PUT"], cors=CORSConfig(allow_origin="https://a.example"))
    def shared() -> dict[str, Any]:
        return {}

    return app


def job_app() -> tuple[Chalice, list[Any]]:
    """An app with a queue handler and two schedules, and the list of what they were called with."""
    app = Chalice("standin", configure_logs=False)
    calls: list[Any] = []

    @app.on_sqs_message(queue="parley-timers", batch_size=10)
    def run_timers(event: SQSEvent) -> dict[str, Any]:
        calls.append(event.to_dict())
        return {"batchItemFailures": []}

    @app.schedule(Rate(5, unit=Rate.MINUTES))
    def cleanup(event: Any) -> None:
        calls.append(event.to_dict())

    @app.schedule("rate(1 hour)")
    def probe(event: Any) -> None:
        calls.append(event.to_dict())
        raise RuntimeError("the endpoint is down")

    return app, calls
