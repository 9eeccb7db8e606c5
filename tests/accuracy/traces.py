#!/usr/bin/env python3
"""Scores `laggard train` and `laggard diagnose` on the recorded runs in ../shared/traces.

usage: tests/accuracy/traces.py LAGGARD_BINARY [RECORDINGS_FOLDER]
Trains on the fault-free runs, diagnoses every run, and prints Markdown tables of ITP, IFP, DTP and DFP as F §11
footnote 5 defines them, for the paper's algorithm and for ours, and a table of every run for docs/accuracy/bench.md.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

DATA = pathlib.Path(__file__).resolve().parents[3] / "shared/traces"
CAUSE = {"disk-hog": "disk-hog", "disk-busy": "disk-busy", "write-network-hog": "network-hog",
         "read-network-hog": "network-hog", "receive-pktloss": "packet-loss", "send-pktloss": "packet-loss"}
FAULTS = ["none", "disk-hog", "disk-busy", "write-network-hog", "read-network-hog", "receive-pktloss", "send-pktloss"]


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


class Setting:
    def __init__(self, name, runs, preset, trained=True, extra=(), train_extra=None):
        self.name, self.runs, self.preset, self.trained = name, runs, preset, trained
        self.extra = list(extra)
        self.train_extra = list(extra if train_extra is None else train_extra)


def judge(truth, diagnosis):
    """(indicted right, indicted wrong, diagnosed right, diagnosed wrong, text)"""
    live = [i for i in diagnosis["incidents"] if i["status"] != "explained" and i["state"] == "confirmed"]
    server = truth["faulty_server"]
    cause = CAUSE.get(truth["fault"])
    hosts = lambda incident: {c.split("/")[0] for c in incident["components"]}
    right = any(server in hosts(i) for i in live) if server else False
    wrong = any(hosts(i) - {server} for i in live)
    named = any(server in hosts(i) and i["cause"] == cause for i in live) if server else False
    misnamed = wrong or any(i["cause"] != cause for i in live)
    text = ", ".join(f"{i['blame']['name']} {i['cause']} "
                     f"({max(e['score'] for e in i['evidence']):.1f})" for i in live) or "–"
    return right, wrong, named, misnamed, text


def latency(truth, diagnosis):
    faulty = [i["faulty_since"] for i in diagnosis["incidents"] if i["faulty_since"]
              and truth["faulty_server"] in {c.split("/")[0] for c in i["components"]}]
    if not faulty or not truth.get("fault_start"):
        return None
    import datetime
    first = min(datetime.datetime.fromisoformat(t.replace("Z", "+00:00")).timestamp() for t in faulty)
    return first - truth["fault_start"]


def main():
    if not DATA.is_dir():
        print(f"skipped: {DATA} is not there")
        return 0
    binary = sys.argv[1]
    folder = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else pathlib.Path(tempfile.mkdtemp())
    folder.mkdir(parents=True, exist_ok=True)
    truths = {p.parent.name: json.loads(p.read_text()) for p in sorted(DATA.glob("*/truth.json"))}
    for name in truths:
        if not (folder / name).is_dir():
            run(binary, "import", "csv", str(DATA / name / "samples.csv.xz"), "--out", str(folder / name))
    every = list(truths)
    long_runs = [n for n in every if "-L" in n]
    nones = [n for n in every if truths[n]["fault"] == "none"]
    paper = ["--algorithm", "paper"]
    settings = [
        Setting("paper, kl", long_runs, "lab", extra=paper + ["--distance", "kl"]),
        Setting("paper, cdf", long_runs, "lab", extra=paper),
        Setting("laggard lab, trained", long_runs, "lab"),
        Setting("laggard lab, untrained", long_runs, "lab", trained=False),
        Setting("paper's rules on quick windows", every, "quick", extra=paper),
        Setting("laggard quick, trained", every, "quick"),
        Setting("laggard quick, untrained", every, "quick", trained=False),
        Setting("laggard quick, trained on the short runs", every, "quick"),
        Setting("laggard quick, trained on the long runs", every, "quick"),
        Setting("laggard quick, wasserstein", every, "quick", extra=["--distance", "wasserstein"]),
    ]
    detail = {}
    print("| setting | runs | ITP | IFP | DTP | DFP | median latency |")
    print("|---|---|---|---|---|---|---|")
    for setting in settings:
        train_on = nones
        if "short runs" in setting.name:
            train_on = [n for n in nones if "-L" not in n]
        if "long runs" in setting.name:
            train_on = [n for n in nones if "-L" in n]
        thresholds = str(folder / "thresholds.toml")
        options = ["--preset", setting.preset] + setting.extra
        if setting.trained:
            run(binary, "train", *[str(folder / n) for n in train_on], "--out", thresholds, *options)
            options += ["--thresholds", thresholds]
        counts, latencies = {}, []
        for name in setting.runs:
            diagnosis = json.loads(run(binary, "diagnose", str(folder / name), *options, "--json", "-"))
            verdict = judge(truths[name], diagnosis)
            counts.setdefault(truths[name]["fault"], []).append(verdict)
            detail.setdefault(name, {})[setting.name] = verdict[4]
            late = latency(truths[name], diagnosis)
            if late is not None:
                latencies.append(late)
        rate = lambda which, faults: 100 * sum(v[which] for f in faults for v in counts.get(f, [])) / max(
            1, sum(len(counts.get(f, [])) for f in faults))
        faulty = [f for f in FAULTS if f != "none"]
        latencies.sort()
        middle = f"{latencies[len(latencies) // 2]:.0f} s" if latencies else "–"
        print(f"| {setting.name} | {len(setting.runs)} | {rate(0, faulty):.1f} % | {rate(1, FAULTS):.1f} % | "
              f"{rate(2, faulty):.1f} % | {rate(3, FAULTS):.1f} % | {middle} |")
    print("\n| run | " + " | ".join(s.name for s in settings[1:3] + settings[5:7]) + " |")
    print("|---|---|---|---|---|")
    for name in every:
        cells = [detail[name].get(s.name, "not run") for s in settings[1:3] + settings[5:7]]
        print(f"| {name} | " + " | ".join(cells) + " |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
