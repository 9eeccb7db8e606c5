#!/usr/bin/env python3
"""F's tables over several hardware seeds, and on other hardware: the tables "Simulated clusters" of docs/accuracy/clusters.md.

usage: tests/accuracy/hardware.py LAGGARD_LAB --keep FOLDER [--seeds 1,2,3,4,5] [--iterations 10] [--training 10]
                                  [--runs-from 1] [--other | --unseen]

A hardware seed draws the machines: how fast each disk and client is. For each one `laggard-lab campaign` simulates F's
experiment on F's four clusters (half an hour of CPU and more), and its results are kept in FOLDER as JSON; what is there is
not simulated again. Prints, per cluster and method "as the paper", in how many of the 32 cells of F's table ours lies inside
the 95 % interval around F's, and how many Fisher's exact test cannot tell from F's (p >= 0.05): per seed, the median and the
spread; then ITP / IFP / DTP / DFP of every method over the pairs that can be observed.
  --other   instead of F's: other disks, networks, cluster sizes and stripes
  --unseen  machines of five more seeds, each with other disks, networks and sizes
--runs-from is the first seed of the runs, of which every other one is taken: odd ones are reported, even ones are for tuning.
"""
import argparse
import json
import pathlib
import statistics
import subprocess

AS_PAPER = ["paper, one client", "paper"]
RATES = ["itp", "ifp", "dtp", "dfp"]
EACH = 0.05

OTHER = [  # cluster, further options
    ("pvfs:8/8", ["--set", "pvfs.stripe=262144"]),
    ("pvfs:16/10", []),
    ("lustre:8/8", []),
    ("lustre:8/8", ["--set", "lustre.stripe=4194304"]),
    ("lustre:16/10", []),
]
OTHER_MACHINES = ["--hardware-seed", "77", "--disk-speed", "1.6", "--network-speed", "2"]
UNSEEN = [  # hardware seed, disks, network, clusters
    (101, 1, 1, "pvfs:10/10,lustre:10/10"),
    (202, 1.6, 2, "pvfs:8/8,lustre:8/8"),
    (303, 0.7, 1, "pvfs:10/6,lustre:10/12"),
    (404, 1.2, 0.5, "pvfs:16/10,lustre:16/10"),
    (505, 2.5, 4, "pvfs:6/12,lustre:6/12"),
]


def campaign(lab, keep, name, *options):
    """The clusters of a campaign, simulated unless an earlier run has."""
    path = keep / f"{name}.json"
    if not path.exists():
        half = path.with_suffix(".half")
        half.unlink(missing_ok=True)
        subprocess.run([lab, "campaign", "--seed-step", "2", "--json", half, *map(str, options)], check=True,
                       stdout=subprocess.DEVNULL)
        half.rename(path)
    return json.loads(path.read_text())["clusters"]


def title(cluster):
    return f"{cluster['file_system'].replace('pvfs', 'PVFS').replace('lustre', 'Lustre')} " \
           f"{cluster['clients']}/{cluster['servers']}"


def method_of(cluster, name):
    return next(method for method in cluster["methods"] if method["name"] == name)


def observable(method):
    """ITP / IFP / DTP / DFP in per cent, over the pairs of fault and workload that can be observed."""
    row = next(row for row in method["faults"] if row["name"] == "observable")
    return [100 * row[rate]["hits"] / row[rate]["runs"] if row[rate]["runs"] else 0.0 for rate in RATES]


def reproduced(method):
    """Cells inside the intervals around F's, and those that cannot be told from F's."""
    cells = method["paper_cells"]
    inside = sum(cell["low"] <= cell["ours"] <= cell["high"] for cell in cells)
    return inside, sum(cell["p"] >= EACH for cell in cells)


def rates_text(rates):
    return " / ".join(f"{rate:.1f}" for rate in rates)


def print_reproduction(by_seed, name):
    """Per cluster and for all of them: cells per seed, with their median and spread."""
    titles = [title(cluster) for cluster in next(iter(by_seed.values()))]
    print(f"\n{name}: cells inside, and not told from F's, of 32\n")
    print(f"| hardware seed | {' | '.join(titles)} | all |")
    print("|---|" + "---|" * (len(titles) + 1))
    rows = []
    for seed, clusters in by_seed.items():
        cells = [reproduced(method_of(cluster, name)) for cluster in clusters]
        row = [*cells, tuple(map(sum, zip(*cells)))]
        rows.append(row)
        print(f"| {seed} | " + " | ".join(f"{inside}, {alike}" for inside, alike in row) + " |")
    columns = [list(zip(*column)) for column in zip(*rows)]
    for what, of in [("median", lambda values: f"{statistics.median(values):g}"),
                     ("spread", lambda values: f"{min(values)}–{max(values)}")]:
        print(f"| {what} | " + " | ".join(f"{of(inside)}, {of(alike)}" for inside, alike in columns) + " |")


def print_rates(by_seed):
    methods = [method["name"] for method in next(iter(by_seed.values()))[0]["methods"]]
    print("\nITP / IFP / DTP / DFP in per cent over the observable pairs: the median of the seeds, and the least and the most\n")
    print(f"| cluster | {' | '.join(methods)} |")
    print("|---|" + "---|" * len(methods))
    for at, cluster in enumerate(next(iter(by_seed.values()))):
        row = []
        for name in methods:
            rates = list(zip(*(observable(method_of(clusters[at], name)) for clusters in by_seed.values())))
            row.append(rates_text(map(statistics.median, rates)) + f" ({rates_text(map(min, rates))} to "
                       f"{rates_text(map(max, rates))})")
        print(f"| {title(cluster)} | {' | '.join(row)} |")


def print_plain(rows):
    methods = [method["name"] for method in rows[0][1]["methods"]]
    print(f"| machines | cluster | {' | '.join(methods)} |\n|---|---|" + "---|" * len(methods))
    for machines, cluster in rows:
        print(f"| {machines} | {title(cluster)} | "
              + " | ".join(rates_text(observable(method_of(cluster, name))) for name in methods) + " |")


def other_machines(lab, keep, runs):
    for clusters, options in OTHER:
        name = "other-" + clusters.replace(":", "-").replace("/", "-") + "".join(options[1:]).replace("=", "-")
        found = campaign(lab, keep, name, "--clusters", clusters, *OTHER_MACHINES, "--iterations", 4, *runs, *options)
        for cluster in found:
            yield "disks x 1.6, network x 2" + "".join(f", {option}" for option in options[1:]), cluster


def unseen_machines(lab, keep, runs):
    for seed, disks, network, clusters in UNSEEN:
        found = campaign(lab, keep, f"unseen-{seed}", "--clusters", clusters, "--hardware-seed", seed, "--disk-speed", disks,
                         "--network-speed", network, "--iterations", 3, "--training", 3, *runs)
        for cluster in found:
            yield f"{seed}, disks x {disks}, network x {network}", cluster


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lab", type=pathlib.Path, metavar="LAGGARD_LAB")
    parser.add_argument("--keep", type=pathlib.Path, required=True, metavar="FOLDER")
    parser.add_argument("--seeds", default="1,2,3,4,5")
    parser.add_argument("--iterations", type=int, default=10)
    parser.add_argument("--training", type=int, default=10)
    parser.add_argument("--runs-from", type=int, default=1)
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--other", action="store_true")
    which.add_argument("--unseen", action="store_true")
    options = parser.parse_args()
    options.keep.mkdir(parents=True, exist_ok=True)
    runs = ["--seed", options.runs_from]
    if options.other or options.unseen:
        of = other_machines if options.other else unseen_machines
        print_plain(list(of(options.lab, options.keep, runs)))
        return
    by_seed = {}
    for seed in options.seeds.split(","):
        by_seed[seed] = campaign(options.lab, options.keep, f"seed-{seed}-runs-{options.runs_from}", "--hardware-seed", seed,
                                 "--iterations", options.iterations, "--training", options.training, *runs)
    for name in AS_PAPER:
        print_reproduction(by_seed, name)
    print_rates(by_seed)


if __name__ == "__main__":
    main()
