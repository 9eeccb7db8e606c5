"""What a lie sees of one connection (lies.py), and the true answers that it may begin with."""
import json
import random
import socket
import time

LONGEST_S = 120  # Of one connection: whoever forgets to stop a server still gets his machine back.
SERIES = {"__name__": "node_disk_reads_completed_total", "instance": "fs1:9100", "device": "sda"}
HOSTS = b'{"status":"success","data":["fs1:9100"]}'


class Gone(Exception):
    """The peer has hung up, or the server was stopped."""


class Connection:
    """What a behaviour sees of one connection."""

    def __init__(self, server, sock):
        self.server, self.sock, self.began = server, sock, time.monotonic()
        self.random = random.Random(f"{server.behaviour}/{server.seed}")
        self.line, self.buffer = b"", b""

    def check(self):
        if self.server.stopping.is_set() or time.monotonic() - self.began > LONGEST_S:
            raise Gone

    def send(self, data):
        view = memoryview(data)
        while view:
            self.check()
            try:
                view = view[self.sock.send(view):]
            except socket.timeout:
                continue
            except OSError:
                raise Gone from None

    def receive(self):
        """Some bytes; none at the end."""
        while True:
            self.check()
            try:
                return self.sock.recv(65536)
            except socket.timeout:
                continue
            except OSError:
                raise Gone from None

    def read_request(self):
        """False when the peer has no more to ask."""
        while b"\r\n\r\n" not in self.buffer:
            data = self.receive()
            if not data or len(self.buffer) > 1 << 20:
                return False
            self.buffer += data
        head, _, self.buffer = self.buffer.partition(b"\r\n\r\n")
        self.line = head.split(b"\r\n")[0]
        length = 0
        for header in head.split(b"\r\n")[1:]:
            name, _, value = header.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        while length > len(self.buffer):
            data = self.receive()
            if not data:
                return False
            self.buffer += data
        self.buffer = self.buffer[length:]
        self.server.count(self.line)
        return True

    def pause(self, seconds):
        """Watches the peer meanwhile: whoever hangs up ends it."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.check()
            try:
                if not self.sock.recv(65536, socket.MSG_PEEK):
                    raise Gone
                time.sleep(0.02)
            except socket.timeout:
                continue
            except OSError:
                raise Gone from None

    def forever(self):
        while True:
            self.pause(1)

    def good_body(self):
        if b"/label/" in self.line:
            return HOSTS
        values = [[1795202494.842 + i, str(self.random.randrange(1000) + 1000 * i)] for i in range(20)]
        result = [{"metric": SERIES, "values": values}]
        return json.dumps({"status": "success", "data": {"resultType": "matrix", "result": result}}).encode()

    def answer(self, body=None, status=b"200 OK", headers=(), version=b"HTTP/1.1", length=True):
        body = self.good_body() if body is None else body
        lines = [version + b" " + status, b"Content-Type: application/json", *headers]
        if length:
            lines.append(b"Content-Length: %d" % len(body))
        self.send(b"\r\n".join(lines) + b"\r\n\r\n" + body)

    def head(self, *headers, status=b"200 OK"):
        self.send(b"\r\n".join([b"HTTP/1.1 " + status, *headers]) + b"\r\n\r\n")

    def noise(self, count):
        return self.random.randbytes(count)
