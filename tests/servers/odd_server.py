#!/usr/bin/env python3
"""A server that answers an import from Prometheus wrongly, in one of several ways, on the loopback interface.

usage: odd_server.py MODE PORT      odd_server.py free: prints a port that nobody has"""
import http.server
import json
import socket
import socketserver
import sys

SERIES = {"__name__": "node_disk_reads_completed_total", "instance": "fs1:9100", "device": "sda"}


def answer_with(*values):
    points = [[1795202494.842 + i, value] for i, value in enumerate(values)]
    result = [{"metric": SERIES, "values": points}] if values else []
    return json.dumps({"status": "success", "data": {"resultType": "matrix", "result": result}}).encode()


GOOD = answer_with("5", "6")
LOGIN = b"<html><head><title>Log in</title></head></html>"
TOO_MANY = b'{"status":"error","errorType":"execution","error":"query processing would load too many samples into memory"}'
# Status, body, and the length that is announced.
REPLIES = {
    "401": (401, b"Unauthorized", None),
    "404": (404, b"404 page not found", None),
    "html": (200, LOGIN, None),
    "422": (422, TOO_MANY, None),
    "cut": (200, GOOD[:170], len(GOOD)),
    "half": (200, GOOD[:170], None),
    "empty": (200, answer_with(), None),
    "negative": (200, answer_with("5", "-6", "many"), None),
}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        mode = sys.argv[1]
        status, body, length = REPLIES[mode]
        if "/label/" in self.path and mode not in ("401", "404", "html"):
            status, body, length = 200, b'{"status":"success","data":["fs1:9100"]}', None
        self.send_response(status)
        self.send_header("Content-Length", str(length or len(body)))
        self.end_headers()
        self.wfile.write(body)
        self.wfile.flush()
        if length:
            self.close_connection = True


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True


if sys.argv[1] == "free":
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        print(probe.getsockname()[1])
else:
    Server(("127.0.0.1", int(sys.argv[2])), Handler).serve_forever()
