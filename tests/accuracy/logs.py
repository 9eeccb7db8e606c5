#!/usr/bin/env python3
"""Scores `laggard log match` on the log samples in ../shared/data/loghub.

usage: tests/accuracy/logs.py LAGGARD_BINARY
An alert is a line that a pattern of a failure matches whose severity is error or worse.

BGL: precision and recall of alerts against the label, which is `-` where there is none. Patterns were written from the templates with
even numbers, and from the published list of BGL's alerts (Oliner and Stearley, DSN 2007, table 4); lines of odd templates were not
read, and are what counts. Node alerts are those of the kernel, storage alerts those of input and output.

HPC, Linux, Thunderbird: the templates in loghub_truth.csv are those that tell of a failure, with the kinds of parts that are right; they
were chosen after the patterns had been written, and these have not changed since. All other templates are routine.
"""
import csv
import json
import pathlib
import subprocess
import sys
from collections import Counter

DATA = pathlib.Path(__file__).resolve().parents[3] / "shared/data/loghub"
TRUTH = pathlib.Path(__file__).with_name("loghub_truth.csv")
STORAGE = {"KERNMNTF", "APPREAD", "APPRES", "APPSEV", "APPTO", "APPOUT"}
NODE = {"KERNDTLB", "KERNSTOR", "KERNTERM", "KERNREC", "KERNRTSP"}


def match(laggard, system):
    """Of each line what laggard says."""
    log = DATA / system / f"{system}_2k.log"
    said = subprocess.run([laggard, "log", "match", str(log), "--json"], check=True, capture_output=True, text=True).stdout
    return [json.loads(line) for line in said.splitlines()]


def lines_of(system):
    with open(DATA / system / f"{system}_2k.log_structured.csv", newline="") as file:
        return list(csv.DictReader(file))


def is_alert(said):
    return said["class"] == "failure" and said["severity"] in ("emergency", "alert", "critical", "error")


def share(part, whole):
    return f"{part}/{whole} = {part / whole:.3f}" if whole else "none"


def score_bgl(laggard):
    rows = list(zip(lines_of("BGL"), match(laggard, "BGL"), strict=True))
    print("| BGL | precision | recall | recall of storage | recall of node |")
    print("|---|---|---|---|---|")
    for name, wanted in (("odd templates, not read before", lambda n: n % 2 == 1), ("even templates", lambda n: n % 2 == 0),
                         ("all lines", lambda n: True)):
        part = [(row["Label"], is_alert(said)) for row, said in rows if wanted(int(row["EventId"][1:]))]
        told = [label for label, alert in part if alert]
        recalls = []
        for labels in (None, STORAGE, NODE):
            true = [alert for label, alert in part if label != "-" and (labels is None or label in labels)]
            recalls.append(share(sum(true), len(true)))
        print(f"| {name} | {share(sum(label != '-' for label in told), len(told))} | {' | '.join(recalls)} |")
    missed = Counter(row["Label"] for row, said in rows if row["Label"] != "-" and not is_alert(said))
    false = Counter(said["pattern"] for row, said in rows if row["Label"] == "-" and is_alert(said))
    print(f"\nmissed: {dict(missed)}; false: {dict(false)}\n")


def score_others(laggard):
    with open(TRUTH, newline="") as file:
        truth = {(row["system"], row["template"]): set(row["parts"].split()) for row in csv.DictReader(file)}
    print("| system | failures matched | to the right kind of part | templates of failures | routine lines matched |")
    print("|---|---|---|---|---|")
    totals = Counter()
    for system in ("HPC", "Linux", "Thunderbird"):
        count, templates, right_templates = Counter(), set(), set()
        for row, said in zip(lines_of(system), match(laggard, system), strict=True):
            parts = truth.get((system, row["EventId"]))
            kind = "failures" if parts else "routine"
            count[kind] += 1
            count[kind + " matched"] += said["pattern"] is not None
            if not parts:
                continue
            templates.add(row["EventId"])
            if said["class"] == "failure" and said["part"] in parts:
                count["right"] += 1
                right_templates.add(row["EventId"])
        totals += count
        totals.update({"templates": len(templates), "right templates": len(right_templates)})
        print_row(system, count, len(right_templates), len(templates))
    print_row("all", totals, totals["right templates"], totals["templates"])


def print_row(name, count, right, templates):
    print(f"| {name} | {share(count['failures matched'], count['failures'])} | {share(count['right'], count['failures'])} | "
          f"{share(right, templates)} | {share(count['routine matched'], count['routine'])} |")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    score_bgl(sys.argv[1])
    score_others(sys.argv[1])


main()
