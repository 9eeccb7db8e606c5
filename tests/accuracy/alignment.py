#!/usr/bin/env python3
"""Scores `laggard diagnose` on the recorded runs in ../shared/traces, moved against the grid of windows.

usage: tests/accuracy/alignment.py LAGGARD_BINARY [SECONDS ...]     (default 2 4 6 9 13)
Windows start at multiples of their shift since the epoch, so when a run happened decides how its fault is cut up. Every
run is moved by each number of seconds and diagnosed without training; prints a Markdown table and what came out wrong.
"""
import lzma
import pathlib
import sys
import tempfile

from traces import CAUSE, DATA, judge, run
import json


def moved(samples, seconds, path):
    """Writes the CSV with its times moved."""
    head, *lines = samples
    with open(path, "w") as out:
        out.write(head + "\n")
        for line in lines:
            time, rest = line.split(",", 1)
            out.write(f"{float(time) + seconds:.3f},{rest}\n")


def is_right(truth, diagnosis):
    right, wrong, named, misnamed, text = judge(truth, diagnosis)
    sick = truth["fault"] in CAUSE
    return (not wrong and not misnamed and (not sick or (right and named))), text


def main():
    if not DATA.is_dir():
        print(f"skipped: {DATA} is not there")
        return 0
    binary = sys.argv[1]
    shifts = [float(s) for s in sys.argv[2:]] or [2, 4, 6, 9, 13]
    folder = pathlib.Path(tempfile.mkdtemp())
    count = {"quick": [0, 0], "lab": [0, 0]}
    for path in sorted(DATA.glob("*/truth.json")):
        truth, name = json.loads(path.read_text()), path.parent.name
        samples = lzma.open(path.parent / "samples.csv.xz", "rt").read().splitlines()
        for shift in shifts:
            recording = folder / f"{name}-{shift}"
            moved(samples, shift, folder / "moved.csv")
            run(binary, "import", "csv", str(folder / "moved.csv"), "--out", str(recording))
            for preset in ["quick", "lab"] if "-L" in name else ["quick"]:
                said = json.loads(run(binary, "diagnose", str(recording), "--preset", preset, "--json", "-"))
                right, text = is_right(truth, said)
                count[preset][0] += right
                count[preset][1] += 1
                if not right:
                    print(f"<!-- {name} moved by {shift} s, {preset}: {text} -->")
    print("| untrained, moved by " + ", ".join(f"{s:g}" for s in shifts) + " s | runs | right |\n|---|---|---|")
    for preset, (right, all_runs) in count.items():
        print(f"| {preset} | {all_runs} | {right} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
