#!/usr/bin/env python3
"""Retransmissions are counted as the kernel itself counts them: `retransmits.py LAGGARD`.

A server sends to a client that loses a twentieth of all packets; `record kernel` looks on in the network namespaces of both. What it
has recorded is what TCP's own counter (RetransSegs) has grown by, in each, but that TCP counts every segment of those that it sends
again together. Skips without root, nft or BPF.
"""
import csv
import io
import os
import signal
import subprocess
import sys
import tempfile
import time

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "pings"))

import namespaces  # noqa: E402
from namespaces import inside, run  # noqa: E402

LAGGARD = os.path.abspath(sys.argv[1])
HOSTS = {"s1": 1, "c1": 101}
SENDER = "import socket, sys\ns = socket.create_server((sys.argv[1], 7000)).accept()[0]\ns.sendall(bytes(20 << 20))\n"
TAKER = ("import socket, sys\ns = socket.create_connection((sys.argv[1], 7000))\n"
         "while s.recv(1 << 16):\n    pass\n")


def resent(host):
    with subprocess.Popen(["nsenter", f"--net=/run/netns/{host}", "cat", "/proc/net/snmp"], stdout=subprocess.PIPE, text=True) as reader:
        names, values = [line.split()[1:] for line in reader.stdout if line.startswith("Tcp:")]
    return int(values[names.index("RetransSegs")])


def recorded(recording, host):
    text = run(LAGGARD, "export", recording, "--profiles", "kernel-calls", "--host", host).stdout
    rows = [row for row in csv.DictReader(io.StringIO(text)) if row["what"] == "[kernel];[kernel];tcp_retransmit_skb"]
    return sum(int(row["count"]) for row in rows)


def record(recording, host):
    log = open(f"{recording}-{host}.log", "w+", encoding="utf-8")
    process = inside(host, [LAGGARD, "record", "kernel", "--out", recording, "--host", host, "--interval", "200ms"], stderr=log)
    while process.poll() is None and not os.path.exists(f"{recording}/profiles/.{host}+kernel.lock"):
        time.sleep(0.02)
    time.sleep(0.5)  # It counts from its first reading on.
    if process.poll() is not None:
        log.seek(0)
        print(f"skipped: {log.read().strip()}")
        sys.exit(namespaces.SKIPPED)
    return process


namespaces.enter("record kernel", ("nft", "ethtool"))
namespaces.make_network(HOSTS)
with tempfile.TemporaryDirectory() as scratch:
    recording = f"{scratch}/rec"
    recorders = [record(recording, host) for host in HOSTS]
    before = {host: resent(host) for host in HOSTS}
    run("nsenter", "--net=/run/netns/c1", "nft",
        "table ip lossy { chain lossy { type filter hook input priority 0; numgen random mod 20 < 1 drop; }; }")
    address = namespaces.address(HOSTS["s1"])
    sender = inside("s1", [sys.executable, "-c", SENDER, address])
    time.sleep(0.5)
    taker = inside("c1", [sys.executable, "-c", TAKER, address])
    for process in (taker, sender):
        assert process.wait(60) == 0
    at_least = {host: resent(host) - before[host] for host in HOSTS}  # What closes a connection may be sent again still.
    for process in recorders:
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 0
    for host in HOSTS:
        at_most = resent(host) - before[host]
        counted = recorded(recording, host)
        assert at_least[host] / 2 <= counted <= at_most, (host, counted, at_least[host], at_most)
        print(f"{host}: {counted} times sent again, {at_most} segments")
    assert resent("s1") - before["s1"] > 50, "packets were lost"
