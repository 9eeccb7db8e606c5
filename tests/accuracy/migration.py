#!/usr/bin/env python3
"""T §6.2.3 measured: on a site as small as Surveyor a server's own work stands out, and moves to another server when that
server goes down. T retrained after each such move, or asked for both peer groups of an attachment to agree.

usage: tests/accuracy/migration.py LAGGARD_BINARY [--seeds 1,3,5,...] [--keep FOLDER]

Of each seed two days without a problem and two in which a server is down for hours; seeds are left out where it has no
work of its own, or does not come back. Thresholds are trained on the days without, or retrained on the first half of the
time after the server is back; judged is the second half, in which nothing is wrong. Prints the table of
docs/accuracy/site.md.
"""
import argparse
import datetime
import json
import pathlib
import sys
import tempfile

from scale import lab_of, run

METHODS = {
    "T's algorithm": ["--algorithm", "paper"],
    "laggard": [],
}


def at(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))


def iso(time):
    return time.strftime("%Y-%m-%dT%H:%M:%SZ")


def simulate(options, folder, seed, *more):
    if not (folder / "truth.json").exists():
        run(lab_of(options), "simulate", "--scale", "surveyor", "--duration", "48h",
            "--seed", seed, *more, "-o", folder)


def halves(truth):
    """The two halves of the time after the server is back; nothing where no work moved."""
    outage = truth["incidents"][0]
    if not any(work["stop"] == outage["start"] for work in truth["server_work"]):
        return None
    back, end = at(outage["stop"]), at(truth["to"])
    if outage["ongoing"] or end - back < datetime.timedelta(hours=6):
        return None
    return back, back + (end - back) / 2, end


def accused(options, day, system, begin, end, *more):
    """How many attachments are in incidents that somebody is told of, and of those how many are confirmed."""
    output = day / "diagnosis.json"
    run(options.laggard, "diagnose", day, "--system", system, "--preset", "production", "--from", iso(begin), "--to", iso(end),
        "--json", output, *more)
    told = [i for i in json.loads(output.read_text())["incidents"] if i["status"] in ("open", "closed")]
    confirmed = {c for i in told if i["state"] == "confirmed" for c in i["components"]}
    return len(confirmed), len({c for i in told for c in i["components"]} - confirmed)


def judge(options, root, seed, counts):
    before, day = root / f"before-{seed}", root / f"outage-{seed}"
    simulate(options, day, seed, "--incident", "server-down")
    times = halves(json.loads((day / "truth.json").read_text()))
    if times is None:
        return False
    simulate(options, before, seed)
    back, middle, end = times
    double = day / "system.toml"
    single = day / "single.toml"
    single.write_text(double.read_text().replace("double_peers = true", "double_peers = false"))
    for method, algorithm in METHODS.items():
        for peers, system in (("one group", single), ("both groups", double)):
            common = ["--preset", "production", "--system", system, *algorithm, "-o"]
            old, new = day / "old.toml", day / "new.toml"
            run(options.laggard, "train", before, *common, old)
            run(options.laggard, "train", day, "--from", iso(back), "--to", iso(middle), "--keep-all", *common, new)
            ways = {"trained before": ["--thresholds", old], "retrained": ["--thresholds", new]}
            if not algorithm:
                ways["untrained"] = []
            for way, more in ways.items():
                found = accused(options, day, system, middle, end, *algorithm, *more)
                total = counts.setdefault((method, peers, way), [0, 0])
                for i in range(2):
                    total[i] += found[i]
    return True


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("laggard")
    parser.add_argument("--seeds", default=",".join(str(seed) for seed in range(1, 101, 2)))
    parser.add_argument("--keep")
    options = parser.parse_args()
    counts, days = {}, 0
    with tempfile.TemporaryDirectory() as scratch:
        root = pathlib.Path(options.keep or scratch)
        root.mkdir(parents=True, exist_ok=True)
        for seed in options.seeds.split(","):
            days += judge(options, root, seed, counts)
            print(f"seed {seed}: {days} days with work that moved", file=sys.stderr)
    print(f"{days} days, {32 * days} attachments, of which nobody is sick: confirmed, and suspected besides\n")
    print("| | peers | trained before | retrained | untrained |\n|---|---|---|---|---|")
    for method in METHODS:
        for peers in ("one group", "both groups"):
            cells = [counts.get((method, peers, way)) for way in ("trained before", "retrained", "untrained")]
            print(f"| {method} | {peers} | " + " | ".join("{}, {}".format(*c) if c else "" for c in cells) + " |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
