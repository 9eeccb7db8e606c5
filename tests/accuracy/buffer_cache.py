#!/usr/bin/env python3
"""T §6.1.2 measured: the table "The buffer cache" of docs/methods/simulation.md.

usage: tests/accuracy/buffer_cache.py LAGGARD LAGGARD_LAB [--seeds 1,3,5] [--keep FOLDER]

Simulates PVFS servers with Linux's buffer cache (--set pvfs.buffered=1) and with direct I/O at three rates of writing, each of
which puts the cache in another mode, and prints what the disks show (1), what `laggard diagnose` says of the runs without fault,
with --algorithm paper and without (2), how long a server recovers after a fault of its disk (3), and how much of what clients
write again reaches the disks (4). Figures are medians over the seeds. Some five minutes of CPU.
"""
import argparse
import collections
import csv
import datetime
import io
import json
import pathlib
import statistics
import subprocess
import tempfile

MEGABYTE = 2**20
RATES = {  # Name of the mode: clients, servers, further options.
    "periodic": (10, 10, ["pvfs.write-rate=6e6"]),
    "background": (10, 10, []),
    "foreground": (10, 6, ["pvfs.write-rate=400e6"]),
}
LESS_MEMORY = "pvfs.memory-first=536870912"
SETTLED_S = 120  # Of a run; in (1) what is later counts.
FAULT_S = (120, 420)
LEAD_S = 15
NEARLY = 0.9
CALM = 1.5  # An await up to so many times the peers' median is a healthy one's.


class Lab:
    def __init__(self, laggard, lab, keep):
        self.laggard, self.lab, self.keep = laggard, lab, keep

    def run(self, name, clients, servers, seed, *options, settings=(), duration="600s"):
        """The recording of a run, simulated unless it is there."""
        folder = self.keep / f"{name}-{seed}"
        if not folder.exists():
            given = [part for setting in settings for part in ("--set", setting)]
            subprocess.run([self.lab, "simulate", "--clients", str(clients), "--servers", str(servers), "--seed", str(seed),
                            "--duration", duration, *options, *given, "-o", folder], check=True, stdout=subprocess.DEVNULL)
        return folder

    def seconds(self, folder):
        """Per server and counter what it grew by in every second."""
        counters = ["wr_sectors", "wr_ios", "wr_ms", "rd_ios", "rd_ms", "io_ms", "rx_bytes"]
        text = subprocess.run([self.laggard, "export", folder, *(part for c in counters for part in ("--counter", c))], check=True,
                              stdout=subprocess.PIPE, text=True).stdout
        series = collections.defaultdict(list)
        for row in csv.DictReader(io.StringIO(text)):
            if row["host"].startswith("s") and row["kind"] in ("disk", "net"):
                series[(row["host"], row["counter"])].append(float(row["value"]))
        return {key: [b - a for a, b in zip(values, values[1:])] for key, values in series.items()}

    def diagnosis(self, folder, *options):
        text = subprocess.run([self.laggard, "diagnose", folder, "--json", "-", *options], check=True, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True).stdout
        return json.loads(text)


def servers_of(grown):
    return sorted({host for host, _ in grown}, key=lambda host: int(host[1:]))


def await_ms(grown, host, begin, end):
    def total(counter):
        return sum(grown[(host, counter)][begin:end])
    requests = total("wr_ios") + total("rd_ios")
    return (total("wr_ms") + total("rd_ms")) / requests if requests else 0.0


def period_s(written):
    """The lag of 2 to 20 s at which the series is most like itself, or the first one at which it is nearly as like, and how like
    it is then."""
    mean = statistics.fmean(written)
    around = [x - mean for x in written]
    square = sum(x * x for x in around)
    like = {lag: sum(a * b for a, b in zip(around, around[lag:])) / square for lag in range(2, 21)}
    best = next(lag for lag in like if like[lag] > NEARLY * max(like.values()))
    return best, like[best]


def median_of(seeds, figures):
    return [statistics.median(column) for column in zip(*(figures(seed) for seed in seeds))]


def disk_profile(lab, folder):
    grown = lab.seconds(folder)
    begin = LEAD_S + SETTLED_S
    hosts = servers_of(grown)
    rates, bursts, utils, waits, periods, alike = [], [], [], [], [], []
    for host in hosts:
        written = [sectors / 2048 for sectors in grown[(host, "wr_sectors")][begin:]]
        rates.append(statistics.fmean(written))
        bursts.append(sum(x > 1 for x in written) / len(written))
        utils.append(statistics.fmean(grown[(host, "io_ms")][begin:]) / 10)
        waits.append(await_ms(grown, host, begin, None))
        lag, like = period_s(written)
        periods.append(lag)
        alike.append(like)
    first = min(next(t for t, sectors in enumerate(grown[(host, "wr_sectors")]) if sectors > 4096) for host in hosts) - LEAD_S
    return [statistics.fmean(rates), first, 100 * statistics.fmean(bursts), statistics.median(periods), statistics.fmean(alike),
            statistics.fmean(utils), min(utils), max(utils), statistics.median(waits), min(waits), max(waits)]


def print_profiles(lab, seeds):
    print("(1) the disks, without fault\n\n| rate | way | MB/s a server | first written after, s | seconds with writes, % |"
          " period, s (autocorrelation) | util, % (least to most) | await, ms (least to most) |\n" + "|---" * 8 + "|")
    for mode, (clients, servers, settings) in RATES.items():
        for way, more in [("direct", []), ("cache", ["pvfs.buffered=1"])]:
            def figures(seed):
                return disk_profile(lab, lab.run(f"{mode}-{way}", clients, servers, seed, settings=settings + more))
            rate, first, bursts, period, like, util, idlest, busiest, wait, shortest, longest = median_of(seeds, figures)
            print(f"| {mode} | {way} | {rate:.1f} | {first:.0f} | {bursts:.0f} | {period:.0f} ({like:.2f}) | "
                  f"{util:.0f} ({idlest:.0f} to {busiest:.0f}) | {wait:.0f} ({shortest:.0f} to {longest:.0f}) |", flush=True)


def blamed(diagnosis, states):
    return sum(incident["state"] in states for incident in diagnosis["incidents"])


def print_verdicts(lab, seeds):
    print("\n(2) runs without fault: incidents that are confirmed, and further suspicions, in all seeds\n\n"
          "| rate | way | laggard | paper, untrained |\n" + "|---" * 4 + "|")
    less = [("cache, one with less memory", ["pvfs.buffered=1", LESS_MEMORY])]
    for mode, (clients, servers, settings) in RATES.items():
        for way, more in [("direct", []), ("cache", ["pvfs.buffered=1"]), *less]:
            row = []
            for options in [[], ["--algorithm", "paper"]]:
                name = f"{mode}-{'less' if 'less' in way else way}"
                found = [lab.diagnosis(lab.run(name, clients, servers, seed, settings=settings + more), *options)
                         for seed in seeds]
                row.append(f"{sum(blamed(d, ['confirmed']) for d in found)}, {sum(blamed(d, ['suspected']) for d in found)}")
            print(f"| {mode} | {way} | {' | '.join(row)} |", flush=True)


def recovery(lab, folder):
    """After the fault's end: seconds until the sick server's await is a healthy one's for half a minute, MB that it wrote more
    than its peers' median until then (10 s at least), its await in that time, and theirs; then what the truth says."""
    truth = json.loads((folder / "truth.json").read_text())
    grown = lab.seconds(folder)
    sick = truth["faulty_server"]
    peers = [host for host in servers_of(grown) if host != sick]
    end = LEAD_S + FAULT_S[1]
    length = len(grown[(sick, "wr_sectors")])
    step = 10
    unlike = [at for at in range(end, length - step, step)
              if await_ms(grown, sick, at, at + step) > CALM * statistics.median(
                  await_ms(grown, peer, at, at + step) for peer in peers)]
    # It has recovered where the first three calm steps begin, if it has at all.
    calm = next((at for at in range(end, length - step, step) if not {at, at + step, at + 2 * step} & set(unlike)), length)
    until = max(calm, end + step)
    more = sum(grown[(sick, "wr_sectors")][end:until]) - statistics.median(
        sum(grown[(peer, "wr_sectors")][end:until]) for peer in peers)
    return [calm - end, more / 2048, await_ms(grown, sick, end, until), statistics.median(
        await_ms(grown, peer, end, until) for peer in peers)], truth


def seconds_open(diagnosis, truth):
    """From the fault's end to that of the last incident that blames the sick server; None when there is none."""
    ends = [incident["until"] or incident["last_seen"] for incident in diagnosis["incidents"]
            if truth["faulty_server"] in incident["blame"]["name"].split("/")]
    return max((datetime.datetime.fromisoformat(end.replace("Z", "+00:00")).timestamp() for end in ends),
               default=truth["fault_stop"]) - truth["fault_stop"] if ends else None


def print_recovery(lab, seeds):
    print("\n(3) after a fault of 300 s\n\n| rate | fault | way | await like the peers' after, s | written more than they until then, MB |"
          " await until then, ms (peers) | incident open for, s (seeds) |\n" + "|---" * 7 + "|")
    for mode, (clients, servers, settings) in RATES.items():
        for fault in ["disk-hog", "disk-busy"]:
            for way, more in [("direct", []), ("cache", ["pvfs.buffered=1"])]:
                rows, opened = [], []
                for seed in seeds:
                    folder = lab.run(f"{mode}-{way}-{fault}", clients, servers, seed, "--fault", fault, settings=settings + more,
                                     duration="900s")
                    figures, truth = recovery(lab, folder)
                    rows.append(figures)
                    opened.append(seconds_open(lab.diagnosis(folder), truth))
                after, written, wait, healthy = map(statistics.median, zip(*rows))
                told = [at for at in opened if at is not None]
                kept = f"{statistics.median(told):.0f}" if told else "-"
                print(f"| {mode} | {fault} | {way} | {after:.0f} | {written:.0f} | {wait:.0f} ({healthy:.0f}) | "
                      f"{kept} ({len(told)} of {len(seeds)}) |", flush=True)


def moved(lab, folder):
    grown = lab.seconds(folder)
    received = sum(sum(values) for (_, counter), values in grown.items() if counter == "rx_bytes")
    written = 512 * sum(sum(values) for (_, counter), values in grown.items() if counter == "wr_sectors")
    return [received / 2**30, written / 2**30]


def print_rewriting(lab, seeds):
    print("\n(4) rewriting: GB that servers receive, GB that their disks write\n\n"
          "| workload | rate | direct | cache |\n" + "|---" * 4 + "|")
    cases = [(f"dd, over and over the same {size} MB a client", "ddw", mode, [f"runs.file={size * MEGABYTE}", "runs.pass-pause=0"])
             for size in (80, 640) for mode in RATES]
    cases += [("IOzone, twice", "iozonew", "background", []), ("PostMark", "postmark", "background", [])]
    for number, (what, workload, mode, own) in enumerate(cases):
        clients, servers, settings = RATES[mode]
        row = []
        for way, more in [("direct", []), ("cache", ["pvfs.buffered=1"])]:
            def figures(seed):
                return moved(lab, lab.run(f"again-{number}-{way}", clients, servers, seed, "--workload", workload,
                                          settings=settings + own + more))
            received, written = median_of(seeds, figures)
            row.append(f"{received:.1f}, {written:.1f}")
        print(f"| {what} | {mode} | {' | '.join(row)} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("laggard", type=pathlib.Path, metavar="LAGGARD")
    parser.add_argument("lab", type=pathlib.Path, metavar="LAGGARD_LAB")
    parser.add_argument("--seeds", default="1,3,5")
    parser.add_argument("--keep", type=pathlib.Path, metavar="FOLDER")
    options = parser.parse_args()
    seeds = [int(seed) for seed in options.seeds.split(",")]
    with tempfile.TemporaryDirectory() as folder:
        lab = Lab(options.laggard, options.lab, options.keep or pathlib.Path(folder))
        lab.keep.mkdir(parents=True, exist_ok=True)
        print_profiles(lab, seeds)
        print_verdicts(lab, seeds)
        print_recovery(lab, seeds)
        print_rewriting(lab, seeds)


if __name__ == "__main__":
    main()
