"""What the server takes on at once."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """Bounds that keep a busy server answering.

    Attributes:
        delay: Seconds that a request may wait for others to join it, unless the server is idle.
        queue: Requests that may wait; the next one is told to come back.
        timeout: Seconds that a request may take before it is given up.
        body: Bytes of a request's body.
        drain: Seconds of notice after SIGTERM: requests are answered, clients are asked to leave.
    """

    delay: float = 0.001
    queue: int = 512
    timeout: float = 30.0
    body: int = 64 << 20
    drain: float = 1.0
