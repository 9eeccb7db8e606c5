#!/usr/bin/env python3
"""Scores a campaign of the bench's catalogue (`laggard-lab bench --campaign catalogue`): the tables of docs/accuracy/bench.md.

usage: tests/accuracy/catalogue.py LAGGARD LAB CAMPAIGN [--half tuned|reported] [--no-rows] [--markdown FILE]
       tests/accuracy/catalogue.py LAGGARD LAB CAMPAIGN --pack FOLDER

CAMPAIGN holds runs as the bench makes them, or packed. --pack writes each finished one as a file NAME.run.tar.xz, which is
diagnosed like the run itself. What is there is scored; runs that are not finished do not exist.

Halves: every other kind of fault in alphabetical order is tuned, the rest are reported. A run of several kinds is tuned
when one of its kinds is; of the runs without a fault every other one, in order of name.
Methods, each once per run:
  untrained   `laggard diagnose` by its defaults
  trained     the same, with thresholds trained on all runs of the campaign without a fault; such a run is judged with
              those of all others
  F           `--algorithm paper --distance kl`, trained in the same way;  T  `--algorithm paper` (cdf)
  dashboard   3 MADs off for some samples in a row, per metric; how many is chosen on the tuned half's runs without a
              fault (dashboard.py)
How right is counted stands in campaign_runs.py. Intervals are Clopper and Pearson's, 95 %.
"""
import argparse
import concurrent.futures
import json
import math
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

import dashboard
from campaign_runs import ENDING, FIRST_HALF, SECOND_HALF, campaign, half_of, judged, outcome_of, pack, tuned_kinds

COSTLY = 1 / 3
METHODS = ["untrained", "trained", "F", "T", "dashboard"]
PAPER = {"F": ["--algorithm", "paper", "--distance", "kl"], "T": ["--algorithm", "paper"]}
LOSSES = [(-math.inf, 0.05), (0.05, 0.1), (0.1, 0.2), (0.2, COSTLY), (COSTLY, math.inf)]
STRENGTHS = ["mild", "medium", "strong"]


def output_of(*command):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(str(part) for part in command)}: {done.stderr.strip()}")
    return done.stdout


def diagnosed(laggard, run, *options):
    return json.loads(output_of(laggard, "diagnose", run.folder, "--system", run.system, *options, "--json", "-"))


class Trained:
    """Thresholds of fault-free runs, in files; for each of these runs those of the others."""

    def __init__(self, laggard, controls, folder, name, preset, options):
        self.options = ["--preset", preset, *options]
        self.files = {}
        for left_out in [None, *controls]:
            of = [run for run in controls if run is not left_out]
            if not of:
                continue
            path = folder / f"{name}-{left_out.name if left_out else 'all'}.toml"
            output_of(laggard, "train", *[run.folder for run in of], "--system", of[0].system, *self.options, "--out", path)
            self.files[left_out.name if left_out else None] = path

    def of(self, run):
        """The options for a run; None when there is nothing to train on."""
        path = self.files.get(run.name if run.is_control else None)
        return [*self.options, "--thresholds", path] if path else None


def outcomes(laggard, runs, tuned, folder):
    """{run name: {method: Outcome}}, and the run lengths of the dashboard's rule."""
    controls = [run for run in runs if run.is_control]
    pool = concurrent.futures.ThreadPoolExecutor(os.cpu_count())
    untrained = dict(zip([run.name for run in runs], pool.map(lambda run: diagnosed(laggard, run), runs)))
    preset = next(iter(untrained.values()))["preset"]
    books = {"trained": [], **PAPER}
    books = dict(zip(books, pool.map(lambda item: Trained(laggard, controls, folder, item[0], preset, item[1]), books.items())))
    looked = dict(zip(untrained, pool.map(lambda run: dashboard.looked_at(laggard, run), runs)))
    lengths = dashboard.run_lengths([looked[run.name] for run in controls if half_of(run, controls, tuned) == FIRST_HALF])

    def by_all(run):
        said = {"untrained": judged(run, untrained[run.name])}
        for method, book in books.items():
            if (options := book.of(run)) is not None:
                said[method] = judged(run, diagnosed(laggard, run, *options))
        said["dashboard"] = outcome_of(run, dashboard.alarmed(looked[run.name], lengths))
        return said

    return dict(zip(untrained, pool.map(by_all, runs))), lengths


def interval(k, n):
    """Clopper and Pearson's 95 % interval of k of n, as two shares."""
    def at_least(p):  # P(X >= k)
        return sum(math.comb(n, i) * p**i * (1 - p) ** (n - i) for i in range(k, n + 1))

    def at_most(p):
        return sum(math.comb(n, i) * p**i * (1 - p) ** (n - i) for i in range(k + 1))

    def solved(grows, f):
        low, high = 0.0, 1.0
        for _ in range(60):
            middle = (low + high) / 2
            if (f(middle) < 0.025) == grows:
                low = middle
            else:
                high = middle
        return (low + high) / 2

    return (0.0 if k == 0 else solved(True, at_least)), (1.0 if k == n else solved(False, at_most))


def of(k, n):
    if n == 0:
        return "–"
    low, high = interval(k, n)
    return f"{k} of {n} ({100 * low:.0f}–{100 * high:.0f} %)"


def percent(share):
    return "?" if share is None else f"{-100 * share:+.0f} %".replace("+0 %", "0 %").replace("-0 %", "0 %")


def verdict(run, outcome):
    """One cell of a table."""
    if outcome is None:
        return "–"
    words = []
    if run.sick:
        missing = sorted(run.sick - outcome.found)
        words.append("right" if not missing else "missed" if not outcome.found else f"missed {' '.join(missing)}")
        if outcome.cause:
            words.append(f"cause {outcome.cause}")
        if outcome.seconds is not None:
            words.append(f"{outcome.seconds:.0f} s")
    if outcome.wrong:
        words.append(f"**wrongly {' '.join(sorted(outcome.wrong))}**")
    if outcome.suspected:
        words.append(f"suspects {' '.join(sorted(outcome.suspected))}")
    return ", ".join(words) or "nobody"


def row_of(run, half, said):
    faults = " + ".join(f"{fault['fault']} {','.join(fault['servers'] or fault['clients'])}" for fault in run.truth["faults"])
    lost = run.truth["throughput"]
    cells = [run.truth["workload"], faults or "none", run.strength, half, percent(lost["lost_median"]), percent(lost["lost_mean"])]
    cells += [verdict(run, said.get(method)) for method in ("untrained", "trained")]
    cells.append(said["untrained"].said or "–")
    return "| " + " | ".join(cells) + " |"


def rows(runs, halves, results):
    yield "| workload | fault | strength | half | median | mean | untrained | trained | it says, untrained |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for run in runs:
        yield row_of(run, halves[run.name], results[run.name])


def costly_table(runs, results):
    """Of the runs that cost a third and more; those of clients count among the wrong ones alone."""
    costly = [run for run in runs if not run.is_control and run.lost is not None and run.lost >= COSTLY]
    controls = [run for run in runs if run.is_control]
    yield "| method | right servers | cause right | right or unknown | somebody wrong confirmed | seconds, median | within 60 s " \
          "| without a fault: somebody confirmed |"
    yield "|---|---|---|---|---|---|---|---|"
    for method in METHODS:
        pairs = [(run, results[run.name][method]) for run in costly if method in results[run.name]]
        sick = [(run, outcome) for run, outcome in pairs if run.sick]
        right = [outcome for run, outcome in sick if outcome.right]
        well = [results[run.name][method] for run in controls if method in results[run.name]]
        names_causes = method != "dashboard"
        seconds = [outcome.seconds for outcome in right if outcome.seconds is not None]
        cells = [method, of(len(right), len(sick)),
                 of(sum(o.cause == "right" for _, o in sick), len(sick)) if names_causes else "–",
                 of(sum(o.cause in ("right", "unknown") for _, o in sick), len(sick)) if names_causes else "–",
                 of(sum(bool(o.wrong) for _, o in pairs), len(pairs)),
                 f"{statistics.median(seconds):.0f}" if seconds else "–",
                 f"{sum(s <= 60 for s in seconds)} of {len(seconds)}" if seconds else "–",
                 of(sum(bool(o.wrong) for o in well), len(well))]
        yield "| " + " | ".join(cells) + " |"


def curve(runs, results, title, bins):
    """How many runs there are in each bin, and by every method how many are right, and wrong about somebody."""
    yield f"| {title} | runs | " + " | ".join(METHODS) + " |"
    yield "|---|---|" + "---|" * len(METHODS)
    for name, belongs in bins:
        some = [run for run in runs if run.sick and belongs(run)]
        cells = [name, str(len(some))]
        for method in METHODS:
            known = [results[run.name][method] for run in some if method in results[run.name]]
            wrong = sum(bool(outcome.wrong) for outcome in known)
            cells.append(f"{sum(outcome.right for outcome in known)}" + (f" (wrong {wrong})" if wrong else "") if known else "–")
        yield "| " + " | ".join(cells) + " |"


def loss_bins():
    for low, high in LOSSES:
        name = (f"{100 * low:.0f} % and more" if high == math.inf else f"below {100 * high:.0f} %" if low == -math.inf
                else f"{100 * low:.0f} to {100 * high:.0f} %")
        yield name, lambda run, low=low, high=high: run.lost is not None and low <= run.lost < high
    yield "not known", lambda run: run.lost is None


def strength_bins():
    for strength in STRENGTHS:
        yield strength, lambda run, strength=strength: run.strength == strength


def lines_of(runs, halves, results, lengths, options):
    shown = [options.half] if options.half else [FIRST_HALF, SECOND_HALF]
    if not options.no_rows:
        yield from rows([run for run in runs if halves[run.name] in shown], halves, results)
    for half in shown:
        some = [run for run in runs if halves[run.name] == half]
        faults, controls = sum(not run.is_control for run in some), sum(run.is_control for run in some)
        clients = sum(bool(run.clients) for run in some)
        yield from ("", f"The {half} half: {faults} runs with a fault ({clients} of them at a client), {controls} without. "
                    "Those that cost a third of the throughput and more:", "")
        yield from costly_table(some, results)
        yield from ("", "All with a sick server, by what they cost (right; wrong about somebody):", "")
        yield from curve(some, results, "throughput lost", loss_bins())
        yield ""
        yield from curve(some, results, "strength", strength_bins())
    trained_on = [run.truth["workload"] for run in runs if run.is_control]
    yield from ("", f"Trained on the {len(trained_on)} runs without a fault ({', '.join(trained_on)}); "
                "each of these is judged by thresholds of the others.", "",
                "Dashboard, seconds in a row: " + ", ".join(f"{metric} {length or 'not used'}" for metric, length in lengths.items()))


def pack_all(runs, folder):
    folder.mkdir(parents=True, exist_ok=True)
    sizes = []
    for run in runs:
        target = folder / (run.name + ENDING)
        size = target.stat().st_size if target.exists() else pack(run, target)
        sizes.append(size)
        print(f"{target}: {size} bytes")
    if sizes:
        print(f"{len(sizes)} runs, {sum(sizes)} bytes, {sum(sizes) / len(sizes):.0f} in the mean, {max(sizes)} at most")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("laggard", type=pathlib.Path)
    parser.add_argument("lab", type=pathlib.Path, help="laggard-lab, which knows the catalogue")
    parser.add_argument("campaign", type=pathlib.Path)
    parser.add_argument("--half", choices=[FIRST_HALF, SECOND_HALF])
    parser.add_argument("--no-rows", action="store_true", help="the summaries alone")
    parser.add_argument("--markdown", type=pathlib.Path)
    parser.add_argument("--pack", type=pathlib.Path)
    options = parser.parse_args()
    with campaign(options.campaign) as runs, tempfile.TemporaryDirectory() as folder:
        if not runs:
            sys.exit(f"{options.campaign}: holds no finished run, packed or not")
        if options.pack:
            return pack_all(runs, options.pack)
        tuned = tuned_kinds(fault["name"] for fault in json.loads(output_of(options.lab, "bench", "--list", "--json"))["faults"])
        controls = [run for run in runs if run.is_control]
        halves = {run.name: half_of(run, controls, tuned) for run in runs}
        results, lengths = outcomes(options.laggard, runs, tuned, pathlib.Path(folder))
        text = "\n".join(lines_of(runs, halves, results, lengths, options)) + "\n"
    if options.markdown:
        options.markdown.write_text(text)
    print(text, end="")


if __name__ == "__main__":
    main()
