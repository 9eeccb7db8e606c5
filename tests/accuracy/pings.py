#!/usr/bin/env python3
"""Faults of a real GlusterFS volume, localized from pings alone: `pings.py LAGGARD MODELLED_DISK [--seed N]`.

Three servers with two bricks each on modelled disks, two clients that probe every brick every 10 s with an
SLO of 200 ms, and `laggard watch` beside them. One after the other a glusterfsd is stopped by SIGSTOP, a disk
becomes slower, and a server's link loses packets; the seed chooses which. Told is how long it took from the
fault to the first line that blames the right part, what else was told, and whom a diagnosis of the whole
recording blames. Needs root, and some 20 minutes.
"""
import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "pings"))
from gluster_volume import BASE, Volume, enter  # noqa: E402
from namespaces import inside, run  # noqa: E402

WARM = 60  # s before a fault
PATIENCE = 300  # s for its line
LOSS = 15  # % of packets that arrive
SLOWER = 30  # times as long a disk takes


class Watch(threading.Thread):
    """`laggard watch`, and when each of its lines came."""

    def __init__(self, laggard, recordings, system):
        super().__init__(daemon=True)
        self.lines = []
        self.process = subprocess.Popen([laggard, "watch", *recordings, "--system", system, "--json"],
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)

    def run(self):
        for line in self.process.stdout:
            self.lines.append((time.time(), json.loads(line)))

    def blames(self):
        """When which part was told, and as what."""
        return [(when, change["change"], change["incident"]["blame"]["name"], change["incident"]["state"])
                for when, change in list(self.lines)]


class Trial:
    def __init__(self, arguments, name):
        self.laggard, self.events, self.name = arguments.laggard, arguments.events, name
        self.volume = Volume(6, clients=2, per_server=2, disk=arguments.disk)
        self.volume.start()
        self.system = f"{BASE}/system.toml"
        with open(self.system, "w", encoding="utf-8") as file:
            file.write('[[servers]]\nname = "s[1-3]"\n[[clients]]\nname = "c[1-2]"\n')

    def __call__(self, begin, right):
        recordings = [f"{BASE}/rec-c{c}" for c in (1, 2)]
        recorders = [inside(
            f"c{c}", [self.laggard, "record", "pings", "--out", rec, "--host", f"c{c}", "--backend", "gluster",
                      "--mount", self.volume.mount(c), "--interval", "10s", "--slo", "200ms", "--flush", "2s"],
            stderr=subprocess.DEVNULL) for c, rec in ((1, recordings[0]), (2, recordings[1]))]
        watch = Watch(self.laggard, recordings, self.system)
        watch.start()
        time.sleep(WARM)
        begin()
        fault = time.time()
        found = None
        while found is None and time.time() < fault + PATIENCE:
            time.sleep(0.5)
            found = next((when for when, _, part, _ in watch.blames() if when > fault and part == right), None)
        seconds = f"{found - fault:.0f} s" if found else f"not in {PATIENCE} s"
        time.sleep(max(0, min(fault + PATIENCE, (found or 0) + 60) - time.time()))  # What else is told?
        others = [f"{part} {change} at {when - fault:.0f} s" for when, change, part, _ in watch.blames()
                  if part != right and change in ("opened", "withdrawn")]
        diagnosis = json.loads(run(self.laggard, "diagnose", *recordings, "--system", self.system, "--json", "-").stdout)
        blamed = sorted({incident["blame"]["name"] for incident in diagnosis["incidents"]})
        probes = run(self.laggard, "export", *recordings, "--events", "ping").stdout
        if self.events:
            shutil.copytree(BASE, self.events, ignore=lambda folder, names: [
                name for name in names if folder == BASE and not name.startswith("rec-")])
        print(f"| {self.name} | {right} | {seconds} | {', '.join(others) or '-'} | {', '.join(blamed)} | {probes.count(chr(10)) - 1} |", flush=True)
        for process in (*recorders, watch.process):
            process.send_signal(signal.SIGKILL)
            process.wait()
        return found is not None and blamed == [right]


def stopped(arguments, chance):
    trial = Trial(arguments, "brick stopped")
    k = chance.randint(1, 6)
    good = trial(lambda: trial.volume.signal(f"b{k}", signal.SIGSTOP), trial.volume.target(k))
    trial.volume.signal(f"b{k}", signal.SIGCONT)
    trial.volume.stop()
    return good


def slow(arguments, chance):
    trial = Trial(arguments, f"disk {SLOWER} times slower")
    k = chance.randint(1, 6)

    def ail():
        with open(f"{trial.volume.disk_folder(k)}/ailment", "w", encoding="utf-8") as file:
            file.write(f"slower={SLOWER}\n")
    good = trial(ail, trial.volume.target(k))
    trial.volume.stop()
    return good


def lossy(arguments, chance):
    trial = Trial(arguments, f"link loses {LOSS} %")
    server = f"s{chance.randint(1, 3)}"
    rules = ("table ip lossy { chain arriving { type filter hook input priority 0; "
             f"iif eth0 numgen random mod 100 < {LOSS} counter drop; }}; }}")
    good = trial(lambda: run("nsenter", f"--net=/run/netns/{server}", "nft", rules), server)
    trial.volume.stop()
    return good


FAULTS = {"stopped": stopped, "slow": slow, "lossy": lossy}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("laggard", type=os.path.abspath)
    parser.add_argument("disk", type=os.path.abspath)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--fault", choices=FAULTS, help="this one alone")
    parser.add_argument("--events", help="a folder for the recordings, with --fault")
    arguments = parser.parse_args()
    if arguments.fault:
        enter(("nft", "mkfs.ext4", "ethtool"))
        sys.exit(0 if FAULTS[arguments.fault](arguments, random.Random(f"{arguments.seed} {arguments.fault}")) else 1)
    print("| fault | part | told after | others told | diagnosed | events |\n|---|---|---|---|---|---|", flush=True)
    sys.exit(max([subprocess.call([sys.executable, *sys.argv, "--fault", fault]) for fault in FAULTS]))


main()
