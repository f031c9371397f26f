"""What the server counts, for Prometheus."""

from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING

from registry.require import require

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

_SECONDS = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30)
_ROWS = (1, 2, 4, 8, 16, 32, 64, 128, 256)


@dataclass(frozen=True)
class Metrics:
    """The metrics of one server, in a registry of their own."""

    registry: "CollectorRegistry"
    requests: "Counter"
    seconds: "Histogram"
    queued: "Histogram"
    rows: "Histogram"
    in_flight: "Gauge"
    ids: "Counter"
    version: "Gauge"
    reloads: "Counter"

    def count(self, code: int, since: float) -> None:
        """Count one inference request, answered or refused."""
        self.requests.labels(code).inc()
        self.seconds.observe(monotonic() - since)

    def batch(self, rows: int, wait: float) -> None:
        """Count one inference and the longest wait before it."""
        self.rows.observe(rows)
        self.queued.observe(wait)

    def write(self) -> bytes:
        """Write all of it in Prometheus's text format."""
        text: bytes = require("prometheus_client", extra="serve").generate_latest(self.registry)
        return text


def new_metrics() -> Metrics:
    """Make the metrics of one server."""
    prometheus = require("prometheus_client", extra="serve")
    registry = prometheus.CollectorRegistry()
    counter, gauge, histogram = prometheus.Counter, prometheus.Gauge, prometheus.Histogram
    prometheus.ProcessCollector(registry=registry)
    return Metrics(
        registry,
        requests=counter("pipeline_requests", "Inference requests.", ("code",), registry=registry),
        seconds=histogram(
            "pipeline_request_seconds", "Time to answer.", registry=registry, buckets=_SECONDS
        ),
        queued=histogram(
            "pipeline_queue_seconds",
            "Longest wait of a batch.",
            registry=registry,
            buckets=_SECONDS,
        ),
        rows=histogram(
            "pipeline_batch_rows", "Rows of an inference.", registry=registry, buckets=_ROWS
        ),
        in_flight=gauge(
            "pipeline_in_flight_requests", "Requests being answered.", registry=registry
        ),
        ids=counter("pipeline_lookup_ids", "Ids that requests sent.", registry=registry),
        version=gauge(
            "pipeline_model_version",
            "1 for the version that is live.",
            ("model", "version"),
            registry=registry,
        ),
        reloads=counter(
            "pipeline_reloads", "Changes of the live version.", ("outcome",), registry=registry
        ),
    )
