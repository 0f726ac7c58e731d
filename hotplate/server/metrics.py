"""Figures for Prometheus. Labels take few values: routes and not addresses, no names of users."""

from collections.abc import Callable, Iterator
from typing import Any, Final

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    GCCollector,
    Histogram,
    PlatformCollector,
    ProcessCollector,
    generate_latest,
)
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)
from prometheus_client.registry import Collector

from hotplate.engine.embedded import Embedded
from hotplate.engine.worker.lease import EXPIRY
from hotplate.server.connections import Connections
from hotplate.server.watchdog import BOUNDS, Watchdog
from hotplate.store.monitoring.queue import Standing

_METHODS: Final = frozenset(("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"))
_REQUEST_SECONDS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)
_DATABASE_SECONDS: Final = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1, 5)


class Metrics:
    """The figures of one process. Any thread may add to them."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        for collector in (ProcessCollector, PlatformCollector, GCCollector):
            collector(registry=self._registry)
        self._requests = Counter(
            "hotplate_requests",
            "Answered requests.",
            ("method", "route", "status"),
            registry=self._registry,
        )
        self._request_seconds = Histogram(
            "hotplate_request_seconds",
            "Time from a request to the end of its answer.",
            ("method", "route"),
            buckets=_REQUEST_SECONDS,
            registry=self._registry,
        )
        self._database_seconds = Histogram(
            "hotplate_database_seconds",
            "Time of transactions: those that may write, and those that read.",
            ("kind",),
            buckets=_DATABASE_SECONDS,
            registry=self._registry,
        )
        self._standing: Standing | None = None

    def watch(self, engine: Embedded) -> None:
        """Take figures of an engine from now on."""
        engine.database.observe = self._observe_transaction
        figures = getattr(engine.dispatcher, "figures", None)
        if figures is not None:
            self._registry.register(_BrokerFigures(figures))
        self._registry.register(_EngineFigures(engine, lambda: self._standing))

    def watch_connections(self, connections: Connections) -> None:
        """Take figures of the connections of a server."""
        self._registry.register(_ConnectionFigures(connections))

    def watch_disk(self, is_full: Callable[[], bool]) -> None:
        """Take the state of the database's disk."""
        gauge = Gauge(
            "hotplate_disk_full",
            "Whether the disk of the database is full, and only deletes are accepted.",
            registry=self._registry,
        )
        gauge.set_function(lambda: float(is_full()))

    def watch_loop(self, watchdog: Watchdog) -> None:
        """Take figures of the event loop."""
        self._registry.register(_LoopFigures(watchdog))

    def observe_request(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count an answered request; an empty route stands for addresses that lead nowhere."""
        method = method if method in _METHODS else "other"
        route = route.rstrip("/") or "none"
        self._requests.labels(method, route, str(status)).inc()
        self._request_seconds.labels(method, route).observe(seconds)

    def _observe_transaction(self, kind: str, seconds: float) -> None:
        self._database_seconds.labels(kind).observe(seconds)

    def text(self, standing: Standing | None) -> bytes:
        """Return all figures in Prometheus' own form. No standing: the database is away."""
        self._standing = standing
        return generate_latest(self._registry)


class _EngineFigures(Collector):
    """Figures that the engine keeps anyway, read when they are asked for."""

    def __init__(self, engine: Embedded, standing: Callable[[], Standing | None]) -> None:
        self._worker = engine.worker
        self._now = engine.tools.world.now
        self._standing = standing

    def collect(self) -> Iterator[Metric]:
        yield CounterMetricFamily(
            "hotplate_nodes_processed",
            "Nodes that this process claimed and worked on.",
            self._worker.processed,
        )
        yield GaugeMetricFamily(
            "hotplate_claims_held",
            "Nodes that this process has in hand.",
            self._worker.in_hand,
        )
        found = self._standing()
        yield GaugeMetricFamily(
            "hotplate_traversals_in_progress",
            "Stacks in progress in the whole database, nested ones included.",
            -1 if found is None else found.in_progress,
        )
        if found is not None:
            yield from self._of_the_database(found)

    def _of_the_database(self, found: Standing) -> Iterator[Metric]:
        nodes = GaugeMetricFamily(
            "hotplate_nodes", "Nodes in the whole database that are not done.", labels=["state"]
        )
        for state, count in found.nodes.items():
            nodes.add_metric([state.value], count)
        yield nodes
        yield GaugeMetricFamily(
            "hotplate_oldest_operation_seconds",
            "How long the oldest operation that is in progress has been so.",
            0.0 if found.oldest is None else max(0.0, self._now() - found.oldest),
        )
        yield GaugeMetricFamily(
            "hotplate_workers",
            "Processes on the database whose heartbeat is believed.",
            sum(silence < EXPIRY for silence in found.heartbeats),
        )


class _BrokerFigures(Collector):
    """What the dispatcher knows of its broker."""

    def __init__(self, figures: Any) -> None:
        self._figures = figures

    def collect(self) -> Iterator[Metric]:
        found = self._figures
        yield GaugeMetricFamily(
            "hotplate_broker_connected",
            "Whether this process is connected to the broker.",
            float(found.is_connected),
        )
        yield GaugeMetricFamily(
            "hotplate_queue_messages", "Messages that wait for a worker.", found.ready
        )
        yield GaugeMetricFamily(
            "hotplate_dead_letters", "Messages that were laid aside.", found.dead
        )
        yield CounterMetricFamily(
            "hotplate_messages_sent", "Messages that this process sent.", found.sent
        )
        yield CounterMetricFamily(
            "hotplate_messages_delivered", "Messages that this process took.", found.delivered
        )
        yield CounterMetricFamily(
            "hotplate_messages_redelivered",
            "Of these, messages that another worker had left.",
            found.redelivered,
        )


class _ConnectionFigures(Collector):
    """Figures that the server keeps of its connections."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def collect(self) -> Iterator[Metric]:
        yield GaugeMetricFamily(
            "hotplate_connections", "Connections that are open.", len(self._connections)
        )
        closed = CounterMetricFamily(
            "hotplate_connections_closed",
            "Connections that were refused, or closed because of what their clients did.",
            labels=("reason",),
        )
        for reason, number in dict(self._connections.closed).items():
            closed.add_metric((reason,), number)
        yield closed


class _LoopFigures(Collector):
    """How long the steps of the event loop take, and which were late."""

    def __init__(self, watchdog: Watchdog) -> None:
        self._watchdog = watchdog

    def collect(self) -> Iterator[Metric]:
        seconds = HistogramMetricFamily(
            "hotplate_loop_step_seconds", "Time of the steps of the event loop."
        )
        total, buckets = 0, []
        for bound, count in zip((*map(str, BOUNDS), "+Inf"), self._watchdog.counts, strict=True):
            total += count
            buckets.append((bound, float(total)))
        seconds.add_metric((), buckets, self._watchdog.seconds)
        yield seconds
        late = CounterMetricFamily(
            "hotplate_loop_late_steps",
            "Steps of the event loop that took more than 50 ms of the processor, by place.",
            labels=("place",),
        )
        for place, number in dict(self._watchdog.late).items():
            late.add_metric((place,), number)
        yield late
