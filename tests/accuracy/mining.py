#!/usr/bin/env python3
"""Scores `laggard log mine` on the log samples in ../shared/data/loghub.

usage: tests/accuracy/mining.py LAGGARD_BINARY
Grouping accuracy (Zhu et al., ICSE-SEIP 2019): the share of lines whose statement has exactly the lines of one template of the sample.
Mixed: the share of lines that are in a statement most of whose lines are of another template; these are what hides a difference.
The similarity and the depth of the tree were chosen on HPC and Linux; BGL and Thunderbird were looked at once, afterwards.
"""
import collections
import csv
import json
import pathlib
import resource
import subprocess
import sys

DATA = pathlib.Path(__file__).resolve().parents[3] / "shared/data/loghub"


def mined(laggard, system):
    log = DATA / system / f"{system}_2k.log"
    words = [laggard, "log", "mine", str(log), "--severity", "debug", "--known", "--json"]
    said = subprocess.run(words, check=True, capture_output=True, text=True).stdout
    return [json.loads(line)["template"] for line in said.splitlines()]


def score(found, truth):
    lines_of, true_lines_of = collections.defaultdict(set), collections.defaultdict(set)
    for line, (statement, template) in enumerate(zip(found, truth, strict=True)):
        lines_of[statement].add(line)
        true_lines_of[template].add(line)
    right = sum(len(lines) for lines in lines_of.values() if lines == true_lines_of[truth[min(lines)]])
    mixed = sum(len(lines) - max(collections.Counter(truth[line] for line in lines).values()) for lines in lines_of.values())
    return right / len(truth), mixed / len(truth), len(lines_of), len(true_lines_of)


def speed(laggard):
    """Lines per second of CPU, of all samples 25 times."""
    logs = [str(DATA / system / f"{system}_2k.log") for system in ("BGL", "HPC", "Linux", "Thunderbird")] * 25
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([laggard, "log", "mine", *logs, "--severity", "debug", "--known"], check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 2000 * len(logs) / (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    print("| log | grouping accuracy | lines mixed with others | statements | templates of the sample |")
    print("|---|---|---|---|---|")
    for system in ("HPC", "Linux", "BGL", "Thunderbird"):
        with open(DATA / system / f"{system}_2k.log_structured.csv", newline="") as file:
            truth = [row["EventId"] for row in csv.DictReader(file)]
        accuracy, mixed, found, true = score(mined(sys.argv[1], system), truth)
        print(f"| {system} | {accuracy:.3f} | {mixed:.3f} | {found} | {true} |")
    print(f"\n{speed(sys.argv[1]):,.0f} lines/s of CPU")


main()
