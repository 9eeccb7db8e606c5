#!/usr/bin/env python3
"""Days of a production site on whose arrays two problems meet, and what is blamed for each.

usage: tests/accuracy/shared_arrays.py LAGGARD_BINARY --seeds 302,304,306 [--keep FOLDER] [--name cdf]

Simulates Intrepid with 8 arrays and 16 problems a day, diagnoses it, and holds the diagnoses against the truth as
`laggard-lab score` does. Of every problem that is not blamed rightly it prints what was injected, what else happened
to its array, and which incidents are about the attachments that show it. Two kinds of problems are undecidable from
what is recorded. One is *hidden* when each attachment that shows it (of a LUN's, each of that LUN's) is lost to another
problem for as long as it lasts, but for at most two windows. An array's is *half hidden* when all that are not lost so
are on one controller: the same would be recorded if it were the controller's. Tuning is done on even seeds, odd ones are reported once. With --keep recordings and
diagnoses stay and are used again; --name tells those of other versions apart.
"""
import argparse
import datetime
import json
import pathlib
import subprocess
import sys
import tempfile

LOSSES = {"controller-failed", "server-down", "misconfiguration", "coherency-lost", "service-down", "luns-inaccessible"}
SHORT = datetime.timedelta(minutes=22.5)  # Two windows of 15 minutes that overlap by half.


def run(*command):
    return subprocess.run([str(part) for part in command], check=True, capture_output=True, text=True).stdout


def at(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))


def clock(text):
    return at(text).strftime("%H:%M") if text else "the end"


def day_of(options, root, seed):
    folder = root / f"shared-{seed:03}"
    laggard = pathlib.Path(options.laggard)
    if not (folder / "truth.json").exists():
        run(laggard.with_name("laggard-lab"), "simulate", "--scale", "intrepid", "--arrays", 8, "--incidents", 16,
            "--seed", seed, "--threads", 2, "-o", folder)
    if not (folder / f"{options.name}.json").exists():
        run(laggard, "diagnose", folder, "--system", folder / "system.toml", "--json", folder / f"{options.name}.json")
    return folder


def array_of(problem):
    return problem["affected"][0].split(".")[0]


def lost_until(problem, others, attachment):
    """How long the attachment can be seen while the problem lasts."""
    begin, end = at(problem["start"]), at(problem["stop"])
    seen = end - begin
    for other in others:
        if other["kind"] in LOSSES and attachment in other["affected"]:
            seen = min(seen, max(at(other["start"]) - begin, datetime.timedelta())
                       + max(end - at(other["stop"]), datetime.timedelta()))
    return seen


def controller_of(attachment):
    return (int(attachment.split(".")[2]) - 1) % 8 // 4


def hidden_by(problem, others):
    """`hidden`, `half hidden` or nothing."""
    shows = problem["affected"]
    if problem["blame"]["kind"] == "lun":
        number = int(problem["blame"]["name"][-3:])
        shows = [attachment for attachment in shows if int(attachment.split(".")[1]) == number]
    seen = [attachment for attachment in shows if lost_until(problem, others, attachment) > SHORT]
    if not seen:
        return "hidden"
    both = len({controller_of(attachment) for attachment in seen}) > 1
    return "half hidden" if problem["blame"]["kind"] == "array" and not both else ""


def describe(problem):
    return (f"{problem['kind']} {problem['blame']['kind']} {problem['blame']['name']}, {clock(problem['start'])} to "
            f"{clock(problem['stop'])}, {len(problem['affected'])} attachments")


def print_wrong(day, problem, truth, diagnosis):
    beside = [other for other in truth if other is not problem and array_of(other) == array_of(problem)]
    hidden = hidden_by(problem, beside)
    print(f"{day.name}: {describe(problem)}{', ' if hidden else ''}{hidden}")
    for other in beside:
        shared = len(set(problem["affected"]) & set(other["affected"]))
        print(f"    beside {describe(other)}, {shared} of them the same")
    shows = set(problem["affected"]) | set(problem["relieving"])
    for incident in diagnosis["incidents"]:
        mine = len(shows & set(incident["components"]))
        if mine > 0:
            print(f"    said   {incident['blame']['kind']} {incident['blame']['name']}: {incident['cause']}, "
                  f"{clock(incident['since'])} to {clock(incident['until'])}, {incident['state']}, "
                  f"{incident['status']}, {mine} of {len(incident['components'])} components")
    return bool(hidden)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("laggard")
    parser.add_argument("--seeds", required=True)
    parser.add_argument("--keep")
    parser.add_argument("--name", default="cdf")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        root = pathlib.Path(options.keep or scratch)
        root.mkdir(parents=True, exist_ok=True)
        days = [day_of(options, root, int(seed)) for seed in options.seeds.split(",")]
        lab = pathlib.Path(options.laggard).with_name("laggard-lab")
        scores = json.loads(run(lab, "score", *days, "--diagnosis", f"{options.name}.json", "--json", "-"))
        hidden = 0
        for score in scores["recordings"]:
            day = pathlib.Path(score["recording"])
            truth = json.loads((day / "truth.json").read_text())["incidents"]
            diagnosis = json.loads((day / f"{options.name}.json").read_text())
            for problem, verdict in zip(truth, score["problems"]):
                if not verdict["blamed"]:
                    hidden += print_wrong(day, problem, truth, diagnosis)
            for alarm in score["false_alarms"]:
                print(f"{day.name}: false: {alarm}")
        total = scores["all"]
        print(f"\n{total['problems']} problems: {total['blamed']} blamed rightly, {hidden} of the others hidden or half hidden; "
              f"{total['kind_right']} kinds right; {total['false_alarms']} false alarms")
    return 0


if __name__ == "__main__":
    sys.exit(main())
