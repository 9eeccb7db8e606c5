#!/usr/bin/env python3
"""The shipped incident sent to real time-series servers by remote write, and imported again: the sender is killed (-9) on
the way and started again, then the server is, on the same storage. Every sample has to come back, and the verdict has to
be that of the recording.

usage: send.py LAGGARD RECORDING prometheus|victoria-metrics    exit status 77: the server is not installed
"""
import csv
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse

import run as servers
from run import FROM, TO, expect


class Server:
    """One of the two, that can be killed and started again on the same storage and port."""

    def __init__(self, name, folder):
        self.name, self.folder, self.port, self.process = name, folder, servers.free_port(), None
        self.url = f"http://127.0.0.1:{self.port}"

    def start(self, *more):
        if self.name == "prometheus":
            (self.folder / "prometheus.yml").write_text("{}")
            argv = ["prometheus", f"--web.listen-address=127.0.0.1:{self.port}", "--config.file=prometheus.yml",
                    "--storage.tsdb.path=data", "--storage.tsdb.retention.time=100y", "--log.level=warn",
                    "--web.enable-remote-write-receiver"]
            ready = "/-/ready"
        else:
            argv = ["victoria-metrics", f"-httpListenAddr=127.0.0.1:{self.port}", "-storageDataPath=data",
                    "-retentionPeriod=100y", "-loggerLevel=WARN"]
            ready = "/health"
        self.process, log = servers.start([*argv, *more], self.folder, [])
        servers.wait_for(self.url + ready, self.process, log)

    def kill(self):
        if self.process:
            self.process.kill()
            self.process.wait()

    def wait_for_disk(self):
        """VictoriaMetrics writes after some ten seconds, more on a busy machine, what it took from a sender who cannot send
        that again. Folders of its parts begin with the number of samples in them."""
        if self.name != "victoria-metrics":
            return
        for _ in range(600):
            metrics = servers.fetch(self.url + "/metrics").decode()
            taken = int(re.search(r"^vm_rows_added_to_storage_total (\d+)$", metrics, re.MULTILINE)[1])
            written = sum(int(part.name.split("_")[0]) for part in self.folder.glob("data/data/*/*/*_*_*_*_*"))
            if written >= taken > 0:
                return
            time.sleep(0.1)
        expect(False, f"{written} of {taken} samples are on the server's disk after a minute")

    def show_everything(self):
        """VictoriaMetrics answers queries from what it took a second or more ago."""
        if self.name == "victoria-metrics":
            servers.fetch(self.url + "/internal/force_flush")


def acknowledged(position):
    """How many milliseconds all streams have been acknowledged to together: grows with every request."""
    try:
        return sum(stream["acknowledged_ms"] for stream in json.loads(position.read_text())["streams"])
    except FileNotFoundError:
        return 0


def send_until(laggard, words, position, steps):
    """Starts sending and returns in the middle: when the positions have moved `steps` times."""
    sender = subprocess.Popen([laggard.program, *map(str, words)], cwd=laggard.folder, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True)
    before, moved = acknowledged(position), 0
    while sender.poll() is None and moved < steps:
        now = acknowledged(position)
        moved += now != before
        before = now
    expect(sender.poll() is None, f"sending ended before anybody was killed: {sender.returncode}")
    return sender


def write_twin(laggard, recording):
    """The recording with its times in milliseconds, as servers keep them, but never in a server."""
    rows = list(csv.DictReader(laggard.exported(recording)))
    with (laggard.folder / "twin.csv").open("w") as out:
        out.write("time,host,kind,device,counter,value\n")
        for row in rows:
            ms = servers.milliseconds(row["time"])
            out.write(f'{ms // 1000}.{ms % 1000:03},{row["host"]},{row["kind"]},{row["device"]},{row["counter"]},{row["value"]}\n')
    laggard.run("import", "csv", "twin.csv", "--out", "TWIN")
    return len(rows)


def check_limits(laggard, server, wanted, twin):
    """The server refuses to look at more series at once than some hosts have, as it does from 300,000 on by default."""
    server.wait_for_disk()
    server.kill()
    server.start("-search.maxUniqueTimeseries=200")
    whole = urllib.parse.urlencode({"match[]": '{__name__=~"node_.*|laggard_.*"}', "start": FROM, "end": TO})
    try:
        servers.fetch(f"{server.url}/api/v1/label/instance/values?{whole}")
        expect(False, "the server answers what it should refuse")
    except urllib.error.HTTPError as error:
        expect(error.code == 422, f"refused by {error.code}")
    laggard.import_from(server.url, "LIMITED")
    got = sorted(laggard.exported("LIMITED"))
    expect(got == wanted, f"under the server's limits {len(got)} samples came back of {len(wanted)}")
    laggard.run("import", "prometheus", server.url, "--out", "STEPS", "--from", FROM, "--to", TO, "--step", "1s")
    stepped = [(incident["blame"], incident["cause"]) for incident in laggard.verdict("STEPS")]
    expect(stepped == [(incident["blame"], incident["cause"]) for incident in twin], f"second by second: {stepped}")


def check(laggard, folder, recording, server):
    count = write_twin(laggard, recording)
    twin = laggard.verdict("TWIN")
    truth = [(incident["blame"]["name"], incident["cause"]) for incident in laggard.verdict(recording)]
    expect([(incident["blame"]["name"], incident["cause"]) for incident in twin] == truth, f"the twin's: {twin}")

    server.start()
    position = folder / "position.json"
    words = ["send", recording, "--to", server.url, "--position", position, "--batch", 300, "--json"]
    first = send_until(laggard, words, position, 20)
    first.kill()
    first.communicate()
    server.wait_for_disk()

    second = send_until(laggard, words, position, 20)
    server.kill()
    time.sleep(1)
    server.start()
    said, complaints = second.communicate(timeout=120)
    expect(second.returncode == 0, f"sending over a restart: {second.returncode} {said}{complaints}")
    expect("trying again" in complaints, f"the restart was not noticed: {complaints}")

    again = json.loads(laggard.run(*words).stdout)
    expect(again["sent"] == 0, f"sent twice: {again}")
    if server.name == "prometheus":  # What it has, it refuses; that is no failure.
        late = json.loads(laggard.run("send", recording, "--to", server.url, "--position", "other.json", "--from",
                                      "2026-11-20T19:26:00Z", "--json").stdout)
        expect(late["already_there"] > 0 and late["too_old"] == 0, f"what is there already: {late}")

    server.show_everything()
    laggard.import_from(server.url, "REC")
    got, wanted = sorted(laggard.exported("REC")), sorted(laggard.exported("TWIN"))
    expect(got == wanted, f"{len(got)} samples came back of {len(wanted)} ({count} recorded), "
                          f"for example {sorted(set(wanted) ^ set(got))[:3]}")
    expect(laggard.verdict("REC") == twin, f"another verdict: {laggard.verdict('REC')} instead of {twin}")

    if server.name == "victoria-metrics":
        check_limits(laggard, server, wanted, twin)
    server.kill()
    refused = laggard.run("send", recording, "--to", server.url, "--position", "none.json", status=2)
    expect("cannot connect" in refused.stderr and refused.stderr.count("\n") == 1, refused.stderr)


def main():
    program, recording, name = sys.argv[1:4]
    if shutil.which(name) is None:
        print(f"skipped: {name} is not installed")
        sys.exit(77)
    with tempfile.TemporaryDirectory(prefix="laggard-send-") as scratch:
        folder = pathlib.Path(scratch)
        laggard = servers.Laggard(pathlib.Path(program).resolve(), folder)
        server = Server(name, folder)
        try:
            check(laggard, folder, pathlib.Path(recording).resolve(), server)
        finally:
            server.kill()
    if servers.failures:
        sys.exit(1)
    print("every sample came back, and the verdict is the same")


if __name__ == "__main__":
    main()
