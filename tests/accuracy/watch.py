#!/usr/bin/env python3
"""Replays recordings into folders that grow, under a watch that is killed, and holds what it told against the finished verdict.

usage: tests/accuracy/watch.py LAGGARD LAB [--replays 200] [--seed 1] [--keep FOLDER] [--jobs 2]

Recordings: those of examples/, the runs in ../shared/traces, and F's simulated clusters. Each replay has a seed: hosts are
late by up to 20 s each, the preset is lab or quick, and the watch is killed (SIGKILL) up to three times at moments of chance and
started again with its state. Then, for each:
  missing      numbers that were never delivered
  altered      numbers that were delivered twice with different content
  different    final incidents that are not those of `laggard diagnose` on the finished recording
and over all with a fault, the time from its beginning to the first change that blames the right server, on samples that are
complete up to then. Prints a line per trouble and a table; exits 1 when there is trouble.
"""
import argparse
import concurrent.futures
import json
import pathlib
import random
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from datetime import datetime

ROOT = pathlib.Path(__file__).resolve().parents[2]
TRACES = ROOT.parent / "shared/traces"
WORKLOADS = ["ddw", "ddr", "iozonew", "iozoner", "postmark"]
FAULTS = ["none", "disk-hog", "disk-busy", "write-network-hog", "read-network-hog", "receive-pktloss", "send-pktloss"]
LAG_S = 20


# At 400 times the speed a tenth of a second without a host looks like 40 s of silence.
SILENCE = "1h"


def run(*command, check=True):
    return subprocess.run([str(word) for word in command], check=check, capture_output=True, text=True)


def prepared(folder, *command):
    if not folder.is_dir():
        half = folder.with_name(folder.name + ".half")
        shutil.rmtree(half, ignore_errors=True)
        folder.parent.mkdir(parents=True, exist_ok=True)
        run(*command, half)
        half.rename(folder)
    return folder


def seconds(text):
    """Of a moment in ISO 8601, with fractions or without."""
    whole, _, rest = text.rstrip("Z").partition(".")
    return datetime.fromisoformat(whole + "+00:00").timestamp() + float("0." + (rest or "0"))


def recordings(options):
    """(recording or who makes it, its truth.json or None)."""
    found = [(ROOT / "examples/ddr-disk-busy-s2", None)]
    for folder in sorted(TRACES.glob("*/")):
        if (folder / "samples.csv.xz").exists():
            found.append((lambda folder=folder: prepared(options.keep / "traces" / folder.name, options.laggard, "import", "csv",
                                                         folder / "samples.csv.xz", "--out"), folder / "truth.json"))
    cells = [(fs, workload, fault, seed) for seed in range(1, 9) for fs in ("pvfs", "lustre") for workload in WORKLOADS for fault in FAULTS]
    random.Random(0).shuffle(cells)
    for fs, workload, fault, seed in cells:
        found.append((lambda fs=fs, workload=workload, fault=fault, seed=seed: prepared(
            options.keep / "simulated" / f"{fs}-{workload}-{fault}-{seed}", options.lab, "simulate", "--fs", fs, "--workload", workload,
            "--fault", fault, "--seed", seed, "-o"), options.keep / "simulated" / f"{fs}-{workload}-{fault}-{seed}" / "truth.json"))
    return found


def truth_of(path):
    truth = json.loads(path.read_text()) if path and path.exists() else {}
    return truth if truth.get("fault", "none") != "none" and "fault_start" in truth else None


def told(incident):
    """What of an incident has to agree."""
    return (incident["blame"]["name"], incident["cause"], incident["state"], incident["since"], incident["persistence"],
            tuple(sorted(incident["components"])))


def watch_with_kills(options, growing, folder, preset, chance):
    """All lines that were delivered, over all starts."""
    lines, state = [], folder / "state.json"
    kills = chance.randrange(4)
    for start in range(kills + 1):
        with open(folder / f"out{start}", "w") as out, open(folder / f"err{start}", "w") as err:
            process = subprocess.Popen([options.laggard, "watch", growing, "--preset", preset, "--json", "--state", state, "--poll", "100ms",
                                        "--until-idle", "3s", "--silence", SILENCE, "--threads", "1"], stdout=out, stderr=err)
            if start < kills:
                try:
                    process.wait(timeout=chance.uniform(0.05, 2.5))
                except subprocess.TimeoutExpired:
                    process.send_signal(signal.SIGKILL)
                    process.wait()
            elif process.wait(timeout=120) != 0:
                raise RuntimeError((folder / f"err{start}").read_text())
        # A line that a kill cut off was not delivered.
        whole = (folder / f"out{start}").read_text()
        lines += [json.loads(line) for line in whole[:whole.rfind("\n") + 1].splitlines()]
    return lines, kills


def replay(options, number, recording, truth):
    chance = random.Random(options.seed * 100_003 + number)
    recording = recording() if callable(recording) else recording
    preset = chance.choice(["lab", "quick"])
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        growing = folder / "rec"
        feeder = subprocess.Popen([options.lab, "replay", recording, "--out", growing, "--speed", str(chance.choice([100, 200, 400])),
                                   "--flush", "5s", "--lag", f"{LAG_S}s", "--seed", str(number + 1)], stdout=subprocess.DEVNULL)
        try:
            lines, kills = watch_with_kills(options, growing, folder, preset, chance)
        finally:
            if feeder.wait(timeout=120) != 0:
                raise RuntimeError(f"replay of {recording} failed")
    label = f"{recording.name} ({preset}, replay {number})"
    trouble, by_number = [], {}
    for line in lines:
        if by_number.setdefault(line["number"], line) != line:
            trouble.append(f"altered: {label}: change {line['number']}")
    missing = set(range(1, max(by_number, default=0) + 1)) - set(by_number)
    trouble += [f"missing: {label}: change {one}" for one in sorted(missing)]
    last = {}
    for _, line in sorted(by_number.items()):
        last[line["incident"]["id"]] = line
    final = sorted(told(line["incident"]) for line in last.values() if line["change"] not in ("withdrawn", "merged", "explained"))
    diagnosis = json.loads(run(options.laggard, "diagnose", recording, "--preset", preset, "--json", "-", "--threads", "1").stdout)
    wanted = sorted(told(incident) for incident in diagnosis["incidents"] if incident["status"] in ("open", "closed"))
    if final != wanted:
        trouble.append(f"different: {label}: told {[one for one in final if one not in wanted]}, finished {[one for one in wanted if one not in final]}")
    delay = None
    known = truth_of(truth)
    if known:
        begun = known["fault_start"]
        for _, line in sorted(by_number.items()):
            if line["incident"]["blame"]["name"] == known["faulty_server"] and seconds(line["at"]) > begun:
                delay = seconds(line["at"]) - begun
                break
    return {"trouble": trouble, "kills": kills, "changes": len(by_number), "repeated": len(lines) - len(by_number), "preset": preset,
            "fault": bool(known), "delay": delay}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("laggard", type=pathlib.Path)
    parser.add_argument("lab", type=pathlib.Path)
    parser.add_argument("--replays", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=pathlib.Path, default=None)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    options.keep = options.keep or pathlib.Path(tempfile.mkdtemp())
    all_of_them = recordings(options)
    begun = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        jobs = [pool.submit(replay, options, number, *all_of_them[number % len(all_of_them)]) for number in range(options.replays)]
        done = []
        for job in concurrent.futures.as_completed(jobs):
            if job.exception():
                pool.shutdown(wait=False, cancel_futures=True)
            done.append(job.result())
            for sentence in done[-1]["trouble"]:
                print(sentence, flush=True)
            print(f"\r{len(done)} of {len(jobs)}, {time.monotonic() - begun:.0f} s", end="", file=sys.stderr)
    print(file=sys.stderr)
    counted = {kind: sum(sentence.startswith(kind) for one in done for sentence in one["trouble"]) for kind in ("missing", "altered", "different")}
    print(f"{len(done)} replays, {sum(one['kills'] for one in done)} kills, {sum(one['changes'] for one in done)} changes "
          f"({sum(one['repeated'] for one in done)} delivered again): "
          f"{counted['missing']} missing, {counted['altered']} altered, {counted['different']} final verdicts different")
    for preset in ("lab", "quick"):
        mine = [one for one in done if one["preset"] == preset and one["fault"]]
        delays = sorted(one["delay"] for one in mine if one["delay"] is not None)
        if delays:
            print(f"{preset}: {len(delays)} of {len(mine)} faults told of, {statistics.median(delays):.0f} s after they began "
                  f"in the median, {delays[0]:.0f} to {delays[-1]:.0f}")
    return 1 if any(counted.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
