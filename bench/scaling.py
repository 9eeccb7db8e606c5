#!/usr/bin/env python3
"""How the cost of `laggard diagnose` grows with components, days, threads and ranks, on simulated recordings of
Intrepid's shape. Prints the tables of docs/bench.md; --plot draws them (python3-matplotlib).

usage: bench/scaling.py LAGGARD_BINARY [--only components|days|threads|ranks] [--most COMPONENTS] [--keep FOLDER]
                        [--plot FILE.svg]
"""
import argparse
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

PER_ARRAY = 576
COMPONENTS = [2, 16, 174, 521, 1736]  # arrays: 1,152 to 999,936 attachments, two hours of 15-s samples each
DAYS = [1, 3, 10, 30]            # of two arrays


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("laggard")
    parser.add_argument("--only", choices=["components", "days", "threads", "ranks"])
    parser.add_argument("--most", type=int, default=1_000_000)
    parser.add_argument("--keep")
    parser.add_argument("--plot")
    return parser.parse_args()


def simulate(laggard, folder, arrays, duration, incidents):
    """The recording, unless it is there from the last time."""
    done = pathlib.Path(f"{folder}.done")
    if not done.exists():
        subprocess.run([pathlib.Path(laggard).with_name("laggard-lab"), "simulate", "--scale", "intrepid", "--arrays", str(arrays), "--duration", duration,
                        "--incidents", str(incidents), "--seed", "5", "-o", folder], check=True, stdout=subprocess.DEVNULL)
        done.touch()
    return folder


def measure(command):
    """Wall seconds, CPU seconds, and the most memory of one process in MB."""
    begin, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    complaint = process.stderr.read()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: {complaint.decode()}")
    # Ranks are children of mpirun, which waits for them: its usage holds theirs.
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return time.monotonic() - begin, cpu, used.ru_maxrss / 1000


def diagnose(laggard, folder, *options):
    return [laggard, "diagnose", folder, "--system", f"{folder}/system.toml", "--json", "/dev/null", *options]


class Table:
    def __init__(self, title, first):
        self.title, self.first, self.rows = title, first, []
        print(f"\n{title}\n\n| {first} | wall s | CPU s | MB |\n|---|---|---|---|", flush=True)

    def add(self, label, number, series, figures):
        self.rows.append((number, series, figures))
        print(f"| {label} | {figures[0]:.2f} | {figures[1]:.2f} | {figures[2]:.0f} |", flush=True)


def by_components(options, root):
    table = Table("Two hours at 15 s, two threads", "attachments")
    for arrays in COMPONENTS:
        count = arrays * PER_ARRAY
        if count > options.most:
            continue
        folder = simulate(options.laggard, root / f"arrays{arrays}", arrays, "2h", 1)
        # All pairs of a group are as many as its square: whole groups of tens of thousands are for the patient.
        if count <= 10 * COMPONENTS[1] * PER_ARRAY + PER_ARRAY * 20:
            table.add(f"{count:,}", count, "whole groups", measure(diagnose(options.laggard, folder)))
        table.add(f"{count:,}, in partitions of 1,000", count, "partitions of 1,000",
                  measure(diagnose(options.laggard, folder, "--set", "partition=1000")))
    return table


def by_days(options, root):
    table = Table("Two arrays (1,152 attachments), two threads", "days")
    for days in DAYS:
        folder = simulate(options.laggard, root / f"days{days}", 2, f"{24 * days}h", 1)
        table.add(str(days), days, "two arrays", measure(diagnose(options.laggard, folder)))
    return table


def by_threads(options, root):
    table = Table("Intrepid (9,216 attachments), a day", "threads")
    folder = simulate(options.laggard, root / "day", 16, "24h", 8)
    for threads in [1, 2]:
        table.add(str(threads), threads, "threads", measure(diagnose(options.laggard, folder, "--threads", str(threads))))
    return table


def by_ranks(options, root):
    table = Table("Intrepid, a day, ranks of one thread", "ranks")
    folder = simulate(options.laggard, root / "day", 16, "24h", 8)
    for ranks in [1, 2]:
        command = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", str(ranks),
                   *diagnose(options.laggard, folder, "--threads", "1")]
        table.add(str(ranks), ranks, "ranks", measure(command))
    return table


def plot(tables, path):
    import matplotlib
    matplotlib.use("svg")
    from matplotlib import pyplot
    figure, axes = pyplot.subplots(1, len(tables), figsize=(4.2 * len(tables), 3.6), squeeze=False)
    for axis, table in zip(axes[0], tables):
        for series in sorted({row[1] for row in table.rows}):
            points = [(number, figures) for number, name, figures in table.rows if name == series]
            line, = axis.plot([p[0] for p in points], [p[1][0] for p in points], marker="o", label=f"{series}, wall")
            axis.plot([p[0] for p in points], [p[1][1] for p in points], marker=".", linestyle="--",
                      color=line.get_color(), label="CPU")
        if table.first not in ("threads", "ranks"):
            axis.set_xscale("log")
            axis.set_yscale("log")
        else:
            axis.set_ylim(bottom=0)
            axis.set_xticks([row[0] for row in table.rows])
        axis.set_xlabel(table.first)
        axis.set_ylabel("s")
        axis.set_title(table.title, fontsize=8)
        axis.legend(fontsize=7)
    figure.tight_layout()
    figure.savefig(path)


def main():
    options = arguments()
    parts = {"components": by_components, "days": by_days, "threads": by_threads, "ranks": by_ranks}
    with tempfile.TemporaryDirectory() as scratch:
        root = pathlib.Path(options.keep or scratch)
        root.mkdir(parents=True, exist_ok=True)
        tables = [part(options, root) for name, part in parts.items() if options.only in (None, name)]
    if options.plot:
        plot(tables, options.plot)


main()
