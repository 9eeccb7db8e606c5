#!/usr/bin/env python3
"""Simulates random days of a production site, diagnoses them, and holds the diagnoses against the truth.

usage: tests/accuracy/scale.py LAGGARD_BINARY [--days 20] [--seeds odd|even|all] [--site intrepid|surveyor]
                               [--duration 24h] [--keep FOLDER] [--diagnose "--distance median ..."] [--name cdf]

Day i has 1 to 4 concurrent problems, (i mod 4) + 1, of the seed's choice; a healthy day follows.
Tuning is done on even seeds, odd ones are reported. With --keep recordings and diagnoses stay and are used again;
--name tells diagnoses with other options apart. Prints the tables of `laggard-lab score`; docs/accuracy/site.md has them.
"""
import argparse
import pathlib
import subprocess
import sys
import tempfile


def run(*command):
    return subprocess.run([str(part) for part in command], check=True, capture_output=True, text=True).stdout


def lab_of(options):
    return pathlib.Path(options.laggard).with_name("laggard-lab")


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("laggard")
    parser.add_argument("--days", type=int, default=20)
    parser.add_argument("--seeds", choices=["odd", "even", "all"], default="odd")
    parser.add_argument("--first", type=int, default=1, help="the first seed looked at")
    parser.add_argument("--site", default="intrepid")
    parser.add_argument("--duration", default="24h")
    parser.add_argument("--keep")
    parser.add_argument("--diagnose", default="", help="more options of `laggard diagnose`")
    parser.add_argument("--name", default="cdf", help="of the diagnoses made with them")
    return parser.parse_args()


def seeds(options):
    wanted = {"odd": lambda s: s % 2 == 1, "even": lambda s: s % 2 == 0, "all": lambda s: True}[options.seeds]
    found, seed = [], options.first
    while len(found) < options.days:
        if wanted(seed):
            found.append(seed)
        seed += 1
    return found


def simulate(options, seed, problems, folder, *more):
    if (folder / "truth.json").exists():
        return
    run(lab_of(options), "simulate", "--scale", options.site, "--duration", options.duration, "--seed", seed,
        "--threads", 2, *(["--incidents", problems] if problems else []), *more, "-o", folder)


def simulated_days(options, root):
    """Their folders; those that are there are used again."""
    days = []
    for i, seed in enumerate(seeds(options)):
        problems = i % 4 + 1
        folder = root / f"{options.site}-{seed:03}-{problems}"
        simulate(options, seed, problems, folder)
        days.append(folder)
    return days


def diagnose(options, folder):
    diagnosis = folder / f"{options.name}.json"
    if not diagnosis.exists():
        run(options.laggard, "diagnose", folder, "--system", folder / "system.toml", "--json", diagnosis,
            *options.diagnose.split())


def diagnose_all(options, days):
    for i, folder in enumerate(days):
        diagnose(options, folder)
        print(f"{options.name}: {i + 1} of {len(days)} days", file=sys.stderr)


def main():
    options = arguments()
    with tempfile.TemporaryDirectory() as scratch:
        root = pathlib.Path(options.keep or scratch)
        root.mkdir(parents=True, exist_ok=True)
        days = simulated_days(options, root)
        diagnose_all(options, days)
        print(f"{options.days} days of {options.site}, {options.duration}, {options.seeds} seeds from {options.first}\n")
        print(run(lab_of(options), "score", *days, "--diagnosis", f"{options.name}.json"))
        healthy = root / f"{options.site}-healthy"
        simulate(options, 1000 + options.first, 0, healthy)
        diagnose(options, healthy)
        print("A healthy day\n")
        print(run(lab_of(options), "score", healthy, "--diagnosis", f"{options.name}.json"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
