#!/usr/bin/env python3
"""False alarms and misses by days of history, of `laggard diagnose` with --learn and without, on simulated sites and on Perseus.

usage: tests/accuracy/history.py LAGGARD LAB [--seeds 11,13] [--arrays 2] [--incidents 10] [--days 20] [--keep FOLDER] [--clusters ACJ]

Simulated: per seed so many days of a site. A *false alarm* is an incident, confirmed or suspected, that names nobody whom an injected
problem affects within a day of it; it belongs to the day on which it became faulty. An injected problem is *missed* when nothing that
is confirmed within a day of its beginning names anybody whom it affects; it belongs to the day on which it begins. Transients, minutes
of work that no one is to blame for, are no problems.

Perseus: what was recorded up to the end of day n + 1 is judged; counted are disks of incidents, healthy and sick.
"""
import argparse
import collections
import json
import pathlib
import subprocess
import tarfile
import tempfile
from datetime import datetime, timedelta

import perseus

DAY = timedelta(days=1)
BUCKETS = [(0, 0), (1, 1), (2, 3), (4, 6), (7, 10), (11, 14)]


def run(*command):
    return subprocess.run([str(part) for part in command], check=True, capture_output=True, text=True).stdout


def moment(text):
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


def diagnosis(options, recording, scratch, learn, *more):
    learning = ["--learn", scratch / "learnt.toml"] if learn else []
    return json.loads(run(options.laggard, "diagnose", recording, "--json", "-", *learning, *more))


def named(incident):
    return set(incident["components"])


def score_site(truth, found):
    """By day: false alarms confirmed, suspected; problems, missed."""
    begin, days = moment(truth["from"]), collections.defaultdict(lambda: [0, 0, 0, 0])
    problems = [(moment(one["start"]), moment(one["stop"]), set(one["affected"]) | set(one["relieving"])) for one in truth["incidents"]]
    for incident in found:
        if incident["status"] in ("explained", "excluded", "withdrawn"):
            continue
        since = moment(incident["faulty_since"])
        if any(start - DAY / 24 <= since <= stop + DAY and who & named(incident) for start, stop, who in problems):
            continue
        days[(since - begin) // DAY][0 if incident["state"] == "confirmed" else 1] += 1
    for start, stop, who in problems:
        day = days[(start - begin) // DAY]
        day[2] += 1
        hits = [one for one in found if one["state"] == "confirmed" and who & named(one) and
                moment(one["since"]) <= start + DAY and (one["until"] is None or moment(one["until"]) >= start)]
        day[3] += not hits
    return days


def simulated(options, scratch):
    total = {learn: collections.defaultdict(lambda: [0, 0, 0, 0]) for learn in (False, True)}
    for seed in options.seeds.split(","):
        site = (options.keep or scratch) / f"site-{seed}-{options.arrays}-{options.incidents}-{options.days}"
        if not site.exists():
            run(options.lab, "simulate", "--scale", "surveyor", "--arrays", options.arrays, "--incidents", options.incidents,
                "--duration", f"{options.days}d", "--seed", seed, "-o", site)
        truth = json.loads((site / "truth.json").read_text())
        for learn, sums in total.items():
            found = diagnosis(options, site, scratch, learn, "--system", site / "system.toml")["incidents"]
            for day, counts in score_site(truth, found).items():
                for bucket in BUCKETS:
                    if bucket[0] <= day <= bucket[1]:
                        sums[bucket] = [a + b for a, b in zip(sums[bucket], counts)]
    sites = len(options.seeds.split(","))
    print("| days of history | problems | missed, not learning | missed | false alarms a day, not learning: confirmed, suspected | "
          "confirmed, suspected |\n|---|---|---|---|---|---|")
    for first, last in BUCKETS:
        before, now = (total[learn][(first, last)] for learn in (False, True))
        days = sites * (last - first + 1)
        rates = [f"{x / days:.2f}" for x in (*before[:2], *now[:2])]
        name = str(first) if first == last else f"{first} to {last}"
        print(f"| {name} | {now[2]} | {before[3]} | {now[3]} | {rates[0]}, {rates[1]} | {rates[2]}, {rates[3]} |")


def ends_of_days(archive):
    """Of recorded days, as Unix times."""
    days = {}
    with tarfile.open(archive) as tar:
        for member in tar.getmembers():
            if member.name.endswith(".csv"):
                for line in tar.extractfile(member).read().decode().splitlines()[1:]:
                    at = int(line.split(",")[0])
                    days[at // 86400] = max(days.get(at // 86400, 0), at)
    return [days[day] for day in sorted(days)]


def recorded(options, scratch):
    truth = perseus.labels()
    table = collections.defaultdict(lambda: [0] * 8)
    for archive in sorted(perseus.DATA.glob("cluster_*.tar.gz")):
        cluster, _, host = archive.name[len("cluster_"):-len(".tar.gz")].partition("_")
        if cluster not in options.clusters:
            continue
        recording = (options.keep or scratch) / f"{cluster}_{host}"
        if not recording.is_dir():
            run(options.laggard, "import", "csv", archive, "--time", "ts", "--component", "disk_id", "--host", host, "--gauge",
                "throughput,latency", "--out", recording)
        slow = truth.get((cluster, host), set())
        ends = ends_of_days(archive)
        for day in (0, 1, 3, 7, 13):
            if day >= len(ends):
                continue
            row = table[day]
            row[0] += len(slow)
            row[1] += perseus.disks_of(archive) - len(slow)
            for at, learn in ((2, False), (5, True)):
                confirmed, seen = set(), set()
                for incident in diagnosis(options, recording, scratch, learn, "--to", ends[day] + 1)["incidents"]:
                    if incident["status"] in ("explained", "withdrawn"):
                        continue
                    disks = {name.split("/")[1] for name in incident["components"]}
                    seen |= disks
                    confirmed |= disks if incident["state"] == "confirmed" else set()
                row[at] += len(slow - confirmed)
                row[at + 1] += len(confirmed - slow)
                row[at + 2] += len(seen - confirmed - slow)
    print("\n| days of history | sick | healthy | not learning: missed, confirmed, suspected | missed, confirmed, suspected |"
          "\n|---|---|---|---|---|")
    for day, row in sorted(table.items()):
        print(f"| {day} | {row[0]} | {row[1]} | {row[2]}, {row[3]}, {row[4]} | {row[5]}, {row[6]}, {row[7]} |")


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("laggard")
    parser.add_argument("lab")
    parser.add_argument("--seeds", default="11,13")
    parser.add_argument("--arrays", type=int, default=2)
    parser.add_argument("--incidents", type=int, default=10)
    parser.add_argument("--days", type=int, default=20)
    parser.add_argument("--clusters", default="ACJ")
    parser.add_argument("--keep", type=pathlib.Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        scratch = pathlib.Path(name)
        simulated(options, scratch)
        if perseus.DATA.is_dir():
            recorded(options, scratch)


if __name__ == "__main__":
    main()
