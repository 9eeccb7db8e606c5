#!/usr/bin/env python3
"""1,152 targets x 9 counters at 1 Hz for ten minutes, sent to VictoriaMetrics, which is killed (-9) in the middle and started
again; then imported and diagnosed with the lab preset. Nothing may be lost, and the verdict has to be the recording's. Prints
the figures of docs/bench.md.

usage: remote_write_at_scale.py LAGGARD    exit status 77: victoria-metrics is not installed
"""
import json
import os
import pathlib
import shutil
import sys
import tempfile
import time

import run as servers
from run import expect
from send import Server, send_until

HOSTS = [*range(1, 9), *range(73, 81)]  # Two arrays of 72 LUNs, eight servers each.


def main():
    if shutil.which("victoria-metrics") is None:
        print("skipped: victoria-metrics is not installed")
        sys.exit(77)
    with tempfile.TemporaryDirectory(prefix="laggard-scale-") as scratch:
        folder = pathlib.Path(scratch)
        laggard = servers.Laggard(pathlib.Path(sys.argv[1]).resolve(), folder)
        lab = servers.Laggard(pathlib.Path(sys.argv[1]).resolve().with_name("laggard-lab"), folder)
        lab.run("simulate", "--scale", "intrepid", "--incident", "controller-failed", "--interval", "1s", "--duration", "10m",
                "--seed", 3, "--out", "SITE")
        (folder / "WHOLE/metrics").mkdir(parents=True)
        for host in HOSTS:
            for file in (folder / "SITE/metrics").glob(f"fs{host}-*"):
                shutil.copy(file, folder / "WHOLE/metrics")
        shutil.copy(folder / "SITE/system.toml", folder)
        server = Server("victoria-metrics", folder)
        try:
            check(laggard, folder, server)
        finally:
            server.kill()
    sys.exit(1 if servers.failures else 0)


def check(laggard, folder, server):
    server.start()
    position = folder / "position.json"
    began = time.monotonic()
    words = ["send", "WHOLE", "--to", server.url, "--position", position, "--json"]
    sender = send_until(laggard, words, position, 150)
    server.kill()
    time.sleep(1)
    server.start()
    said, complaints = sender.communicate(timeout=600)
    expect(sender.returncode == 0, f"sending: {sender.returncode} {said}{complaints}")
    sent = json.loads(said)
    print(f"sent {sent['sent']:,} samples in {sent['requests']} requests, {time.monotonic() - began:.1f} s with the restart, "
          f"load {os.getloadavg()[0]:.1f}")
    server.show_everything()
    began = time.monotonic()
    imported = json.loads(laggard.run("import", "prometheus", server.url, "--out", "REC", "--from", "2011-05-09T00:00:00Z",
                                      "--to", "2011-05-09T00:20:00Z", "--json").stdout)
    print(f"imported {imported['new']:,} in {time.monotonic() - began:.1f} s")
    expect(imported["new"] == sent["sent"], f"{sent['sent']} samples went in, {imported['new']} came out")
    verdicts = []
    for recording in ("WHOLE", "REC"):
        diagnosis = json.loads(laggard.run("diagnose", recording, "--system", "system.toml", "--preset", "lab",
                                           "--json", "-").stdout)
        verdicts.append([{key: incident.get(key) for key in ("since", "until", "state", "blame", "components", "cause", "rule")}
                         for incident in diagnosis["incidents"]])
    blamed = [incident["blame"]["name"] for incident in verdicts[0]]
    expect("ddn15a" in blamed, f"the failed controller is not blamed: {blamed}")
    expect(verdicts[0] == verdicts[1], f"another verdict: {verdicts[1]} instead of {verdicts[0]}")
    print(f"the same {len(verdicts[0])} incidents: {blamed}")


if __name__ == "__main__":
    main()
