#!/usr/bin/env python3
"""Ten thousand probes of a GlusterFS volume whose servers are stopped, killed and cut off by chance:
`soak.py LAGGARD [--seed N] [--probes N]`. Two clients probe six bricks every second; now and then a recorder
is killed as well, alone or with all of its processes, and started again.

Every probe must be told of: the numbers of a recorder's probes have no gap but what the recording counts as
lost; of one that was killed, up to 4 s before (SLO, flush, a round). No file, link or directory of probes may
be left on any brick in the end. Needs root and some ten minutes.
"""
import argparse
import collections
import os
import random
import re
import signal
import sys
import time

import gluster
from gluster_volume import BASE, Volume, enter
from namespaces import run

BRICKS, CLIENTS = 6, 2


class Chance:
    """Faults that are under way, each with the moment and the act that ends it."""

    def __init__(self, volume, seed):
        self.volume, self.chance = volume, random.Random(seed)
        self.under_way, self.next, self.counts = {}, 0, collections.Counter()

    def begin(self, now):
        brick = self.chance.randint(1, BRICKS)
        kind = self.chance.choice(("stopped", "killed", "cut off"))
        length = self.chance.uniform(2, 20)
        self.next = now + self.chance.uniform(3, 12)
        if brick in self.under_way:
            return
        name, port = f"b{brick}", f"p-{self.volume.server(brick)}"
        if kind == "stopped":
            self.volume.signal(name, signal.SIGSTOP)
            end = lambda: self.volume.signal(name, signal.SIGCONT)
        elif kind == "killed":
            self.volume.signal(name, signal.SIGKILL)
            self.volume.processes[name].wait()
            end = lambda: self.volume.start_server(brick)
        else:
            run("ip", "link", "set", port, "down")
            end = lambda: run("ip", "link", "set", port, "up")
        self.counts[kind] += 1
        self.under_way[brick] = (now + length, end)

    def step(self, now):
        for brick in [brick for brick, (until, _) in self.under_way.items() if now >= until]:
            self.under_way.pop(brick)[1]()
        if now >= self.next:
            self.begin(now)

    def finish(self):
        for _, end in self.under_way.values():
            end()
        self.under_way = {}


class Recorders:
    """One after the other on a client, each into a recording of its own."""

    def __init__(self, volume, client, chance):
        self.volume, self.client, self.chance, self.runs = volume, client, chance, []
        self.start()

    def start(self):
        out = f"{BASE}/rec{self.client}-{len(self.runs)}"
        self.recorder = gluster.Recorder(self.volume, out, client=self.client)
        self.runs.append([out, None])
        self.until = time.time() + self.chance.uniform(30, 90)

    def step(self, now):
        if self.recorder.process.poll() is not None:  # A brick hung for too long while it looked for them.
            self.start()
        if now < self.until:
            return
        victims = [self.recorder.process.pid]
        if self.chance.random() < 0.5:
            victims += map(int, run("pgrep", "-P", victims[0], check=False).stdout.split())
        for pid in victims:
            os.kill(pid, signal.SIGKILL)
        self.runs[-1][1] = now
        self.recorder.process.wait()
        self.start()

    def finish(self):
        gluster.expect(self.recorder.end() == 0, "a recorder that is asked to end does so")


def check_told(out, killed):
    """\\return the number of probes, and outcomes"""
    if not os.path.isdir(out):
        return 0, collections.Counter()
    rows = gluster.events(out)
    numbers = {int(row["attributes"]["probe"]) for row in rows}
    if not numbers:
        return 0, collections.Counter()
    until = max(numbers)
    if killed:
        old = [int(row["attributes"]["probe"]) for row in rows if row["time"] < killed - 4]
        until = max(old, default=0)
    missing = set(range(1, until + 1)) - numbers
    info = run(gluster.LAGGARD, "info", out, "--json").stdout
    lost = sum(map(int, re.findall(r'"lost":\s*(\d+)', info)))
    gluster.expect(len(missing) <= lost, f"{out}: probes {sorted(missing)[:10]} were never told of, {lost} are counted as lost")
    return len(numbers), collections.Counter(row["what"] for row in rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("laggard")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--probes", type=int, default=10000)
    arguments = parser.parse_args()
    volume = Volume(BRICKS, clients=CLIENTS, per_server=2, ping_timeout=10)
    volume.start()
    places = {f"{volume.server(k)}:{volume.brick(k)}": {k} for k in range(1, BRICKS + 1)}
    watcher = gluster.Watcher(volume, places, pause=0.2)
    watcher.start()
    chance = Chance(volume, arguments.seed)
    clients = [Recorders(volume, c, random.Random(f"{arguments.seed} c{c}")) for c in range(1, CLIENTS + 1)]
    begin = time.time()
    # What a hanging probe holds up is not begun, so it takes longer than it would on a healthy volume.
    length = 2 * arguments.probes / (CLIENTS * BRICKS * len(gluster.OPERATIONS))
    while time.time() < begin + length:
        now = time.time()
        chance.step(now)
        for client in clients:
            client.step(now)
        time.sleep(0.1)
    chance.finish()
    time.sleep(20)
    for client in clients:
        client.finish()
    watcher.finish()
    left = len(gluster.left_behind(volume))
    for c in range(1, CLIENTS + 1):
        last = gluster.Recorder(volume, f"{BASE}/last{c}", "--duration", "8s", client=c)
        gluster.expect(last.wait() == 0, "the last recorder ends well")
    gluster.expect(not gluster.left_behind(volume), f"nothing is left: {gluster.left_behind(volume)}")
    probes, outcomes = 0, collections.Counter()
    for out, killed in [one for client in clients for one in client.runs]:
        told, what = check_told(out, killed)
        probes, outcomes = probes + told, outcomes + what
    print(f"{probes} probes in {time.time() - begin:.0f} s, none untold: {dict(outcomes)}")
    print(f"faults: {dict(chance.counts)}; recorders killed: {sum(len(client.runs) - 1 for client in clients)}")
    print(f"left on bricks by the killed ones: {left}, after the next recorders: 0")
    print(f"seen on the right brick: {len(watcher.right)}, elsewhere (not counted as probes): {len(watcher.wrong)}")
    sys.exit(0 if probes >= arguments.probes else 1)


gluster.LAGGARD = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else ""
enter()
main()
