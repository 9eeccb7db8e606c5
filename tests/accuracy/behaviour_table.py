#!/usr/bin/env python3
"""Kasick's table of what servers' behaviour tells (B, HotDep 2010, Table 1), made anew from runs of the bench.

usage: tests/accuracy/behaviour_table.py LAGGARD RUNS [--train RUNS] [--preset lab,quick] [--code-distance manhattan]
                                         [--code-weights FILE] [--markdown FILE]

RUNS hold runs of `laggard-lab bench --samples`, and with --calls and --kernel, too. Each is judged by its profiles, with thresholds that were trained on runs
without a fault (B §4.1) and without any (laggard's own): by B's comparisons, by any of them (combined), by laggard's own
of programs, by the kernel's calls (B's future work), and by any. Trained on are the runs of --train, which are not scored, or else the runs without a fault among RUNS, each of which is judged by thresholds
of the others; once without those of postmark and once with them, as B does. What all witnesses say is told by bench_witnesses.py.

TP is the share of runs with a fault in which all faulty servers are named, FP that of all runs in which a healthy one is (B,
Table 1). Intervals are Clopper and Pearson's, 95 %.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import tomllib

from campaign_runs import campaign, counts, host_of, live
from catalogue import of

KINDS = ["samples", "calls", "call-time"]  # Of B, by name of the comparison.
COMBINED = "combined"  # Any of these.
OURS = "programs"
KERNEL = "kernel-calls"
EVERY = [*KINDS, OURS, KERNEL]
ANY = "any"  # Of these.
COLUMNS = [*KINDS, COMBINED, OURS, KERNEL, ANY]
FAULTS = ["disk-hog", "disk-busy", "write-network-hog", "read-network-hog", "receive-pktloss", "send-pktloss", "none"]
POSTMARK = "postmark"
# The cells of B's table are missing from its text, which calls its combined column comparable to this, which metrics reach.
PAPER = "metrics in B: 69.8 % / 2.6 %"


def larger(some, others):
    """Of two tables of numbers the larger ones, however deep they lie."""
    both = {**others, **some}
    for key in some.keys() & others.keys():
        a, b = some[key], others[key]
        both[key] = larger(a, b) if isinstance(a, dict) else max(a, b)
    return both


def members(names):
    """The servers of `s[1-3,5]`, as thresholds of several are written; the bench has no others."""
    prefix, bracket, ranges = names.rstrip("]").partition("[")
    if not bracket:
        return [names]
    ends = ((part.split("-")[0], part.split("-")[-1]) for part in ranges.split(","))
    return [f"{prefix}{n}" for first, last in ends for n in range(int(first), int(last) + 1)]


def toml(table, name=""):
    """The text of tables, arrays of tables, and values between them."""
    for key, value in table.items():
        if not isinstance(value, (dict, list)):
            yield f"{json.dumps(key)} = {json.dumps(value)}\n"
    for key, value in table.items():
        inner = f"{name}.{json.dumps(key)}" if name else json.dumps(key)
        if isinstance(value, dict):
            yield from (f"[{inner}]\n", *toml(value, inner))
        for one in value if isinstance(value, list) else []:
            yield from (f"[[{inner}]]\n", *toml(one, inner))


class Laggard:
    def __init__(self, program, options, folder):
        self.program, self.options, self.folder, self.of_runs = program, options, folder, {}

    def run(self, command, recordings, system, *options):
        words = [str(word) for word in (self.program, command, *recordings, "--system", system, *self.options, *options)]
        done = subprocess.run(words, capture_output=True, text=True)
        if done.returncode not in (0, 1):
            sys.exit(f"{' '.join(words)}: {done.stderr.strip()}")
        return done.stdout

    def trained(self, run):
        """Thresholds of one run, as they are read."""
        if run.name not in self.of_runs:
            path = self.folder / f"{run.name}.toml"
            self.run("train", [run.folder], run.system, "--out", path)
            self.of_runs[run.name] = tomllib.loads(path.read_text())
        return self.of_runs[run.name]

    def train(self, name, runs):
        """Thresholds of several, each the largest of those that leave no anomaly in one run: runs that were made side by side have hosts
        of the same names, so that they cannot be read together. Those of metrics are the first run's: disks of two benches have other
        names, and nobody looks at them here."""
        first, *others = (self.trained(run) for run in runs)
        ours = [group for run in (first, *others) for group in run["group"] if group.get("metric") in EVERY]
        metrics = [group for group in first["group"] if group.get("metric") not in EVERY]
        groups = {}
        for group in ours:
            group = {**group, "thresholds": {one: value for names, value in group["thresholds"].items() for one in members(names)}}
            key = tuple((k, v) for k, v in group.items() if isinstance(v, str))
            groups[key] = larger(groups.get(key, group), group)
        path = self.folder / f"{name}.toml"
        path.write_text("".join(toml({**first, "recordings": len(runs), "group": [*metrics, *groups.values()]})))
        return path

    def diagnose(self, run, *options):
        return json.loads(self.run("diagnose", [run.folder], run.system, "--json", "-", *options))


def named_by(diagnosis, kind):
    """Servers that one comparison calls faulty, or any of B's, whatever else there is."""
    some = {COMBINED: KINDS, ANY: EVERY}.get(kind, [kind])
    return {host_of(e["component"]) for i in live(diagnosis) for e in i["evidence"]
            if e["source"] == "behaviour" and e["detector"] in some}


def kinds_of(runs):
    """Of what was recorded: most sites record samples alone."""
    recorders = {**dict.fromkeys(KINDS[1:], "calls"), KERNEL: "kernel"}

    def is_recorded(kind):
        return any(any(run.folder.glob(f"profiles/*+{recorders[kind]}-*")) for run in runs)

    return [kind for kind in COLUMNS if kind not in recorders or is_recorded(kind)]


def titled(origin, said):
    """{title: {run name: servers}} of {kind: the same}."""
    return {f"{origin}, {kind}": of_runs for kind, of_runs in said.items()}


def table(runs, columns):
    """\\param columns  {title: {run name: servers}}"""
    yield "| fault | runs | " + " | ".join(columns) + " |"
    yield "|---|---|" + "---|" * len(columns)
    faults = [fault for fault in FAULTS if any(run.truth["fault"] == fault for run in runs)]
    faults += sorted({run.truth["fault"] for run in runs} - set(faults))
    for title, some in [*((fault, [fault]) for fault in faults), ("all", faults)]:
        mine = [run for run in runs if run.truth["fault"] in some]
        cells = []
        for said in columns.values():
            right, sick, wrong, every = counts([(run, said[run.name]) for run in mine if run.name in said])
            cells.append(f"{of(right, sick) if sick else '–'} / {of(wrong, every)}")
        yield f"| {title} | {len(mine)} | " + " | ".join(cells) + " |"


def trained_columns(laggard, runs, normal, name):
    """What trained thresholds say; a run is judged by those of the others."""
    said = {kind: {} for kind in kinds_of(runs)}
    books = {}
    for run in runs:
        others = [other for other in normal if other is not run]
        if not others:
            continue
        key = run.name if run in normal else "all"
        if key not in books:
            books[key] = laggard.train(f"{name}-{key}", others)
        diagnosis = laggard.diagnose(run, "--thresholds", books[key])
        for kind, of_runs in said.items():
            of_runs[run.name] = named_by(diagnosis, kind)
    return titled("trained", said)


def untrained_columns(runs, diagnoses):
    return titled("untrained", {kind: {run.name: named_by(diagnosis, kind) for run, diagnosis in zip(runs, diagnoses)}
                                for kind in kinds_of(runs)})


def lines_of(laggard, runs, training):
    diagnoses = [laggard.diagnose(run) for run in runs]
    for title, keep in (("Without postmark", lambda run: run.truth["workload"] != POSTMARK), ("With postmark", lambda run: True)):
        mine = [run for run in runs if keep(run)]
        normal = [run for run in training or runs if run.is_control and keep(run)]
        columns = trained_columns(laggard, mine, normal, title.split()[0].lower())
        columns |= untrained_columns(mine, [diagnoses[runs.index(run)] for run in mine])
        yield from (f"{title}, TP / FP ({PAPER}), trained on {len(normal)} runs:", "", *table(mine, columns), "")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("laggard", type=pathlib.Path)
    parser.add_argument("runs", type=pathlib.Path)
    parser.add_argument("--train", type=pathlib.Path, metavar="RUNS")
    parser.add_argument("--preset", default="lab,quick")
    parser.add_argument("--code-distance", default="manhattan", choices=["manhattan", "relative", "scaled", "kl"])
    parser.add_argument("--code-weights", type=pathlib.Path)
    parser.add_argument("--markdown", type=pathlib.Path)
    options = parser.parse_args()
    weights = ["--code-weights", options.code_weights] if options.code_weights else []
    with tempfile.TemporaryDirectory() as name, campaign(options.runs) as found:
        laggard = Laggard(options.laggard.resolve(), ["--preset", options.preset, "--code-distance", options.code_distance, *weights],
                          pathlib.Path(name))
        runs = [run for run in found if (run.folder / "profiles").is_dir()]
        if not runs:
            sys.exit(f"{options.runs}: holds no run with samples (laggard-lab bench --samples)")
        if options.train is None:
            lines = list(lines_of(laggard, runs, []))
        else:
            with campaign(options.train) as training:
                lines = list(lines_of(laggard, runs, training))
    text = "\n".join(lines) + "\n"
    if options.markdown:
        options.markdown.write_text(text)
    print(text, end="")


if __name__ == "__main__":
    main()
