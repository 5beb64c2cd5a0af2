"""The `probe` schedule: can askers reach the endpoint; page operators once per incident."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from chalicelib.domain.incident import Thresholds
from chalicelib.usecases.page_incident import deliver_pages
from chalicelib.usecases.probe_endpoint import Probing, probe_endpoint

if TYPE_CHECKING:
    from chalicelib.jobs.needs import Needs


def probe(needs: Needs) -> dict[str, Any]:
    """Probe both addresses that askers use, record it, and send what is due to operators.

    Development is left out: the address would be somebody's own machine (seed).
    """
    settings = needs.settings
    probing = Probing(
        prober=needs.prober,
        incidents=needs.incidents,
        clock=needs.clock,
        thresholds=Thresholds(settings.probe_bad_threshold, settings.probe_good_threshold),
    )
    urls = [needs.probe_url(url) for url in sorted({settings.base_url, settings.poll_base_url})]
    probed = probe_endpoint(urls, probing=probing, active=not settings.is_local)
    summary, facts = probed.value, probed.facts
    if not settings.is_local:
        paged = deliver_pages(incidents=needs.incidents, pager=needs.publisher, clock=needs.clock)
        summary, facts = summary | paged.value, facts + paged.facts
    needs.observer.facts(facts)
    if summary.get("kind", "ok") != "ok":
        needs.observer.log.warning("the gate is not sound", extra={"data": summary})
        needs.observer.count("ProbeDown", int(summary["kind"] != "degraded"))
    needs.observer.count("ProbeRan")
    needs.observer.flush()
    return summary
