#!/usr/bin/env python3
"""Holds N connections over loopback (2 N sockets) and sends a little over each, for ever."""
import socket
import sys
import time

listener = socket.socket()
listener.bind(("127.0.0.1", 0))
listener.listen(1024)
pairs = []
for _ in range(int(sys.argv[1])):
    client = socket.create_connection(listener.getsockname())
    server, _ = listener.accept()
    pairs.append((client, server))
while True:
    for client, server in pairs:
        client.send(b"x" * 1000)
        server.recv(2000)
        time.sleep(0.5 / len(pairs))
