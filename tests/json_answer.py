"""What small servers of the tests answer with."""

import json
from http.server import BaseHTTPRequestHandler


def answer_json(request: BaseHTTPRequestHandler, told: object, status: int = 200) -> None:
    body = json.dumps(told).encode()
    request.send_response(status)
    request.send_header("Content-Type", "application/json")
    request.send_header("Content-Length", str(len(body)))
    request.end_headers()
    request.wfile.write(body)
