#!/usr/bin/env python3
"""What probes cost a file system under full load: `ping_overhead.py LAGGARD MODELLED_DISK [--pairs 8]`.

K Table III on a real GlusterFS volume: three servers with two bricks each on modelled disks, four clients whose fio
writes and reads as much as the disks can take (K: IOR). In blocks in which recorders of pings run, and blocks in
which they are frozen, in pairs of random order, what goes through the clients' ports is counted. Each target gets as
many rounds of probes a second as one of K's does from 100 clients at 30 s and from 6 at 60 s; and, since K's targets
are arrays of ten disks and these are single ones, a tenth of the former. Needs root.
"""
import argparse
import math
import os
import random
import signal
import statistics
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "pings"))
from gluster_volume import BASE, Volume, enter  # noqa: E402
from namespaces import inside, run  # noqa: E402

SETTLING = 3  # s at the beginning of a block that are not counted
STREAMS = 6  # of fio, per client
CONFIGURATIONS = {
    "100 monitors at 30 s, per target": (4, "1200ms"),
    "100 monitors at 30 s, per disk": (1, "3s"),
    "6 monitors at 60 s, per target": (1, "10s"),
}
T_95 = {1: 12.71, 2: 4.30, 3: 3.18, 4: 2.78, 5: 2.57, 6: 2.45, 7: 2.36, 9: 2.26, 11: 2.20, 15: 2.13, 19: 2.09}


def bytes_through():
    """What the clients sent and received so far."""
    total = 0
    with open("/proc/net/dev", encoding="utf-8") as file:
        for line in file.read().splitlines()[2:]:
            name, numbers = line.split(":")
            if name.strip().startswith("p-c"):
                total += sum(int(numbers.split()[i]) for i in (0, 8))
    return total


def family(pid):
    """A process and those that it started."""
    with open(f"/proc/{pid}/task/{pid}/children", encoding="utf-8") as file:
        children = [int(child) for child in file.read().split()]
    return [pid, *(one for child in children for one in family(child))]


def cpu_seconds(pids):
    ticks = 0
    for pid in pids:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            fields = file.read().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def measure(volume, arguments, name):
    recorders, interval = CONFIGURATIONS[name]
    folder = f"{BASE}/recordings-{recorders}-{interval}"
    os.makedirs(folder)
    processes = [inside(f"c{c}", [arguments.laggard, "record", "pings", "--out", f"{folder}/c{c}", "--host", f"c{c}",
                                  "--backend", "gluster", "--mount", volume.mount(c), "--interval", interval],
                        stderr=subprocess.DEVNULL) for c in range(1, recorders + 1)]
    time.sleep(5)
    pids = [pid for process in processes for pid in family(process.pid)]
    before = cpu_seconds(pids)
    chance = random.Random(arguments.seed)
    lost, throughputs, running = [], [], 0
    for _ in range(arguments.pairs):
        moved = {}
        for on in chance.sample([True, False], 2):
            for process in processes:
                process.send_signal(signal.SIGCONT if on else signal.SIGSTOP)
            time.sleep(SETTLING)
            begin, at = time.monotonic(), bytes_through()
            time.sleep(arguments.block)
            moved[on] = (bytes_through() - at) / (time.monotonic() - begin)
            running += on * (SETTLING + arguments.block)
        lost.append(100 * (1 - moved[True] / moved[False]))
        throughputs.append(moved[False] / 1e6)
    for process in processes:
        process.send_signal(signal.SIGCONT)
    cpu = cpu_seconds(pids) - before
    for process in processes:
        process.terminate()
        process.wait()
    probes = []
    for c in range(1, recorders + 1):
        probes += run(arguments.laggard, "export", f"{folder}/c{c}", "--events", "ping").stdout.splitlines()[1:]
    late = sum(",timeout," in line or ",slow," in line for line in probes)
    # Only probes that were told when they ended or ran out of time tell when they were begun.
    seconds = float(interval.removesuffix("ms")) / 1e3 if interval.endswith("ms") else float(interval.removesuffix("s"))
    begun = [float(line.split(",")[0]) % seconds for line in probes if "timed_out" not in line]
    soon = sum(offset < 3 for offset in begun) / max(1, len(begun))
    error = statistics.stdev(lost) / math.sqrt(len(lost))
    t = T_95[max(k for k in T_95 if k <= len(lost) - 1)]
    mean = statistics.mean(lost)
    print(f"| {name} | {recorders} at {interval} | {len(lost)} | {statistics.mean(throughputs):.2f} MB/s "
          f"| {mean:.2f} ({mean - t * error:.2f} to {mean + t * error:.2f}) "
          f"| {len(probes)} | {late} | {100 * soon:.1f} % | {1e3 * cpu / max(1, len(probes)):.2f} ms |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("laggard", type=os.path.abspath)
    parser.add_argument("disk", type=os.path.abspath)
    parser.add_argument("--pairs", type=int, default=8)
    parser.add_argument("--block", type=float, default=12, help="seconds")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    enter(("fio", "mkfs.ext4", "ethtool"))
    volume = Volume(6, clients=4, per_server=2, disk=arguments.disk)
    volume.start()
    load = [inside(f"c{c}", ["fio", "--name", f"c{c}", "--directory", volume.mount(c), "--rw", "rw", "--bs", "256k",
                             "--size", "2m", "--time_based", "--runtime", "7200", "--direct", "1", "--ioengine", "psync",
                             "--numjobs", STREAMS, "--thread", "--output", f"{BASE}/fio-c{c}"],
                   stderr=subprocess.DEVNULL) for c in range(1, 5)]
    time.sleep(20)
    print("| K's configuration | recorders | pairs of blocks | throughput without | lost, % (95 %) | probes | of them late "
          "| begun within 3 s | CPU per probe |\n|---|---|---|---|---|---|---|---|---|", flush=True)
    for name in CONFIGURATIONS:
        measure(volume, arguments, name)
    for process in load:
        process.kill()
        process.wait()
    volume.stop()


main()
