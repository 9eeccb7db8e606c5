#!/usr/bin/env python3
"""Runs of `laggard-lab bench --file-system ceph`: what laggard says of each, and what Ceph said of itself.

usage: tests/accuracy/ceph_runs.py LAGGARD_BINARY RUNS_FOLDER
Prints a table of all finished runs, and counts below it. What Ceph said is judged by rules that were written before any
campaign was run:
  osd perf   an OSD is named when the mean of its commit latency over the fault is more than three times the median of its
             peers', and at least 10 ms, since Ceph rounds to milliseconds and an idle OSD has 0;
  exporter   the same of the time that an OSD takes for a client's read and for a write (the growth of
             ceph_osd_op_r_latency_sum over that of _count, and of _w_);
  health     the codes of all warnings and errors in `health detail`, and the OSDs that they name.
The fault is from its start to its end; of a run without, all of the workload but its first ten seconds.
"""
import json
import math
import pathlib
import re
import statistics
import sys

from campaign_runs import campaign, judged
from traces import run

FACTOR = 3
LEAST_MS = 10
SETTLING_S = 10
ANSWERS = "ceph-said.jsonl"
EXPORTED = "ceph-exported.jsonl"


def lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def period(truth):
    if truth["fault_start"] is None:
        return truth["workload_start"] + SETTLING_S, truth["workload_stop"]
    return truth["fault_start"], truth["fault_stop"]


def server_of(osd):
    """osd.0 is on s1."""
    return f"s{int(osd.removeprefix('osd.')) + 1}"


def stand_out(values):
    """Servers whose value is more than FACTOR times the median of their peers', with that factor. \\param values  ms, by server"""
    found = {}
    for server, value in values.items():
        peers = statistics.median(v for other, v in values.items() if other != server) if len(values) > 1 else 0
        if value >= LEAST_MS and value > FACTOR * peers:
            found[server] = value / peers if peers > 0 else float("inf")
    return found


def commit_latencies(answers, begin, end):
    """Mean commit latency in `osd perf`, ms, by server."""
    seen = {}
    for line in answers:
        if begin <= line["time"] <= end and "osdstats" in line["said"]:
            for osd in line["said"]["osdstats"]["osd_perf_infos"]:
                seen.setdefault(server_of(f"osd.{osd['id']}"), []).append(osd["perf_stats"]["commit_latency_ms"])
    return {server: statistics.fmean(values) for server, values in seen.items()}


def request_times(exported, direction, begin, end):
    """Mean time of a client's request that an OSD had, ms, by server. \\param direction  `r` or `w`"""
    counters = {}
    for line in exported:
        for part in ("sum", "count"):
            if begin <= line["time"] <= end and line["metric"] == f"ceph_osd_op_{direction}_latency_{part}":
                counters.setdefault(server_of(line["osd"]), {}).setdefault(part, []).append(line["value"])
    times = {}
    for server, of in counters.items():
        grown = {part: of[part][-1] - of[part][0] for part in ("sum", "count") if part in of}
        if grown.get("count", 0) > 0 and "sum" in grown:
            times[server] = 1000 * grown["sum"] / grown["count"]
    return times


def health(answers, begin, end):
    """(codes, servers that they name)"""
    codes, servers = set(), set()
    for line in answers:
        if begin <= line["time"] <= end and "checks" in line["said"]:
            for code, check in line["said"]["checks"].items():
                codes.add(code)
                texts = [check["summary"]["message"]] + [detail["message"] for detail in check["detail"]]
                servers |= {server_of(f"osd.{number}") for text in texts for number in re.findall(r"osd\.(\d+)", text)}
    return codes, servers


def named(found):
    shown = {server: "∞" if math.isinf(factor) else f"{factor:.1f}" for server, factor in sorted(found.items())}
    return ", ".join(f"{server} ({factor}×)" for server, factor in shown.items()) or "–"


def said_by_ceph(one):
    """What each of its witnesses says of a run: text and servers."""
    begin, end = period(one.truth)
    answers, exported = lines(one.folder / ANSWERS), lines(one.folder / EXPORTED)
    perf = stand_out(commit_latencies(answers, begin, end))
    requests = {}
    for direction in "rw":
        for server, factor in stand_out(request_times(exported, direction, begin, end)).items():
            requests[server] = max(factor, requests.get(server, 0))
    codes, blamed = health(answers, begin, end)
    text = ", ".join(sorted(codes)) or "–"
    if blamed:
        text += f" ({', '.join(sorted(blamed))})"
    return {"osd perf": (named(perf), set(perf)), "exporter": (named(requests), set(requests)), "health": (text, blamed)}


def counts(title, servers_of_runs):
    sick = [(one, servers) for one, servers in servers_of_runs if one.sick]
    right = sum(one.sick <= servers for one, servers in sick)
    only = sum(one.sick == servers for one, servers in sick)
    wrong = sum(bool(servers - one.sick) for one, servers in servers_of_runs)
    return f"| {title} | {right} of {len(sick)} | {only} of {len(sick)} | {wrong} of {len(servers_of_runs)} |"


def main():
    binary, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    witnesses = ["osd perf", "exporter", "health"]
    every = {name: [] for name in ["laggard", *witnesses]}
    causes = []
    print("| run | CPU busy | throughput lost | laggard | " + " | ".join(witnesses) + " |\n" + "|---" * 7 + "|")
    with campaign(folder) as runs:
        for one in runs:
            diagnosis = json.loads(run(binary, "diagnose", str(one.folder), "--system", str(one.system), "--json", "-"))
            outcome = judged(one, diagnosis)
            every["laggard"].append((one, set(outcome.named)))
            if one.sick:
                causes.append(outcome.cause == "right")
            ceph = said_by_ceph(one)
            for name in witnesses:
                every[name].append((one, ceph[name][1]))
            lost = "–" if one.lost is None else f"{100 * one.lost:.0f} %"
            busy = one.truth["cpu_busy"]
            print(f"| {one.name} | {'–' if busy is None else f'{100 * busy:.0f} %'} | {lost} | {outcome.said or '–'} | "
                  + " | ".join(ceph[name][0] for name in witnesses) + " |")
    print("\n| | names the sick server | and nobody else | names a healthy one |\n|---|---|---|---|")
    for name, servers in every.items():
        print(counts(name, servers))
    print(f"\nlaggard names the cause in {sum(causes)} of {len(causes)} runs with a fault.")


if __name__ == "__main__":
    main()
