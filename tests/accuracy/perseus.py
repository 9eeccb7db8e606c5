#!/usr/bin/env python3
"""Scores `laggard diagnose` at default settings on the Perseus hosts in ../shared/data/perseus.

usage: tests/accuracy/perseus.py LAGGARD_BINARY [RECORDINGS_FOLDER]
Imports every host once, then diagnoses what had been recorded after 1, 3, 6, 24 hours and in all, and prints a
Markdown table of true and false positives (components of confirmed incidents) for docs/accuracy/disks.md, and Matthews correlations of what
is confirmed, and of that with what is suspected, over all hosts. What is explained or withdrawn is told to nobody and not counted.
"""
import csv
import json
import math
import pathlib
import subprocess
import sys
import tarfile
import tempfile

DATA = pathlib.Path(__file__).resolve().parents[3] / "shared/data/perseus"
# Labels of cluster A from the folder's README; those of cluster C are in its file.
LABELS = {("A", "host_22"): {"disk11"}, ("A", "host_25"): {"disk8"}}


def labels():
    truth = dict(LABELS)
    for cluster in ("C", "J"):
        with open(DATA / f"labels-cluster-{cluster}.csv") as file:
            for row in csv.DictReader(file):
                truth[(cluster, row["host"])] = set(row["slow_disks"].split())
    return truth


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def recorded_ends(archive):
    """Ends of 1, 3, 6, 24 recorded hours and of everything, gaps not counted, as Unix times."""
    times = set()
    with tarfile.open(archive) as tar:
        for member in tar.getmembers():
            if member.name.endswith(".csv"):
                lines = tar.extractfile(member).read().decode().splitlines()[1:]
                times.update(int(line.split(",")[0]) for line in lines)
    ordered = sorted(times)
    ends = {}
    for hours in (1, 3, 6, 24):
        index = hours * 240
        ends[f"{hours} h"] = str(ordered[index]) if index < len(ordered) else None
    ends["all"] = None
    return ends


def disks_of(archive):
    """How many disks the host has: some have 11 instead of 12."""
    with tarfile.open(archive) as tar:
        member = next(m for m in tar.getmembers() if m.name.endswith(".csv"))
        lines = tar.extractfile(member).read().decode().splitlines()[1:]
    return len({line.split(",")[1] for line in lines})


def matthews(found, sick, false, healthy):
    """NaN when nothing is found or everything is."""
    missed, well = sick - found, healthy - false
    product = (found + false) * sick * healthy * (well + missed)
    return (found * well - false * missed) / math.sqrt(product) if product > 0 else math.nan


def main():
    if not DATA.is_dir():
        print(f"skipped: {DATA} is not there")
        return 0
    binary = sys.argv[1]
    folder = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else pathlib.Path(tempfile.mkdtemp())
    truth = labels()
    table = {}
    suspected = {}
    for archive in sorted(DATA.glob("cluster_*.tar.gz")):
        cluster, _, host = archive.name[len("cluster_"):-len(".tar.gz")].partition("_")
        recording = str(folder / f"{cluster}_{host}")
        if not pathlib.Path(recording).is_dir():
            run(binary, "import", "csv", str(archive), "--time", "ts", "--component", "disk_id", "--host", host,
                "--gauge", "throughput,latency", "--out", recording)
        for name, end in recorded_ends(archive).items():
            command = [binary, "diagnose", recording, "--json", "-"] + (["--to", end] if end else [])
            diagnosis = json.loads(run(*command))
            confirmed = set()
            seen = set()
            for incident in diagnosis["incidents"]:
                if incident["status"] in ("explained", "withdrawn"):
                    continue
                disks = {component.split("/")[1] for component in incident["components"]}
                seen |= disks
                if incident["state"] == "confirmed":
                    confirmed |= disks
            slow = truth.get((cluster, host), set())
            row = table.setdefault(name, {}).setdefault(cluster, [0, 0, 0, 0])
            row[0] += len(confirmed & slow)
            row[1] += len(slow)
            row[2] += len(confirmed - slow)
            row[3] += disks_of(archive) - len(slow)
            beside = suspected.setdefault(name, {}).setdefault(cluster, [0, 0])
            beside[0] += len(seen - confirmed - slow)
            beside[1] += len((seen - confirmed) & slow)
            for disk in sorted(confirmed ^ slow):
                kind = "false positive" if disk in confirmed else "missed"
                print(f"<!-- {cluster} {host} {disk}: {kind} after {name} -->")
    def mcc(row, beside):
        found, sick, false, healthy = (sum(counts[i] for counts in row.values()) for i in range(4))
        healthy_too, sick_too = (sum(counts[i] for counts in beside.values()) for i in range(2))
        return f" | {matthews(found, sick, false, healthy):.3f} | {matthews(found + sick_too, sick, false + healthy_too, healthy):.3f}"

    clusters = sorted({cluster for row in table.values() for cluster in row})
    print("| recorded | " + " | ".join(f"{c}: found | {c}: false" for c in clusters) +
          " | healthy ones suspected, never confirmed | MCC confirmed | MCC with suspects |")
    print("|---" * (2 * len(clusters) + 4) + "|")
    for name, row in table.items():
        cells = [f"{row[c][0]} of {row[c][1]} | {row[c][2]} of {row[c][3]}" for c in clusters]
        print(f"| {name} | " + " | ".join(cells) + " | " +
              " + ".join(str(suspected[name][c][0]) for c in clusters) + mcc(row, suspected[name]) + " |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
