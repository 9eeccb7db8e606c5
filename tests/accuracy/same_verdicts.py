#!/usr/bin/env python3
"""Holds the verdicts of two versions of laggard against each other, on every recording there is.

usage: tests/accuracy/same_verdicts.py BEFORE AFTER [--keep FOLDER] [--only traces,perseus,simulated,scale]
                                       [--simulated 2] [--days 20] [--lab PROGRAM]

Recordings (imported by BEFORE, simulated by --lab, kept in FOLDER for the next time):
  examples     those that ship with laggard
  traces       the runs in ../shared/traces, by several presets, distances, algorithms, trained and not
  perseus      the hosts in ../shared/data/perseus
  simulated    F's clusters: every workload and fault, odd and even seeds
  scale        days of Intrepid
Two verdicts are equal when their JSON is, except for incidents' ids, and for fields that only AFTER knows. Prints
one line per difference and a count; exits 1 when there is one.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
TRACES = ROOT.parent / "shared/traces"
PERSEUS = ROOT.parent / "shared/data/perseus"
WORKLOADS = ["ddw", "ddr", "iozonew", "iozoner", "postmark"]
FAULTS = ["none", "disk-hog", "disk-busy", "write-network-hog", "read-network-hog", "receive-pktloss", "send-pktloss"]


def run(*command, check=True):
    return subprocess.run([str(part) for part in command], check=check, capture_output=True, text=True)


def prepared(folder, *command):
    """The recording in `folder`, which `command` makes unless an earlier run has."""
    if not folder.is_dir():
        half = folder.with_name(folder.name + ".half")
        run("rm", "-rf", half)
        run(*command, half)
        half.rename(folder)
    return folder


def of_examples(_):
    for folder in sorted((ROOT / "examples").iterdir()):
        if (folder / "metrics").is_dir():
            yield folder, []


def of_traces(options):
    recordings = {}
    for folder in sorted(TRACES.glob("*/")):
        if (folder / "samples.csv.xz").exists():
            recordings[folder.name] = prepared(options.keep / "traces" / folder.name, options.before, "import", "csv",
                                               folder / "samples.csv.xz", "--out")
    nones = [path for name, path in recordings.items() if "none" in name]
    for preset in ("lab", "quick"):
        thresholds = options.keep / f"thresholds-{preset}.toml"
        if nones and not thresholds.exists():
            run(options.before, "train", *nones, "--preset", preset, "--out", thresholds)
    for path in recordings.values():
        yield path, []
        for preset in ("lab", "quick"):
            yield path, ["--preset", preset, "--thresholds", options.keep / f"thresholds-{preset}.toml"]
        yield path, ["--preset", "quick"]
        yield path, ["--preset", "quick", "--distance", "cdf,wasserstein,median,thresh"]
        yield path, ["--preset", "quick", "--algorithm", "paper"]
        yield path, ["--preset", "quick", "--algorithm", "paper", "--distance", "kl"]


def of_perseus(options):
    for archive in sorted(PERSEUS.glob("cluster_*.tar.gz")):
        host = archive.name[:-len(".tar.gz")]
        yield prepared(options.keep / "perseus" / host, options.before, "import", "csv", archive, "--time", "ts",
                       "--component", "disk_id", "--gauge", "throughput,latency", "--host",
                       host.removeprefix("cluster_"), "--out"), []


def of_simulated(options):
    seeds = range(1, 2 * options.simulated + 1)
    for fs in ("pvfs", "lustre"):
        for workload in WORKLOADS:
            for fault in FAULTS:
                for seed in seeds:
                    yield prepared(options.keep / "simulated" / f"{fs}-{workload}-{fault}-{seed}", options.lab,
                                   "simulate", "--fs", fs, "--workload", workload, "--fault", fault, "--seed", seed,
                                   "-o"), []


def of_scale(options):
    for day in range(options.days):
        seed, problems = 2 * (day // 2) + 2 + 1000 * (day % 2) + day % 2, day % 4 + 1
        folder = prepared(options.keep / "scale" / f"{seed:04}-{problems}", options.lab, "simulate", "--scale",
                          "intrepid", "--duration", "24h", "--seed", seed, "--incidents", problems, "-o")
        yield folder, ["--system", folder / "system.toml"]


SETS = {"examples": of_examples, "traces": of_traces, "perseus": of_perseus, "simulated": of_simulated,
        "scale": of_scale}


def verdict(binary, recording, extra):
    done = run(binary, "diagnose", recording, *extra, "--json", "-", check=False)
    if done.returncode != 0:
        sys.exit(f"{binary} fails on {recording}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def differences(before, after, where=""):
    """Sentences; what only `after` has is no difference."""
    if isinstance(before, dict) and isinstance(after, dict):
        for key, value in before.items():
            if key == "id":
                continue
            if key not in after:
                yield f"{where}.{key} is gone"
            else:
                yield from differences(value, after[key], f"{where}.{key}")
    elif isinstance(before, list) and isinstance(after, list):
        if len(before) != len(after):
            yield f"{where}: {len(before)} entries before, {len(after)} after"
        for index, (one, other) in enumerate(zip(before, after)):
            yield from differences(one, other, f"{where}[{index}]")
    elif before != after:
        yield f"{where}: {before!r} before, {after!r} after"


def compare(options, recording, extra):
    found = list(differences(verdict(options.before, recording, extra), verdict(options.after, recording, extra)))
    name = f"{recording.parent.name}/{recording.name} {' '.join(str(word) for word in extra)}"
    return [f"{name}: {sentence}" for sentence in found[:5]], bool(found)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", type=pathlib.Path)
    parser.add_argument("after", type=pathlib.Path)
    parser.add_argument("--keep", type=pathlib.Path, default=None)
    parser.add_argument("--only", default=",".join(SETS))
    parser.add_argument("--simulated", type=int, default=2, help="pairs of an odd and an even seed per cell")
    parser.add_argument("--days", type=int, default=20)
    parser.add_argument("--lab", default=None, help="what simulates; by default the laggard-lab beside BEFORE")
    options = parser.parse_args()
    options.keep = options.keep or pathlib.Path(tempfile.mkdtemp())
    options.lab = options.lab or options.before.with_name("laggard-lab")
    failed = False
    for name in options.only.split(","):
        (options.keep / name).mkdir(parents=True, exist_ok=True)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            done = list(pool.map(lambda job: compare(options, *job), SETS[name](options)))
        for sentences, _ in done:
            for sentence in sentences:
                print(sentence)
        different = sum(differs for _, differs in done)
        failed |= different > 0
        print(f"{name}: {len(done)} verdicts, {different} differ", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
