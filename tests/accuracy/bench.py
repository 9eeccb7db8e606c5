#!/usr/bin/env python3
"""Scores `laggard diagnose` on runs of `laggard-lab bench`, untrained, by its defaults: the table of docs/accuracy/bench.md.

usage: tests/accuracy/bench.py LAGGARD_BINARY RUNS_FOLDER
Every run in RUNS_FOLDER that has a truth.json is diagnosed with the quick and with the lab preset and reported, right
or wrong; then ITP, IFP, DTP, DFP over all runs (F §11 footnote 5).
"""
import json
import pathlib
import sys

from traces import judge, latency, run


def main():
    binary, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    runs = [(p.parent.name, json.loads(p.read_text()), p.parent) for p in folder.glob("*/truth.json")]
    runs.sort(key=lambda r: r[1]["workload_start"])
    presets = ["auto", "quick", "lab"]
    counts = {p: [] for p in presets}
    print("| run | CPU busy | " + " | ".join(presets) + " | latency (auto) |")
    print("|---|---|" + "---|" * (len(presets) + 1))
    for name, truth, path in runs:
        cells, late = [], None
        for preset in presets:
            diagnosis = json.loads(run(binary, "diagnose", str(path), "--system", str(path / "system.toml"),
                                       "--preset", preset, "--json", "-"))
            verdict = judge(truth, diagnosis)
            counts[preset].append((truth["fault"], verdict))
            cells.append(verdict[4])
            if preset == "auto":
                late = latency(truth, diagnosis)
        busy = truth.get("cpu_busy")
        print(f"| {name} | {100 * busy:.0f} % | " + " | ".join(cells) + f" | {f'{late:.0f} s' if late else '–'} |")
    print("\n| preset | with fault | without | ITP | IFP | DTP | DFP |\n|---|---|---|---|---|---|---|")
    for preset in presets:
        sick = [v for f, v in counts[preset] if f != "none"]
        every = [v for _, v in counts[preset]]
        rate = lambda which, some: 100 * sum(v[which] for v in some) / max(1, len(some))
        print(f"| {preset} | {len(sick)} | {len(every) - len(sick)} | {rate(0, sick):.1f} % | {rate(1, every):.1f} % | "
              f"{rate(2, sick):.1f} % | {rate(3, every):.1f} % |")


if __name__ == "__main__":
    main()
