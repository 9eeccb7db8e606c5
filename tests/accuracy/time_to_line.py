#!/usr/bin/env python3
"""Seconds from the beginning of a fault to the line that `laggard watch` prints about it, at 1-s samples.

usage: tests/accuracy/time_to_line.py LAGGARD LAB [--keep FOLDER] [--seeds 2] [--only traces,simulated,scaled]

  traces      the runs in ../shared/traces with a fault of at least 150 s (the others too, for quick)
  simulated   F's clusters, every workload and fault, odd and even seeds
  scaled      the fault-free runs in ../shared/traces, in which the requests of one server's disk take ten times as long
              from the middle on, and only as many are made as it can still serve

Each finished recording is watched with --preset lab, quick and auto (both side by side), with the ratio detector's short windows and without them
(--set ratio.seconds=0). A line's time is that of the samples by which it was told; what comes on top is the recorder's flush
(2 s while it is watched) and the watch's poll (2 s). Of fault-free recordings every incident counts as a false alarm.
"""
import argparse
import concurrent.futures
import csv
import json
import lzma
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

from watch import FAULTS, ROOT, TRACES, WORKLOADS, prepared, run, seconds

LONG_S = 150
TENFOLD = 10
TIMES = ("rd_ms", "wr_ms", "weighted_ms", "io_ms")


def of_traces(options):
    for folder in sorted(TRACES.glob("*/")):
        if (folder / "samples.csv.xz").exists():
            truth = json.loads((folder / "truth.json").read_text())
            recording = prepared(options.keep / "traces" / folder.name, options.laggard, "import", "csv", folder / "samples.csv.xz",
                                 "--out")
            yield recording, truth


def of_simulated(options):
    for fs in ("pvfs", "lustre"):
        for workload in WORKLOADS:
            for fault in FAULTS:
                for seed in range(1, options.seeds + 1):
                    recording = prepared(options.keep / "simulated" / f"{fs}-{workload}-{fault}-{seed}", options.lab, "simulate",
                                         "--fs", fs, "--workload", workload, "--fault", fault, "--seed", seed, "-o")
                    yield recording, json.loads((recording / "truth.json").read_text())


def slowed(rows, server, begin):
    """The rows with `server`'s disk ten times slower from `begin` on: each request waits and is served ten times as long, and
    no more of them are made than a disk can serve that is busy all the time. Counters stay counters."""
    last, shown, share = {}, {}, {}
    for row in sorted(rows, key=lambda row: (float(row["time"]), row["counter"] != "io_ms")):  # The share comes first.
        if row["host"] == server and row["kind"] == "disk" and row["counter"] != "in_flight":
            device, counter, value, now = row["device"], row["counter"], int(row["value"]), float(row["time"])
            before = last.get((device, counter), (value, now))
            grown, elapsed_ms = max(0, value - before[0]), 1000 * (now - before[1])
            last[device, counter] = value, now
            if now > begin:
                if counter == "io_ms":
                    share[device] = min(1, elapsed_ms / (TENFOLD * grown)) if grown else 1
                grown *= share.get(device, 1) * (TENFOLD if counter in TIMES else 1)
            shown[device, counter] = shown.get((device, counter), value - grown) + grown
            row = {**row, "value": str(round(shown[device, counter]))}
        yield row


def scale(options, folder, server, begin, out):
    with tempfile.TemporaryDirectory() as name:
        path = pathlib.Path(name) / "samples.csv"
        with lzma.open(folder / "samples.csv.xz", "rt") as source, open(path, "w", newline="") as target:
            rows = csv.DictReader(source)
            writer = csv.DictWriter(target, rows.fieldnames)
            writer.writeheader()
            writer.writerows(slowed(rows, server, begin))
        run(options.laggard, "import", "csv", path, "--out", out)


def of_scaled(options):
    for folder in sorted(TRACES.glob("*-none*/")):
        truth = json.loads((folder / "truth.json").read_text())
        begin = (truth["workload_start"] + truth["workload_stop"]) / 2
        for server in ("s1", "s4", "s8"):
            recording = options.keep / "scaled" / f"{folder.name}-{server}"
            if not recording.is_dir():
                recording.parent.mkdir(parents=True, exist_ok=True)
                half = recording.with_name(recording.name + ".half")
                shutil.rmtree(half, ignore_errors=True)
                scale(options, folder, server, begin, half)
                half.rename(recording)
            yield recording, {"fault": "tenfold", "faulty_server": server, "fault_start": begin,
                              "fault_stop": truth["workload_stop"]}


SETS = {"traces": of_traces, "simulated": of_simulated, "scaled": of_scaled}


def lines(options, recording, preset, fast):
    extra = [] if fast else ["--set", "ratio.seconds=0"]
    out = run(options.laggard, "watch", recording, "--preset", preset, "--json", "--until-idle", "100ms", "--poll", "100ms",
              "--threads", "1", *extra).stdout
    return [json.loads(line) for line in out.splitlines()]


def detectors(line):
    return {evidence["detector"] for evidence in line["incident"]["evidence"] if "detector" in evidence}


def look(options, recording, truth, preset, fast):
    """What was told of one recording: (seconds to the line or None, incidents of others, by the ratio detector alone)."""
    told = lines(options, recording, preset, fast)
    faulty = truth["fault"] != "none"
    begin = truth["fault_start"] if faulty else None
    delay, wrong, opened = None, set(), {}
    for line in told:
        name = line["incident"]["blame"]["name"]
        if faulty and name.split("/")[0] == truth["faulty_server"] and seconds(line["at"]) > begin:
            delay = delay if delay is not None else seconds(line["at"]) - begin
        else:
            opened[line["incident"]["id"]] = line
    for identity, line in opened.items():
        if line["change"] not in ("withdrawn", "merged", "explained"):
            wrong.add((identity, line["incident"]["state"], ",".join(sorted(detectors(line)))))
    return {"recording": recording.name, "truth": truth, "preset": preset, "fast": fast, "delay": delay, "wrong": sorted(wrong)}


def row(results):
    delays = sorted(one["delay"] for one in results if one["delay"] is not None)
    if not delays:
        return f"0 of {len(results)}"
    return (f"{len(delays)} of {len(results)} | {statistics.median(delays):.0f} s | {delays[-1]:.0f} s")


def report(name, results, options):
    faults = sorted({one["truth"]["fault"] for one in results} - {"none"})
    for preset in ("lab", "quick", "auto"):
        for fast in (True, False):
            mine = [one for one in results if one["preset"] == preset and one["fast"] == fast]
            label = f"{preset}, {'with' if fast else 'without'} short windows"
            for fault in faults:
                of_fault = [one for one in mine if one["truth"]["fault"] == fault]
                if options.verbose or name == "scaled":
                    print(f"| {name}, {fault} | {label} | {row(of_fault)} |")
            sick = [one for one in mine if one["truth"]["fault"] != "none"]
            healthy = [one for one in mine if one["truth"]["fault"] == "none"]
            print(f"| {name}, all faults | {label} | {row(sick)} |")
            by_ratio = sum(any(w[2] == "ratio" for w in one["wrong"]) for one in healthy)
            print(f"  healthy: {len(healthy)}, with an incident {sum(bool(one['wrong']) for one in healthy)}, "
                  f"with one of the ratio detector alone {by_ratio}; "
                  f"sick: another blamed by the ratio detector alone in "
                  f"{sum(any(w[2] == 'ratio' for w in one['wrong']) for one in sick)} of {len(sick)}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("laggard", type=pathlib.Path)
    parser.add_argument("lab", type=pathlib.Path)
    parser.add_argument("--keep", type=pathlib.Path, default=None)
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--only", default=",".join(SETS))
    parser.add_argument("--verbose", action="store_true", help="a line per kind of fault, and per recording")
    options = parser.parse_args()
    options.keep = options.keep or pathlib.Path(tempfile.mkdtemp())
    for name in options.only.split(","):
        jobs = [(recording, truth, preset, fast) for recording, truth in SETS[name](options) for preset in ("lab", "quick", "auto")
                for fast in (True, False)]
        # A fault of a minute gives lab's windows one look (T 4.2).
        jobs = [job for job in jobs if job[2] != "lab" or job[1]["fault"] == "none" or name == "scaled"
                or job[1]["fault_stop"] - job[1]["fault_start"] >= LONG_S]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            results = list(pool.map(lambda job: look(options, *job), jobs))
        if options.verbose:
            for one in results:
                print(f"{one['recording']} {one['preset']} {'with' if one['fast'] else 'without'}: {one['truth']['fault']} "
                      f"{one['truth'].get('faulty_server')}: {one['delay']} {one['wrong']}")
        report(name, results, options)


if __name__ == "__main__":
    sys.exit(main())
