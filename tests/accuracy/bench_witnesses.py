#!/usr/bin/env python3
"""What each witness adds to the verdict on runs of the bench: the tables of docs/accuracy/behaviour.md.

usage: tests/accuracy/bench_witnesses.py LAGGARD RUNS [--preset lab,quick] [--markdown FILE]

RUNS hold runs of `laggard-lab bench`, with whatever else was recorded beside metrics: --syscalls, --samples, --calls,
--kernel, --pings, --logs. Each is judged without training by metrics alone, then by these and one more after the other
(WITNESSES), and by all but metrics. A cell of the first table is of how many faulty runs all sick servers are named, and in
how many of all runs a healthy server or client is, with Clopper and Pearson's intervals. The second has, run by run, how many seconds after
the fault the incident was confirmed, the cause that it names, and at last the witnesses that are its evidence.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

from behaviour_table import table
from campaign_runs import campaign, confirmed, hosts_of, judged, unix_time

# Recorders, in the order in which they are added.
WITNESSES = {"metrics": ["metrics"], "and pings": ["pings"], "and logs": ["logs"], "and system calls": ["syscalls"],
             "and samples": ["samples"], "and calls": ["calls"], "and the kernel": ["kernel"]}
BUT_METRICS = "all but metrics"


def recorder_of(file):
    """`s1+calls-20261128T080156Z.lgd` was written by `calls`; metrics have plain names."""
    _, plus, rest = file.name.rpartition("+")
    return rest.split("-")[0] if plus else file.parent.name


def recordings(run):
    return [file for stream in ("metrics", "events", "profiles") for file in sorted(run.folder.glob(f"{stream}/*.lgd"))]


def part_of(run, recorders, folder):
    """A recording of what these have recorded of a run; None when that is nothing."""
    files = [file for file in recordings(run) if recorder_of(file) in recorders]
    for file in files:
        place = folder / file.parent.name / file.name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.symlink_to(file.resolve())
    return folder if files else None


def sets_of(runs):
    """{column: recorders}: a witness that none of the runs has adds no column."""
    there = {recorder_of(file) for run in runs for file in recordings(run)}
    sets, so_far = {}, []
    for title, recorders in WITNESSES.items():
        so_far = so_far + [one for one in recorders if one in there]
        if there & set(recorders):
            sets[title] = so_far
    rest = sorted(there - {"metrics"})
    return sets | ({BUT_METRICS: rest} if rest else {})


def diagnosed(program, run, recorders, preset):
    """What is said of a run by these recorders."""
    with tempfile.TemporaryDirectory() as name:
        recording = part_of(run, recorders, pathlib.Path(name))
        if recording is None:
            return {"incidents": []}
        words = [str(word) for word in (program, "diagnose", recording, "--system", run.system, "--preset", preset, "--json", "-")]
        done = subprocess.run(words, capture_output=True, text=True)
        if done.returncode not in (0, 1):
            sys.exit(f"{run.name}: {done.stderr.strip()}")
        return json.loads(done.stdout)


def seconds_of(run, diagnosis):
    """From the fault until an incident of a sick server was confirmed."""
    times = [unix_time(i["confirmed_since"]) for i in confirmed(diagnosis) if hosts_of(i) & run.sick]
    return min((t - run.truth["fault_start"] for t in times if t is not None), default=None)


def named(run, diagnosis):
    return set(judged(run, diagnosis).named)


def said_of(run, diagnosis):
    """`31 s disk-busy`, and whoever else is named."""
    seconds = seconds_of(run, diagnosis)
    causes = dict.fromkeys(i["cause"] for i in confirmed(diagnosis) if hosts_of(i) & run.sick)
    text = f"{seconds:.0f} s {', '.join(causes)}" if seconds is not None else "–"
    wrong = sorted(named(run, diagnosis) - run.sick)
    return text + (f" (and {', '.join(wrong)})" if wrong else "")


def sources_of(run, diagnosis):
    """Of its incidents' evidence, each once; how many incidents these are, where that is not one."""
    mine = [i for i in confirmed(diagnosis) if hosts_of(i) & run.sick]
    sources = ", ".join(dict.fromkeys(e["source"] for i in mine for e in i["evidence"]))
    return sources if len(mine) < 2 else f"{sources} in {len(mine)} incidents"


def rows(runs, said):
    yield "| run | sick | " + " | ".join(said) + " | evidence |"
    yield "|---|---|" + "---|" * (len(said) + 1)
    last = [title for title in said if title != BUT_METRICS][-1]
    for run in runs:
        cells = [said_of(run, of_runs[run.name]) for of_runs in said.values()]
        yield (f"| {run.name} | {', '.join(sorted(run.sick)) or '–'} | " + " | ".join(cells) +
               f" | {sources_of(run, said[last][run.name]) or '–'} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("laggard", type=pathlib.Path)
    parser.add_argument("runs", type=pathlib.Path)
    parser.add_argument("--preset", default="lab,quick")
    parser.add_argument("--markdown", type=pathlib.Path)
    options = parser.parse_args()
    with campaign(options.runs) as runs:
        if not runs:
            sys.exit(f"{options.runs}: holds no finished run of laggard-lab bench")
        said = {title: {run.name: diagnosed(options.laggard.resolve(), run, recorders, options.preset) for run in runs}
                for title, recorders in sets_of(runs).items()}
        columns = {title: {run.name: named(run, of_runs[run.name]) for run in runs} for title, of_runs in said.items()}
        text = "\n".join([*table(runs, columns), "", *rows(runs, said)]) + "\n"
    if options.markdown:
        options.markdown.write_text(text)
    print(text, end="")


if __name__ == "__main__":
    main()
