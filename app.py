"""Lambda's entry points: the REST API and every other trigger, each three lines long.

Triggers stand here and not in blueprints, since Chalice would deploy those under names that never
import this module (facts: Chalice issue 1566). `create_app` builds a fresh app each time: a
Blueprint can be registered only once.
"""

from __future__ import annotations

import os
from typing import Any

from chalice.app import Chalice, CloudWatchEvent, Rate, SQSEvent

from chalicelib.api.needs import Needs
from chalicelib.api.routes import register_routes
from chalicelib.bootstrap import Services


def create_app(services: Needs) -> Chalice:
    """A new app with all routes, over the given services."""
    made = Chalice(app_name="parley", configure_logs=False)
    register_routes(made, services)
    return made


services = Services()
app = create_app(services)

if "AWS_LAMBDA_FUNCTION_NAME" in os.environ:
    services.warm()


@app.lambda_function(name="poll")
def poll(event: dict[str, Any], _context: Any) -> dict[str, Any]:
    """The poll plane's function: a proxy event of its own small REST API."""
    from chalicelib.api.poll_plane import answer_poll

    return answer_poll(event, services)


@app.on_sqs_message(queue="parley-timers", batch_size=10, name="run_timers")
def run_timers(event: SQSEvent) -> dict[str, Any]:
    """Deadlines and reminders."""
    from chalicelib.jobs import timers

    return timers.run_timers(event.to_dict(), services)


@app.on_sqs_message(queue="parley-notices", batch_size=10, name="deliver_notices")
def deliver_notices(event: SQSEvent) -> dict[str, Any]:
    """Notices to people."""
    from chalicelib.jobs import notices

    return notices.deliver_notices(event.to_dict(), services)


@app.on_sqs_message(queue="parley-turns", batch_size=1, name="run_turns")
def run_turns(event: SQSEvent) -> dict[str, Any]:
    """Turns of agents that Parley drives."""
    from chalicelib.jobs import turns

    return turns.run_turns(event.to_dict(), services)


@app.schedule(Rate(5, unit=Rate.MINUTES), name="cleanup")
def cleanup(_event: CloudWatchEvent) -> dict[str, Any]:
    """The net under timers, notices and sessions."""
    from chalicelib.jobs import cleanup as job

    return job.cleanup(services)


@app.schedule(Rate(5, unit=Rate.MINUTES), name="probe")
def probe(_event: CloudWatchEvent) -> dict[str, Any]:
    """Can askers reach the endpoint?"""
    from chalicelib.jobs import probe as job

    return job.probe(services)
