#!/usr/bin/env python3
"""The shipped incident as it happens: a real VictoriaMetrics holds it shifted in time so that its last half minute is still to
come, and `laggard watch --prometheus` follows it, is killed (-9) on the way and started again. It has to fetch every sample,
tell every change once, and end with the verdict of the finished recording.

usage: watch.py LAGGARD RECORDING    exit status 77: the server is not installed
"""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

import run as servers
from run import expect

STILL_TO_COME = 25_000
WINDOW = 32_000  # Windows begin at multiples of this: a shift by a multiple leaves them as they were.
DURATIONS = ["--lag", "2s", "--reach-back", "10m", "--poll", "1s", "--until-idle", "8s"]


def shifted(rows):
    """The rows, as late as their windows allow for STILL_TO_COME milliseconds to lie in the future."""
    last = max(row[0] for row in rows)
    by = (int(time.time() * 1000) + STILL_TO_COME - last) // WINDOW * WINDOW
    return [(ms + by, *rest) for ms, *rest in rows]


def watch(laggard, url, *more):
    argv = [laggard.program, "watch", "REC", "--prometheus", url, "--preset", "lab", "--json", "--state", "watch.state"]
    return subprocess.Popen([*argv, *DURATIONS, *more], cwd=laggard.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def check(laggard, folder, recording, started):
    rows = shifted(list(servers.read_rows(laggard, recording)))
    port = servers.free_port()
    server, log = servers.start(["victoria-metrics", f"-httpListenAddr=127.0.0.1:{port}", "-storageDataPath=data",
                                 "-search.latencyOffset=0s", "-loggerLevel=WARN"], folder, started)
    url = f"http://127.0.0.1:{port}"
    servers.wait_for(url + "/health", server, log)
    servers.fetch(url + "/api/v1/import/prometheus", "".join(servers.exposition(rows, False)).encode())
    servers.fetch(url + "/internal/force_flush")

    first = watch(laggard, url)
    time.sleep(8)
    first.kill()
    lines = first.communicate()[0].splitlines()
    expect(lines, "nothing was told before the kill")
    second = watch(laggard, url)
    out, notes = second.communicate(timeout=120)
    expect(second.returncode == 0, f"status {second.returncode}\n{notes}")
    changes = {}
    for line in lines + out.splitlines():
        change = json.loads(line)
        expect(changes.setdefault(change["number"], change) == change, f"another change {change['number']}")
    expect(sorted(changes) == list(range(1, len(changes) + 1)), f"numbers {sorted(changes)}")

    expect(len(list(laggard.exported("REC"))) == len(rows) + 1, f"{len(rows)} samples went in")
    last = {change["incident"]["id"]: change["incident"] for _, change in sorted(changes.items())
            if change["change"] not in ("withdrawn", "merged", "explained")}
    told = {(i["blame"]["name"], i["cause"], i["state"], i["persistence"]) for i in last.values()}
    diagnosis = json.loads(laggard.run("diagnose", "REC", "--preset", "lab", "--json", "-").stdout)
    finished = {(i["blame"]["name"], i["cause"], i["state"], i["persistence"]) for i in diagnosis["incidents"]}
    expect(told == finished and any(i[:2] == ("s2", "disk-busy") for i in told), f"{told} told, {finished} found")

    server.kill()
    server.wait()
    away = watch(laggard, url)
    _, notes = away.communicate(timeout=60)
    expect(away.returncode == 0 and f"127.0.0.1:{port}" in notes, f"a server that is away: {away.returncode}\n{notes}")


def main():
    program, recording = sys.argv[1:3]
    if shutil.which("victoria-metrics") is None:
        print("skipped: victoria-metrics is not installed")
        sys.exit(77)
    started = []
    with tempfile.TemporaryDirectory(prefix="laggard-watch-") as scratch:
        folder = pathlib.Path(scratch)
        laggard = servers.Laggard(pathlib.Path(program).resolve(), folder)
        try:
            check(laggard, folder, pathlib.Path(recording).resolve(), started)
        finally:
            for server in started:
                server.kill()
                server.wait()
    if servers.failures:
        sys.exit(1)
    print("every sample was fetched and every change told, across a kill")


if __name__ == "__main__":
    main()
