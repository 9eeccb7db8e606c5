#!/usr/bin/env python3
"""Several servers of nine that are sick at once, made from the recorded runs with one.

usage: tests/accuracy/several.py LAGGARD [--keep FOLDER] [--preset quick] [--without-rule]

Of each run with a fault in ../shared/traces, one, two and three further servers get everything that was recorded of the sick one
(its disk, its interface, both ends of its connections) in place of what was recorded of themselves, 7 s later each. So up to four of
nine are sick alike, the rest are as they were. Prints, per number of sick servers, how many of them are confirmed and how many
besides are suspected, in how many runs all are confirmed, and how many healthy ones are. --without-rule: without leaving who stands
apart out of the spread (docs/methods/judge.md).
"""
import argparse
import collections
import json
import lzma
import pathlib
import subprocess
import sys
import tempfile

TRACES = pathlib.Path(__file__).resolve().parents[3] / "shared/traces"
DELAY_S = 7
STEPS = [3, 5, 7]  # Further sick servers: so many after the first one, of nine.


def others_of(truth, further):
    servers = sorted(truth["device"])
    sick = servers.index(truth["faulty_server"])
    return [servers[(sick + step) % len(servers)] for step in STEPS[:further]]


def names_as(truth, connections, host, kind, device, server):
    """What a series of the sick server is called at `server`; nothing when it is not about the sick one."""
    sick = truth["faulty_server"]
    if kind == "disk" and host == sick:
        return server, truth["device"][server]
    if kind == "net" and host == sick:
        return server, device
    if kind != "tcp":
        return None
    local, peer = (end.rsplit(":", 1)[0] for end in device.split(">"))
    ip, own = truth["server_ip"][sick], truth["server_ip"][server]
    if host == sick and local == ip:
        return server, connections.get((server, own, peer))
    if peer == ip:
        return host, connections.get((host, local, own))
    return None


def written(run, truth, further, csv):
    with lzma.open(run / "samples.csv.xz", "rt") as recorded:
        head = next(recorded)
        rows = [line.rstrip("\n").split(",") for line in recorded]
    connections = {}
    for _, host, kind, device, _, _ in rows:
        if kind == "tcp":
            local, peer = (end.rsplit(":", 1)[0] for end in device.split(">"))
            connections[(host, local, peer)] = device
    copies = collections.defaultdict(list)  # From a sick series to its copies.
    replaced = set()
    for host, kind, device in {tuple(row[1:4]) for row in rows}:
        for place, server in enumerate(others_of(truth, further)):
            named = names_as(truth, connections, host, kind, device, server)
            if named and named[1]:
                copies[host, kind, device].append((place + 1, *named))
                replaced.add((named[0], kind, named[1]))
    times = {}  # Per host, its sample times in order.
    for row in rows:
        times.setdefault(row[1], {}).setdefault(row[0], None)
    times = {host: sorted(at, key=float) for host, at in times.items()}
    place_of = {host: {t: k for k, t in enumerate(at)} for host, at in times.items()}
    with open(csv, "w") as out:
        out.write(head)
        for t, host, kind, device, counter, value in rows:
            if (host, kind, device) not in replaced:
                out.write(f"{t},{host},{kind},{device},{counter},{value}\n")
            for delay, to_host, to_device in copies.get((host, kind, device), []):
                k = place_of[host][t] + DELAY_S * delay
                if k < len(times[host]):
                    out.write(f"{times[host][k]},{to_host},{kind},{to_device},{counter},{value}\n")


def blamed(options, recording):
    """Who is blamed: confirmed, and suspected."""
    rule = ["--set", "apart.gap=1e6"] if options.without_rule else []
    command = [options.laggard, "diagnose", recording, "--preset", options.preset, *rule, "--json", "-"]
    said = subprocess.run(command, check=True, capture_output=True, text=True)
    incidents = json.loads(said.stdout)["incidents"]
    return ({incident["blame"]["name"] for incident in incidents if incident["state"] == state} for state in ("confirmed", "suspected"))


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("laggard")
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--preset", default="quick")
    parser.add_argument("--without-rule", action="store_true")
    options = parser.parse_args()
    if not TRACES.is_dir():
        print("skipped: no ../shared/traces", file=sys.stderr)
        return 0
    runs = [run for run in sorted(TRACES.glob("*/")) if json.loads((run / "truth.json").read_text())["fault"] not in ("none", "control")]
    print("| sick of nine | runs | confirmed | suspected besides | all confirmed in | healthy ones confirmed |\n|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as name:
        folder = options.keep or pathlib.Path(name)
        folder.mkdir(parents=True, exist_ok=True)
        for further in range(len(STEPS) + 1):
            found = besides = whole = wrong = 0
            for run in runs:
                truth = json.loads((run / "truth.json").read_text())
                recording = folder / f"{run.name}+{further}"
                if not recording.is_dir():
                    csv = folder / "samples.csv"
                    written(run, truth, further, csv)
                    subprocess.run([options.laggard, "import", "csv", csv, "--out", recording], check=True, capture_output=True)
                    csv.unlink()
                sick = {truth["faulty_server"], *others_of(truth, further)}
                said, suspected = blamed(options, recording)
                besides += len((suspected & sick) - said)
                found, whole, wrong = found + len(said & sick), whole + (sick <= said), wrong + len(said - sick)
                if sick - said or said - sick:
                    print(f"  {recording.name}: missed {sorted(sick - said)}, wrongly {sorted(said - sick)}", file=sys.stderr)
            print(f"| {further + 1} | {len(runs)} | {found} of {len(runs) * (further + 1)} | {besides} | {whole} | {wrong} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
