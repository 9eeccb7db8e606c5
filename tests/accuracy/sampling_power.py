#!/usr/bin/env python3
"""How much of a processor a program must use until it is named, by how often processors are sampled.

usage: tests/accuracy/sampling_power.py LAGGARD RUN [--frequency 99,999,3999] [--share 0.1,0.2,0.5,1,2] [--times 20] [--seed 1]

RUN is a run of `laggard-lab bench --samples` without a fault. What its servers did, period by period, is taken for what they do;
samples of it are drawn anew, by chance as a sampler draws them, at each frequency. On one server a program besides uses a share
of a processor, in %, for the second half of the run. Each drawing is imported and judged without training. Printed is in how many
of so many drawings that server, and no other, was found by `samples` (B's comparison), by `programs` (laggard's), and by either.
"""
import argparse
import collections
import csv
import io
import json
import pathlib
import random
import subprocess
import sys
import tempfile

COMPARISONS = ["samples", "programs"]
# What a program that copies spends its time in.
ROGUE = {"copy_user_generic": 0.5, "vfs_read": 0.2, "vfs_write": 0.2, "entry_SYSCALL_64": 0.1}


def run(*words):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    if done.returncode not in (0, 1):
        sys.exit(f"{' '.join(map(str, words))}: {done.stderr.strip()}")
    return done.stdout


def poisson(chance, mean):
    """Of small means by the definition, else by its normal limit."""
    if mean > 50:
        return max(0, round(chance.gauss(mean, mean ** 0.5)))
    count, product, limit = 0, chance.random(), 2.718281828459045 ** -mean
    while product > limit:
        count, product = count + 1, product * chance.random()
    return count


def usage_of(laggard, recording):
    """{host: [(start, seconds, {(program, binary, function): seconds of a processor})]}."""
    usage = collections.defaultdict(dict)
    for row in csv.DictReader(io.StringIO(run(laggard, "export", recording, "--profiles", "samples"))):
        period = (float(row["time"]), float(row["length_s"]))
        words = usage[row["host"]].setdefault(period, {})
        words[tuple(row["what"].split(";"))] = int(row["count"]) * float(row["each_s"])
    return {host: [(start, length, words) for (start, length), words in sorted(periods.items())] for host, periods in usage.items()}


def perf_lines(periods, rogue_from, share, frequency, chance):
    """Samples as `perf script` writes them."""
    lines = []
    for start, length, words in periods:
        used = dict(words)
        if start >= rogue_from:
            used |= {("dd", "[kernel]", function): part * share * length for function, part in ROGUE.items()}
        for (program, binary, function), seconds in used.items():
            comm, pid = ("swapper", 0) if program == "[kernel]" else (program.replace(" ", "_"), 77)
            where = "[kernel.kallsyms]" if binary == "[kernel]" else binary or "[unknown]"
            for _ in range(poisson(chance, seconds * frequency)):
                at = start + chance.random() * length
                lines.append((at, f"{comm} {pid} [000] {at:.6f}: {round(1e9 / frequency)} cpu-clock: ffff "
                                  f"{function.replace(' ', '_') or '[unknown]'} ({where})\n"))
    return [line for _, line in sorted(lines)]


def found(laggard, usage, system, sick, share, frequency, chance):
    """{comparison: the servers that it names} in one drawing."""
    middle = (min(p[0][0] for p in usage.values()) + max(p[-1][0] for p in usage.values())) / 2
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for host, periods in usage.items():
            lines = perf_lines(periods, middle if host == sick else float("inf"), share, frequency, chance)
            text = folder / "perf.txt"
            text.write_text("".join(lines))
            run(laggard, "import", "perf", text, "--host", host, "--start", lines[0].split()[3][:-1], "--out", folder / "rec")
        said = json.loads(run(laggard, "diagnose", folder / "rec", "--system", system, "--preset", "quick", "--json", "-"))
    names = collections.defaultdict(set)
    for incident in said["incidents"]:
        for evidence in incident["evidence"]:
            names[evidence["detector"]].add(evidence["component"].split("/")[0])
    return {comparison: names[comparison] for comparison in COMPARISONS}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("laggard", type=pathlib.Path)
    parser.add_argument("run", type=pathlib.Path)
    parser.add_argument("--frequency", default="99,999,3999")
    parser.add_argument("--share", default="0.1,0.2,0.5,1,2")
    parser.add_argument("--times", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    laggard, chance = options.laggard.resolve(), random.Random(options.seed)
    usage = usage_of(laggard, options.run)
    if len(usage) < 3:
        sys.exit(f"{options.run}: holds no samples of three servers (laggard-lab bench --samples)")
    busy = sum(sum(words.values()) for periods in usage.values() for _, _, words in periods)
    time = sum(length for periods in usage.values() for _, length, _ in periods)
    print(f"{len(usage)} servers that use {100 * busy / time:.1f} % of a processor each\n")
    print("| share of a processor | Hz | " + " | ".join([*COMPARISONS, "either", "another server"]) + " |\n|---|---|" + "---|" * 4)
    hosts = sorted(usage)
    for share in map(float, options.share.split(",")):
        for frequency in map(int, options.frequency.split(",")):
            counted = collections.Counter()
            for _ in range(options.times):
                sick = chance.choice(hosts)
                names = found(laggard, usage, options.run / "system.toml", sick, share / 100, frequency, chance)
                for comparison, named in names.items():
                    counted[comparison] += sick in named
                every = set().union(*names.values())
                counted["either"] += sick in every
                counted["another server"] += bool(every - {sick})
            print(f"| {share:g} % | {frequency} | " + " | ".join(str(counted[key]) for key in (*COMPARISONS, "either", "another server"))
                  + " |", flush=True)


if __name__ == "__main__":
    main()
