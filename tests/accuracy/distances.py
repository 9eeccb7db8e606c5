#!/usr/bin/env python3
"""T Tables 5.7 and 5.8, and what §6.4.1 asks for, on simulated days of a production site: which problems each distance lets one see, and how much
earlier or later than `cdf`.

usage: tests/accuracy/distances.py LAGGARD_BINARY --keep FOLDER [the other options of scale.py]

The days are those of scale.py with the same --keep, --days, --seeds and --first. Each distance judges them twice: with
Kasick's algorithm to the letter (`--algorithm paper`), trained on two healthy days, where a problem counts as seen when
anything that belongs to it is confirmed; and with the defaults, untrained, where it counts when the right part is blamed.
"""
import json
import pathlib
import statistics
import sys

import scale

DISTANCES = ["cdf", "median", "thresh", "wasserstein"]
PAPER_FIGURES = {"controller": (5, 5, 5), "server": (3, 2, 3), "state": (6, 6, 5), "drawer": (4, 3, 4), "lun": ("5+", 2, 1)}
EVENTS = {  # of T Tables 5.3 to 5.6; the last one has no event there
    "controller failure": ("controller", ["controller-failed"]),
    "file server down": ("server", ["server-down"]),
    "misconfiguration, bad state": ("state", ["misconfiguration", "coherency-lost", "service-down", "luns-inaccessible",
                                              "cascaded-failure"]),
    "drawer error": ("drawer", ["drawer-errors"]),
    "single LUN": ("lun", ["slow-lun", "busy-lun", "silent-lun"]),
    "reconstruction, oscillation": (None, ["reconstruction", "reconstruction-spare", "oscillation"]),
}


def train(options, root):
    """Thresholds of all distances from two healthy days, which no diagnosis is made of."""
    thresholds = root / "thresholds.toml"
    if not thresholds.exists():
        healthy = [root / f"{options.site}-training-{i}" for i in (1, 2)]
        for i, folder in enumerate(healthy):
            scale.simulate(options, 2000 + i, 0, folder, "--day", f"2011-05-1{i}")  # the same hosts, one day after the other
        scale.run(options.laggard, "train", *healthy, "--system", healthy[0] / "system.toml", "--algorithm", "paper",
                  "--distance", ",".join(DISTANCES), "-o", thresholds)
    return thresholds


def judge(options, days, name, arguments):
    """The score of all days, diagnosed with these arguments."""
    options.name, options.diagnose = name, arguments
    scale.diagnose_all(options, days)
    return json.loads(scale.run(scale.lab_of(options), "score", *days, "--diagnosis", f"{name}.json", "--json", "-"))


def problems(score, kinds):
    return [p for day in score["recordings"] for p in day["problems"] if p["kind"] in kinds]


def table(title, note, scores, counts):
    """One row for each type of event; `counts` tells whether a problem counts."""
    print(f"\n{title}\n\n| event | T: cdf, median, thresh | injected | {' | '.join(DISTANCES)} |\n|---|---|---|{'---|' * len(DISTANCES)}")
    for event, (paper, kinds) in EVENTS.items():
        figures = ", ".join(map(str, PAPER_FIGURES[paper])) if paper else "–"
        seen = [str(sum(counts(p) for p in problems(scores[d], kinds))) for d in DISTANCES]
        print(f"| {event} | {figures} | {len(problems(scores['cdf'], kinds))} | {' | '.join(seen)} |")
    everything = [kind for _, kinds in EVENTS.values() for kind in kinds]
    seen = [str(sum(counts(p) for p in problems(scores[d], everything))) for d in DISTANCES]
    print(f"| all | | {len(problems(scores['cdf'], everything))} | {' | '.join(seen)} |")
    false = [f"{scores[d]['all']['false_alarms'] / scores[d]['all']['days']:.1f}" for d in DISTANCES]
    print(f"| false alarms a day | | | {' | '.join(false)} |\n\n{note}")


def latencies(title, scores, when):
    """T Table 5.8: hours after `cdf` saw the same problem."""
    print(f"\n{title}\n\n| event | {' | '.join(DISTANCES[1:])} |\n|---|{'---|' * (len(DISTANCES) - 1)}")
    differences = {d: [] for d in DISTANCES}
    for event, (_, kinds) in EVENTS.items():
        row = []
        for d in DISTANCES[1:]:
            both = [(mine[when], theirs[when]) for mine, theirs in zip(problems(scores[d], kinds), problems(scores["cdf"], kinds))]
            hours = sorted((a - b) / 3600 for a, b in both if a is not None and b is not None)
            differences[d] += hours
            row.append(", ".join(f"{h:.1f}" for h in hours) or "–")
        print(f"| {event} | {' | '.join(row)} |")
    means = [f"{statistics.mean(differences[d]):.1f}, {statistics.median(differences[d]):.1f}" if differences[d] else "–"
             for d in DISTANCES[1:]]
    print(f"| mean, median | {' | '.join(means)} |")


def persistence(day, name):
    """The largest persistence of what belongs to a problem, that of anything else, and how many components of the latter are
    anomalous at any time."""
    truth = json.loads((day / "truth.json").read_text())
    touched = {c for problem in truth["incidents"] for part in ("affected", "relieving", "slowed") for c in problem[part]}
    sick, well, others = 0, 0, set()
    for incident in json.loads((day / f"{name}.json").read_text())["incidents"]:
        if touched & set(incident["components"]):
            sick = max(sick, incident["persistence"])
        else:
            well = max(well, incident["persistence"])
            others |= set(incident["components"])
    return sick, well, len(others)


def without_alarms(days, healthy):
    """T §6.4.1: what tells how good a ranking is, whatever the threshold of its alarms."""
    print(f"\nWithout alarms (T §6.4.1)\n\n| | {' | '.join(DISTANCES)} |\n|---|{'---|' * len(DISTANCES)}")
    of_days = {d: [persistence(day, f"paper-{d}") for day in days] for d in DISTANCES}
    of_healthy = {d: persistence(healthy, f"paper-{d}") for d in DISTANCES}
    rows = [("persistence of a problem less the largest of anything else, median of days",
             lambda d: statistics.median(sick - well for sick, well, _ in of_days[d])),
            ("days on which something else is more persistent", lambda d: sum(sick <= well for sick, well, _ in of_days[d])),
            ("fault-free components that are anomalous, median of days", lambda d: statistics.median(n for _, _, n in of_days[d])),
            ("on a day without a fault", lambda d: of_healthy[d][2]),
            ("largest persistence on that day", lambda d: of_healthy[d][1])]
    for title, of in rows:
        print(f"| {title} | {' | '.join(f'{of(d):.0f}' for d in DISTANCES)} |")


def main():
    options = scale.arguments()
    if not options.keep:
        sys.exit("distances.py: --keep FOLDER: the days are diagnosed many times")
    root = pathlib.Path(options.keep)
    root.mkdir(parents=True, exist_ok=True)
    days = scale.simulated_days(options, root)
    thresholds = train(options, root)
    paper = {d: judge(options, days, f"paper-{d}", f"--algorithm paper --distance {d} --thresholds {thresholds}")
             for d in DISTANCES}
    healthy = root / f"{options.site}-healthy"
    scale.simulate(options, 1000 + options.first, 0, healthy)
    for d in DISTANCES:
        judge(options, [healthy], f"paper-{d}", f"--algorithm paper --distance {d} --thresholds {thresholds}")
    own = {d: judge(options, days, d, f"--distance {d}") for d in DISTANCES}
    print(f"{options.days} days of {options.site}, {options.duration}, {options.seeds} seeds from {options.first}")
    table("Kasick's algorithm, trained (T Table 5.7)", "Counted when anything that belongs to the problem is confirmed.",
          paper, lambda p: p["observed_s"] is not None)
    latencies("Hours after `cdf` (T Table 5.8)", paper, "observed_s")
    without_alarms(days, healthy)
    table("The defaults, untrained", "Counted when the right part is blamed.", own, lambda p: p["blamed"])
    return 0


if __name__ == "__main__":
    sys.exit(main())
