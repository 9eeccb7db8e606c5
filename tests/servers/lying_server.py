#!/usr/bin/env python3
"""HTTP servers that lie: a catalogue of ways in which what listens at a URL may answer wrongly, endlessly or not at all.

    with lying_server.serve("gzip_bomb", seed=7) as server:
        subprocess.run([..., server.url], timeout=60)

`behaviours` names them all. A behaviour draws its sizes, cuts and words from its seed; every connection to one server sees the
same draws, so that a failure comes back with its name and seed. Servers listen on the loopback interface, only while the
`with` lasts. A server never keeps more than a few connections, and ends what it sends without end when the peer goes.

usage: lying_server.py                        prints the names
       lying_server.py BEHAVIOUR SEED [PORT]  serves one until it is killed, and prints its port first
"""
import socket
import sys
import threading
import time

import lies
from lying_connection import Connection, Gone

MOST_CONNECTIONS = 64

behaviours = sorted(lies.table)


class LyingServer:
    """Listens until `stop`, or the end of a `with`."""

    def __init__(self, name, seed, port=0):
        self.behaviour, self.seed = name, seed
        self.requests, self.lines = 0, []
        self.stopping = threading.Event()
        self._lock = threading.Lock()
        self._places = threading.Semaphore(MOST_CONNECTIONS)
        self._listener = socket.socket()
        self._listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._listener.bind(("127.0.0.1", port))
        self._listener.listen(64)
        self._listener.settimeout(0.2)
        self.port = self._listener.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self._accepting = threading.Thread(target=self._accept, daemon=True)
        self._accepting.start()

    def count(self, line):
        with self._lock:
            self.requests += 1
            if len(self.lines) < 1000:
                self.lines.append(line)

    def stop(self):
        self.stopping.set()
        self._accepting.join()
        self._listener.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def _accept(self):
        while not self.stopping.is_set():
            try:
                sock, _ = self._listener.accept()
            except socket.timeout:
                continue
            except OSError:
                return
            if not self._places.acquire(blocking=False):
                sock.close()
                continue
            threading.Thread(target=self._serve, args=(sock,), daemon=True).start()

    def _serve(self, sock):
        function, reads, keeps = lies.table[self.behaviour]
        try:
            with sock:
                sock.settimeout(0.2)
                connection = Connection(self, sock)
                try:
                    while True:
                        if reads and not connection.read_request():
                            return
                        function(connection)
                        if not keeps:
                            return
                except (Gone, ValueError):
                    pass
        finally:
            self._places.release()


def serve(name, seed, port=0):
    """A server of that behaviour, on a port of its own unless one is given; it listens from now on."""
    return LyingServer(name, seed, port)


def main():
    if len(sys.argv) < 3:
        print("\n".join(behaviours))
        return
    with serve(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 0) as server:
        print(server.port, flush=True)
        while True:
            time.sleep(3600)


if __name__ == "__main__":
    main()
