#!/usr/bin/env python3
"""One incident, every witness: `witnesses.py LAGGARD MODELLED_DISK [--seed N]`.

The volume and the faults of pings.py under the load of clients, recorded by metrics of every server, pings of two
clients and GlusterFS's own logs. Told is what a diagnosis of all of it says: whom it blames, the cause and mode, which
witnesses the incident names, and what else it says. Needs root, and some 15 minutes.
"""
import argparse
import json
import os
import random
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "pings"))
from gluster_volume import BASE, Volume, enter  # noqa: E402
from namespaces import address, inside, run  # noqa: E402

WARM = 150  # s before a fault: as long as lab's windows take to know what is usual
LASTS = 150  # s of it
FILES = 4  # on each brick, of each client
LOSS = 15  # % of packets that arrive
SLOWER = 30  # times as long a disk takes


class Trial:
    def __init__(self, arguments):
        self.laggard = arguments.laggard
        self.volume = Volume(6, clients=2, per_server=2, disk=arguments.disk)
        self.volume.start()
        self.loops = {k: os.path.basename(run("findmnt", "-no", "SOURCE", self.volume.brick(k)).stdout.strip())
                      for k in range(1, 7)}
        self.system = f"{BASE}/system.toml"
        with open(self.system, "w", encoding="utf-8") as file:
            for s in range(1, 4):
                disks = ", ".join(f'"{self.loops[k]}"' for k in (2 * s - 1, 2 * s))
                file.write(f'[[servers]]\nname = "s{s}"\ndevices = [{disks}]\naddress = "{address(s)}"\npeers = "all"\n')
            for c in (1, 2):
                file.write(f'[[clients]]\nname = "c{c}"\naddress = "{address(100 + c)}"\n')

    def disk(self, k):
        """What metrics call the disk under a brick."""
        return f"{self.volume.server(k)}/{self.loops[k]}"

    def files(self, c):
        """As many on each brick: the volume's hash chooses, so names are tried."""
        found = {k: [] for k in range(1, 7)}
        for n in range(10000):
            name = f"c{c}-{n}"
            with open(f"{self.volume.mount(c)}/{name}", "wb") as file:
                file.write(bytes(1 << 18))
            k = next(k for k in found if os.path.exists(f"{self.volume.brick(k)}/{name}"))
            if len(found[k]) < FILES:
                found[k].append(f"{self.volume.mount(c)}/{name}")
            else:
                os.remove(f"{self.volume.mount(c)}/{name}")
            if all(len(names) == FILES for names in found.values()):
                return [name for names in found.values() for name in names]
        raise RuntimeError("the bricks cannot be filled alike")

    def start(self):
        """Load and recorders."""
        targets = ",".join(f"{self.disk(k)}={self.volume.server(k)}:{self.volume.brick(k)}" for k in range(1, 7))
        quiet = {"stderr": subprocess.DEVNULL, "stdout": subprocess.DEVNULL}
        self.recordings, self.processes = [], []
        for s in range(1, 4):
            disks = ",".join(self.loops[k] for k in (2 * s - 1, 2 * s))
            self.record(f"s{s}", ["metrics", "--disk", disks, "--net", "eth0"])
        for c in (1, 2):
            self.record(f"c{c}", ["metrics", "--disk", "none", "--net", "eth0"])
            self.record(f"c{c}", ["pings", "--backend", "gluster", "--mount", self.volume.mount(c), "--target", targets,
                                  "--interval", "10s", "--slo", "400ms"])
            self.processes.append(inside(
                f"c{c}", ["fio", "--name", "load", "--filename", ":".join(self.files(c)), "--rw", "randrw", "--bs", "16k",
                          "--direct", "1", "--ioengine", "psync", "--numjobs", 2, "--thread", "--rate", "60k,60k",
                          "--time_based", "--runtime", "3600", "--file_service_type", "random",
                          "--output", f"{BASE}/fio"], **quiet))

    def record(self, host, words):
        folder = f"{BASE}/rec-{words[0]}-{host}"
        self.recordings.append(folder)
        self.processes.append(inside(host, [self.laggard, "record", words[0], "--out", folder, "--host", host, *words[1:]],
                                     stderr=subprocess.DEVNULL))

    def end(self):
        for process in self.processes:
            process.send_signal(signal.SIGTERM)
        for process in self.processes:
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
        logs = f"{BASE}/rec-logs"
        for name in [f"b{k}" for k in range(1, 7)] + ["c1", "c2"]:
            host = name if name.startswith("c") else self.volume.server(int(name[1:]))
            run(self.laggard, "import", "logs", f"{BASE}/{name}.log", "--host", host, "--out", logs, check=False)
        self.recordings += [logs] if os.path.exists(logs) else []
        said = run(self.laggard, "diagnose", *self.recordings, "--system", self.system, "--json", "-")
        return json.loads(said.stdout)["incidents"]


def brick_stopped(trial, chance):
    k = chance.randint(1, 6)
    return ({trial.disk(k), trial.volume.server(k)}, lambda: trial.volume.signal(f"b{k}", signal.SIGSTOP),
            lambda: trial.volume.signal(f"b{k}", signal.SIGCONT))


def disk_slow(trial, chance):
    k = chance.randint(1, 6)

    def ail(how):
        with open(f"{trial.volume.disk_folder(k)}/ailment", "w", encoding="utf-8") as file:
            file.write(how)
    return {trial.disk(k)}, lambda: ail(f"slower={SLOWER}\n"), lambda: ail("")


def link_lossy(trial, chance):
    server = f"s{chance.randint(1, 3)}"
    rules = ("table ip lossy { chain arriving { type filter hook input priority 0; "
             f"iif eth0 numgen random mod 100 < {LOSS} counter drop; }}; }}")
    within = ("nsenter", f"--net=/run/netns/{server}", "nft")
    return ({server, f"{server}/eth0"}, lambda: run(*within, rules), lambda: run(*within, "delete table ip lossy"))


FAULTS = {"a glusterfsd stopped": brick_stopped, f"a disk {SLOWER} times slower": disk_slow,
          f"a link loses {LOSS} % of what arrives": link_lossy}


def conduct(arguments, fault):
    trial = Trial(arguments)
    right, begin, end = FAULTS[fault](trial, random.Random(f"{arguments.seed} {fault}"))
    trial.start()
    time.sleep(WARM)
    begin()
    time.sleep(LASTS)
    end()
    time.sleep(20)
    incidents = trial.end()
    blaming = [one for one in incidents if one["blame"]["name"] in right]
    others = [f"{one['blame']['name']} {one['cause']} ({one['state']}, {one['status']})" for one in incidents
              if one not in blaming[:1]]
    if blaming:
        one = blaming[0]
        sources = sorted({evidence["source"] for evidence in one["evidence"]})
        said = f"{one['blame']['name']} | {one['cause']} | {one['mode'] or '-'} | {', '.join(sources)}"
    else:
        said = "**nobody right** | - | - | -"
    print(f"| {fault} | {', '.join(sorted(right))} | {said} | {'; '.join(others) or '-'} |", flush=True)
    trial.volume.stop()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("laggard", type=os.path.abspath)
    parser.add_argument("disk", type=os.path.abspath)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--fault", choices=FAULTS, help="this one alone")
    arguments = parser.parse_args()
    if arguments.fault:
        enter(("nft", "mkfs.ext4", "ethtool", "fio", "findmnt"))
        conduct(arguments, arguments.fault)
        return
    print("| fault | right | blamed | cause | mode | witnesses | told besides |\n|---|---|---|---|---|---|---|", flush=True)
    for fault in FAULTS:
        subprocess.run([sys.executable, *sys.argv, "--fault", fault], check=False)


main()
