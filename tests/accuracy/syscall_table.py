#!/usr/bin/env python3
"""Kasick's table of what system calls tell of (S, HotDep 2009, Table 1), made anew from runs of the bench.

usage: tests/accuracy/syscall_table.py LAGGARD RUNS... [--train RUN...] [--preset lab,quick] [--factors 0.5,0.7,1,1.4,2,3]
                                       [--markdown FILE]
       tests/accuracy/syscall_table.py LAGGARD RUNS... --pack FOLDER

RUNS hold runs of `laggard-lab bench --syscalls` (`--campaign syscalls --file-system striped`), or packed ones, which --pack
writes (call_counters.py). Their metrics of system calls alone are judged; runs that are not packed also by all that was
recorded of them, without training.

Two algorithms, each with every metric of S alone and with all of them:
  S      `--algorithm paper`: second by second against the median, thresholds the largest deviation in training
  peers  laggard's own comparison of windows; with one metric alone as if nothing else had been recorded
Both are trained on runs without a fault: those of --train, which are not scored, or else the ddr and ddw runs among RUNS (S
§6), each of which is judged by thresholds of the others.

TP is the share of runs with a fault in which all faulty servers are named, FP that of runs in which a healthy one is (S,
footnote 4). Of the peers' engine who is confirmed is named. A metric without a value in training names nobody. Intervals are
Clopper and Pearson's, 95 %. The curve multiplies trained thresholds by each factor; 1 is what each algorithm does by itself.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import call_counters
import campaign_runs
from campaign_runs import confirmed, host_of
from catalogue import of

METRICS = ["dread", "dwrite", "dwrite-direct", "nsread", "ncread"]
ALL = "all"
ROWS = [*METRICS, ALL]
ALGORITHMS = ["S", "peers"]
OWN_FACTOR = {"S": 1, "peers": 2}
NAME = {"S": "paper", "peers": "laggard"}
WORKLOADS = ["ddr", "iozoner", "ddw", "iozonew", "postmark"]
READS, WRITES = ["ddr", "iozoner", "postmark"], ["ddw", "iozonew", "postmark"]
FAULTS = ["disk-hog", "disk-busy", "write-network-hog", "read-network-hog", "receive-pktloss", "send-pktloss"]
NONE = "none"
# S, Table 1: TP and FP by workload, of READS or WRITES. Where it shows nothing both are 0. PVFS wrote past the page cache, so
# that its dwrite is ours with O_DIRECT, too.
PAPER = {
    ("disk-hog", "dread"): [(1, 0), (1, 0), (1, 0.1)], ("disk-hog", "dwrite"): [(0.4, 0), (0.4, 0), (1, 0.1)],
    ("disk-busy", "dread"): [(1, 0), (1, 0), (0.9, 0.1)], ("disk-busy", "dwrite"): [(0.4, 0), (0.4, 0), (1, 0.1)],
    ("write-network-hog", "nsread"): [(0, 0), (0, 0), (0.9, 0)],
    ("read-network-hog", "ncread"): [(0, 0), (0, 0), (1, 0)], ("read-network-hog", "nsread"): [(0, 0), (0, 0), (1, 0)],
    ("read-network-hog", "dwrite"): [(0.2, 0), (0, 0), (1, 0)],
    ("receive-pktloss", "ncread"): [(0, 0), (0, 0), (0.8, 0)], ("receive-pktloss", "nsread"): [(0, 0), (0, 0), (0.9, 0)],
    ("send-pktloss", "ncread"): [(0, 0), (0, 0), (1, 0)],
}


def papers(fault, metric, workload):
    """S's TP and FP; None where S has no such experiment."""
    metric = "dwrite" if metric == "dwrite-direct" else metric
    if fault not in FAULTS or workload not in WORKLOADS or metric == ALL:
        return None
    used = READS if metric in ("dread", "ncread") else WRITES
    shown = PAPER.get((fault, metric))
    return shown[used.index(workload)] if shown and workload in used else (0, 0)


def refused(done, command):
    """Whether there was nothing to judge by; all else that goes wrong ends the script."""
    if done.returncode == 0:
        return False
    if "cannot be computed" in done.stderr or "against trained thresholds alone" in done.stderr:
        return True
    sys.exit(f"{' '.join(command)}: {done.stderr.strip()}")


class Laggard:
    def __init__(self, program, preset, folder):
        self.program, self.preset, self.folder = program, preset, folder

    def run(self, command, calls, system, *options):
        words = [str(word) for word in (self.program, command, *calls, "--system", system, "--preset", self.preset, *options)]
        return subprocess.run(words, capture_output=True, text=True), words

    def train(self, algorithm, factor, name, runs):
        """The thresholds of these runs."""
        path = self.folder / f"{algorithm}-{factor}-{name}.toml"
        done, words = self.run("train", [run.folder for run in runs], runs[0].system, "--algorithm", NAME[algorithm],
                               "--metric", ",".join(METRICS), "--factor", factor * OWN_FACTOR[algorithm], "--out", path)
        if done.returncode != 0:
            sys.exit(f"{' '.join(words)}: {done.stderr.strip()}")
        return path

    def diagnose_all(self, run):
        """What is said of a run by all that was recorded."""
        done, words = self.run("diagnose", [run.folder], run.system, "--json", "-")
        if not done.stdout:
            sys.exit(f"{' '.join(words)}: {done.stderr.strip()}")
        return json.loads(done.stdout)

    def diagnose(self, algorithm, thresholds, run, metrics):
        """What it says of a run; None where none of these metrics can be judged."""
        done, words = self.run("diagnose", [run.folder], run.system, "--algorithm", NAME[algorithm], "--thresholds",
                               thresholds, "--metric", ",".join(metrics), "--json", "-")
        return None if refused(done, words) else json.loads(done.stdout)


def hosts(components):
    return {host_of(component) for component in components}


def named_by_s(diagnosis, metric):
    """S names a server for one second of one metric, whatever else there is."""
    evidence = [e for incident in diagnosis["incidents"] for e in incident["evidence"]]
    return hosts(e["component"] for e in evidence if e["detector"] == "deviation" and metric in (ALL, e["metric"]))


def named_by_peers(diagnosis):
    return {host for incident in confirmed(diagnosis) for host in hosts(incident["components"])}


def named(laggard, algorithm, thresholds, run, rows):
    """{row: servers}, without the metrics that cannot be judged."""
    if algorithm == "S":
        diagnosis = laggard.diagnose(algorithm, thresholds, run, METRICS)
        return {} if diagnosis is None else {row: named_by_s(diagnosis, row) for row in rows}
    said = {row: laggard.diagnose(algorithm, thresholds, run, METRICS if row == ALL else [row]) for row in rows}
    return {row: named_by_peers(diagnosis) for row, diagnosis in said.items() if diagnosis is not None}


class Books:
    """Thresholds of the runs that are trained on, by factor; for each of these runs those of the others."""

    def __init__(self, laggard, runs):
        self.laggard, self.runs, self.files = laggard, runs, {}

    def make(self, algorithm, factor):
        for left_out in [None, *self.runs]:
            some = [run for run in self.runs if run is not left_out]
            if some:
                name = left_out.name if left_out else ALL
                self.files[algorithm, factor, name] = self.laggard.train(algorithm, factor, name, some)

    def of(self, algorithm, factor, run):
        name = run.name if run in self.runs else ALL
        return self.files.get((algorithm, factor, name))


def results_of(laggard, runs, books, factors):
    """{(algorithm, factor): {run name: {row: servers}}}; a run that there is nothing to judge by is in none."""
    pool = concurrent.futures.ThreadPoolExecutor(os.cpu_count())
    wanted = [(algorithm, factor) for algorithm in ALGORITHMS for factor in factors]
    list(pool.map(lambda key: books.make(*key), wanted))

    def judge(task):
        (algorithm, factor), run = task
        rows = ROWS if algorithm == "S" or factor == 1 else [ALL]
        return named(laggard, algorithm, books.of(algorithm, factor, run), run, rows)

    tasks = [(key, run) for key in wanted for run in runs if books.of(*key, run)]
    results = {key: {} for key in wanted}
    for (key, run), said in zip(tasks, pool.map(judge, tasks)):
        results[key][run.name] = said
    return results


def counts(runs, said, row):
    """As of campaign_runs, of the runs that were judged."""
    return campaign_runs.counts([(run, said[run.name].get(row, set())) for run in runs if run.name in said])


def share(k, n):
    return f"{k / n:.2g}" if n else "–"


def cell(runs, said, row, paper):
    right, sick, wrong, every = counts(runs, said, row)
    if every == 0:
        return "–"
    mine = f"{share(right, sick)} / {share(wrong, every)} of {every}"
    return mine + (f" ({paper[0]:g} / {paper[1]:g})" if paper else "")


def sorted_like(order, names):
    return sorted(names, key=lambda name: (order.index(name) if name in order else len(order), name))


def table(runs, said):
    """Of the metrics those that name anybody, here or in S, and always all of them together."""
    workloads = sorted_like(WORKLOADS, {run.truth["workload"] for run in runs})
    yield "| fault | metric | " + " | ".join(workloads) + " |"
    yield "|---|---|" + "---|" * len(workloads)
    for fault in sorted_like([*FAULTS, NONE], {run.truth["fault"] for run in runs}):
        for row in ROWS:
            cells, any_named = [], row == ALL
            for workload in workloads:
                some = [run for run in runs if run.truth["fault"] == fault and run.truth["workload"] == workload]
                paper = papers(fault, row, workload)
                cells.append(cell(some, said, row, paper))
                right, _, wrong, _ = counts(some, said, row)
                any_named = any_named or right + wrong > 0 or bool(some and paper and paper != (0, 0))
            if any_named:
                yield f"| {fault} | {row} | " + " | ".join(cells) + " |"


def mean_of_paper(metric, which):
    values = [papers(fault, metric, workload)[which] for fault in FAULTS for workload in WORKLOADS]
    return f"{sum(values) / len(values):.2g}"


def totals(runs, results):
    yield "| metric | S: TP | S: FP | peers: TP | peers: FP | paper: TP | paper: FP |"
    yield "|---|---|---|---|---|---|---|"
    faulty = [run for run in runs if run.sick]
    for title, some, rows in (("", faulty, ROWS), ("without a fault, ", [run for run in runs if not run.sick], ROWS)):
        for row in rows:
            cells = [title + row]
            for algorithm in ALGORITHMS:
                right, sick, wrong, every = counts(some, results[algorithm, 1], row)
                cells += [of(right, sick), of(wrong, every)]
            cells += ["–", "–"] if title or row == ALL else [mean_of_paper(row, 0), mean_of_paper(row, 1)]
            yield "| " + " | ".join(cells) + " |"


def curve(runs, results, factors):
    columns = [("S", row) for row in ROWS] + [("peers", ALL)]
    yield "| factor | " + " | ".join(f"{algorithm}, {row}" for algorithm, row in columns) + " |"
    yield "|---|" + "---|" * len(columns)
    for factor in factors:
        cells = []
        for algorithm, row in columns:
            right, sick, wrong, every = counts(runs, results[algorithm, factor], row)
            cells.append(f"{share(right, sick)} / {share(wrong, every)}")
        yield f"| {factor:g} | " + " | ".join(cells) + " |"


def by_both(diagnosis, sick):
    """Whether one incident about a sick server has evidence of metrics and of system calls."""
    about = [i for i in confirmed(diagnosis) if hosts(i["components"]) & sick]
    return any({"metrics", "syscalls"} <= {e["source"] for e in i["evidence"]} for i in about)


def with_metrics(runs, diagnoses):
    """Of each fault: all that was recorded, judged without training."""
    yield "| fault | runs | faulty server named | by one incident of both witnesses | healthy one named |"
    yield "|---|---|---|---|---|"
    kinds = sorted_like([*FAULTS, NONE], {run.truth["fault"] for run in runs})
    for title, some in [*((kind, [kind]) for kind in kinds), (ALL, kinds)]:
        mine = [(run, said) for run, said in zip(runs, diagnoses) if run.truth["fault"] in some]
        sick = [(run, said) for run, said in mine if run.sick]
        right, both = sum(run.sick <= named_by_peers(said) for run, said in sick), sum(by_both(said, run.sick) for run, said in sick)
        wrong = sum(bool(named_by_peers(said) - run.sick) for run, said in mine)
        yield f"| {title} | {len(mine)} | {of(right, len(sick))} | {of(both, len(sick))} | {of(wrong, len(mine))} |"


def lines_of(runs, results, factors, trained_on):
    for algorithm, title in (("S", "By S's algorithm"), ("peers", "By laggard's comparison of peers")):
        yield from (f"{title}: TP / FP of so many runs, and in brackets those of the paper.", "")
        yield from table(runs, results[algorithm, 1])
        yield ""
    yield from ("All runs, with intervals of 95 %; of the paper the mean over its six faults and five workloads:", "")
    yield from totals(runs, results)
    yield from ("", "By what trained thresholds are multiplied by, TP / FP over all runs:", "")
    yield from curve(runs, results, factors)
    yield from ("", f"Trained on {len(trained_on)} runs without a fault: " +
                ", ".join(f"{run.name} ({run.truth['workload']})" for run in trained_on) + ".")


def pack(laggard, places, target):
    for run in call_counters.folders_in(places):
        path = target / (run.name + call_counters.ENDING)
        print(f"{path}: {call_counters.pack(laggard, run, path)} bytes")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("laggard", type=pathlib.Path)
    parser.add_argument("runs", type=pathlib.Path, nargs="+")
    parser.add_argument("--train", type=pathlib.Path, nargs="+", default=[], metavar="RUN")
    parser.add_argument("--preset", default="lab,quick")
    parser.add_argument("--factors", default="0.5,0.7,1,1.4,2,3")
    parser.add_argument("--markdown", type=pathlib.Path)
    parser.add_argument("--pack", type=pathlib.Path, metavar="FOLDER")
    options = parser.parse_args()
    factors = sorted({1.0, *(float(factor) for factor in options.factors.split(","))})
    program = options.laggard.resolve()
    if options.pack:
        return pack(program, options.runs, options.pack)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        runs = call_counters.runs_in(program, options.runs, folder / "runs", apart=options.train)
        trained_on = call_counters.runs_in(program, options.train, folder / "trained") or \
                     [run for run in runs if run.is_control and run.truth["workload"] in ("ddr", "ddw")]
        if not runs or not trained_on:
            sys.exit(f"{options.runs[0]}: holds no " +
                     ("run with system calls" if not runs else "run of ddr or ddw without a fault to train on"))
        laggard = Laggard(program, options.preset, folder)
        results = results_of(laggard, runs, Books(laggard, trained_on), factors)
    lines = [*lines_of(runs, results, factors, trained_on)]
    if whole := [run for run in call_counters.folders_in(options.runs) if (run.folder / "metrics").is_dir()]:
        lines += ["", "By metrics and system calls together:", "", *with_metrics(whole, [laggard.diagnose_all(run) for run in whole])]
    text = "\n".join(lines) + "\n"
    if options.markdown:
        options.markdown.write_text(text)
    print(text, end="")


if __name__ == "__main__":
    main()
