"""A server that takes Prometheus' remote write and keeps every sample: snappy blocks and protobuf, decoded by hand."""
import http.server
import socketserver
import struct
import threading


def varint(data, at):
    shift = result = 0
    while True:
        byte = data[at]
        at += 1
        result |= (byte & 127) << shift
        if byte < 128:
            return result, at
        shift += 7


def unsnappy(data):
    """A block of snappy (google/snappy, format_description.txt). Raises IndexError or ValueError when it is none."""
    length, at = varint(data, 0)
    out = bytearray()
    while at < len(data):
        tag = data[at]
        at += 1
        if tag & 3 == 0:  # literal
            size = tag >> 2
            if size >= 60:
                extra = size - 59
                size = int.from_bytes(data[at:at + extra], "little")
                at += extra
            out += data[at:at + size + 1]
            at += size + 1
            continue
        if tag & 3 == 1:
            size, offset = (tag >> 2 & 7) + 4, (tag >> 5) << 8 | data[at]
            at += 1
        else:
            width = 2 if tag & 3 == 2 else 4
            size, offset = (tag >> 2) + 1, int.from_bytes(data[at:at + width], "little")
            at += width
        if not 0 < offset <= len(out):
            raise ValueError("snappy: an offset beyond the beginning")
        for _ in range(size):
            out.append(out[-offset])
    if len(out) != length:
        raise ValueError("snappy: another length than announced")
    return bytes(out)


def fields(data):
    """(number, value) of a protobuf message."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        number, wire = key >> 3, key & 7
        if wire == 0:
            value, at = varint(data, at)
        elif wire == 1:
            value, at = data[at:at + 8], at + 8
        elif wire == 2:
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
            if len(value) != size:
                raise ValueError("protobuf: cut off")
        else:
            raise ValueError(f"protobuf: wire type {wire}")
        yield number, value


def samples(request):
    """((labels, milliseconds), value) of a write request."""
    for _, series in fields(request):
        labels, points = [], []
        for number, value in fields(series):
            if number == 1:
                labels.append(tuple(text.decode() for _, text in fields(value)))
            else:
                point = dict(fields(value))
                points.append((point.get(2, 0), struct.unpack("<d", point.get(1, bytes(8)))[0]))
        for ms, value in points:
            yield (tuple(labels), ms), value


class Receiver(socketserver.ThreadingMixIn, http.server.HTTPServer):
    """`taken`: {(labels, ms): value}; `conflicts`: samples that came again with another value; `delay_s` before each answer."""

    daemon_threads = True

    def __init__(self, delay_s=0.0):
        super().__init__(("127.0.0.1", 0), Handler)
        self.taken, self.conflicts, self.broken, self.delay_s, self.lock = {}, [], [], delay_s, threading.Lock()
        self.url = f"http://127.0.0.1:{self.server_port}"
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    def handle_error(self, *_):
        pass  # A sender that was killed breaks its connection.

    def close(self):
        self.shutdown()
        self.server_close()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 60

    def log_message(self, *_):
        pass

    def do_POST(self):
        size = int(self.headers["Content-Length"])
        body = self.rfile.read(size)
        if len(body) < size:
            return  # Its sender was killed.
        server = self.server
        try:
            got = list(samples(unsnappy(body)))
        except (IndexError, ValueError, struct.error) as error:
            server.broken.append(str(error))
            got = []
        with server.lock:
            for key, value in got:
                if server.taken.setdefault(key, value) != value:
                    server.conflicts.append((key, value))
        if server.delay_s:
            threading.Event().wait(server.delay_s)
        self.send_response(204)
        self.send_header("Content-Length", "0")
        self.end_headers()
