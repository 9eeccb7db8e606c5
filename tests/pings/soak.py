#!/usr/bin/env python3
"""Ten thousand probes of a GlusterFS volume, or of Ceph, whose servers are stopped, killed and cut off by chance:
`soak.py LAGGARD [--ceph] [--seed N] [--probes N]`. Two clients probe six bricks or OSDs every second; now and then
a recorder is killed as well, alone or with all of its processes, and started again.

Every probe must be told of: the numbers of a recorder's probes have no gap but what the recording counts as
lost; of one that was killed, up to 4 s before (SLO, flush, a round). No file, link or directory of probes may
be left on any brick, nor any object, in the end. Needs root and some ten minutes.
"""
import argparse
import collections
import os
import random
import re
import signal
import sys
import time

import ceph
import ceph_cluster
import gluster
import gluster_volume
from gluster_volume import Volume
from namespaces import run

TARGETS, CLIENTS = 6, 2


class Gluster:
    base = gluster_volume.BASE

    def __init__(self):
        self.volume = Volume(TARGETS, clients=CLIENTS, per_server=2, ping_timeout=10)
        self.volume.start()
        places = {f"{self.volume.server(k)}:{self.volume.brick(k)}": {k} for k in range(1, TARGETS + 1)}
        self.watcher = gluster.Watcher(self.volume, places, pause=0.2)
        self.watcher.start()

    def name(self, k):
        return f"b{k}"

    def cut_off(self, k):
        run("ip", "link", "set", f"p-{self.volume.server(k)}", "down")

    def mend(self, k):
        run("ip", "link", "set", f"p-{self.volume.server(k)}", "up")

    def signal(self, k, number):
        self.volume.signal(self.name(k), number)

    def kill(self, k):
        self.signal(k, signal.SIGKILL)
        self.volume.processes[self.name(k)].wait()

    def start(self, k):
        self.volume.start_server(k)

    def recorder(self, out, *options, client):
        return gluster.Recorder(self.volume, out, *options, client=client)

    def left(self):
        return gluster.left_behind(self.volume)

    def settle(self):
        pass

    def finish(self):
        self.watcher.finish()
        print(f"seen on the right brick: {len(self.watcher.right)}, elsewhere (not counted as probes): "
              f"{len(self.watcher.wrong)}")


class Ceph:
    base = ceph_cluster.BASE

    def __init__(self):
        self.cluster = ceph_cluster.Cluster(TARGETS, per_server=2, store="bluestore")
        self.cluster.start()

    def cut_off(self, k):
        self.cluster.cut_off(k - 1)

    def mend(self, k):
        self.cluster.mend(k - 1)

    def signal(self, k, number):
        self.cluster.signal(f"osd.{k - 1}", number)

    def kill(self, k):
        self.cluster.kill(f"osd.{k - 1}")

    def start(self, k):
        self.cluster.start_osd(k - 1)

    def recorder(self, out, *options, client):
        return ceph.Recorder(out, *options, client=client)

    def left(self):
        return self.cluster.left()

    def settle(self):
        self.cluster.await_up(range(TARGETS))
        self.cluster.begin_anew()

    def finish(self):
        pass


class Chance:
    """Faults that are under way, each with the moment and the act that ends it."""

    def __init__(self, servers, seed):
        self.servers, self.chance = servers, random.Random(seed)
        self.under_way, self.next, self.counts = {}, 0, collections.Counter()

    def begin(self, now):
        target = self.chance.randint(1, TARGETS)
        kind = self.chance.choice(("stopped", "killed", "cut off"))
        length = self.chance.uniform(2, 20)
        self.next = now + self.chance.uniform(3, 12)
        if target in self.under_way:
            return
        servers = self.servers
        if kind == "stopped":
            servers.signal(target, signal.SIGSTOP)
            end = lambda: servers.signal(target, signal.SIGCONT)
        elif kind == "killed":
            servers.kill(target)
            end = lambda: servers.start(target)
        else:
            servers.cut_off(target)
            end = lambda: servers.mend(target)
        self.counts[kind] += 1
        self.under_way[target] = (now + length, end)

    def step(self, now):
        for target in [target for target, (until, _) in self.under_way.items() if now >= until]:
            self.under_way.pop(target)[1]()
        if now >= self.next:
            self.begin(now)

    def finish(self):
        for _, end in self.under_way.values():
            end()
        self.under_way = {}


class Recorders:
    """One after the other on a client, each into a recording of its own."""

    def __init__(self, servers, client, chance):
        self.servers, self.client, self.chance, self.runs = servers, client, chance, []
        self.start()

    def start(self):
        out = f"{self.servers.base}/rec{self.client}-{len(self.runs)}"
        self.recorder = self.servers.recorder(out, client=self.client)
        self.runs.append([out, None])
        self.until = time.time() + self.chance.uniform(30, 90)

    def step(self, now):
        if self.recorder.process.poll() is not None:  # A server hung for too long while it looked for them.
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
    parser.add_argument("--ceph", action="store_true")
    arguments = parser.parse_args()
    kind = Ceph if arguments.ceph else Gluster
    (ceph_cluster if arguments.ceph else gluster_volume).enter()
    servers = kind()
    chance = Chance(servers, arguments.seed)
    clients = [Recorders(servers, c, random.Random(f"{arguments.seed} c{c}")) for c in range(1, CLIENTS + 1)]
    begin = time.time()
    # What a hanging probe holds up is not begun, so it takes longer than it would on healthy servers.
    length = 2 * arguments.probes / (CLIENTS * TARGETS * len(gluster.OPERATIONS))
    while time.time() < begin + length:
        now = time.time()
        chance.step(now)
        for client in clients:
            client.step(now)
        time.sleep(0.1)
    chance.finish()
    servers.settle()
    time.sleep(20)
    for client in clients:
        client.finish()
    left = len(servers.left())
    for c in range(1, CLIENTS + 1):
        last = servers.recorder(f"{servers.base}/last{c}", "--duration", "8s", client=c)
        gluster.expect(last.wait() == 0, "the last recorder ends well")
    gluster.expect(not servers.left(), f"nothing is left: {servers.left()}")
    probes, outcomes = 0, collections.Counter()
    for out, killed in [one for client in clients for one in client.runs]:
        told, what = check_told(out, killed)
        probes, outcomes = probes + told, outcomes + what
    print(f"{probes} probes in {time.time() - begin:.0f} s, none untold: {dict(outcomes)}")
    print(f"faults: {dict(chance.counts)}; recorders killed: {sum(len(client.runs) - 1 for client in clients)}")
    print(f"left by the killed ones: {left}, after the next recorders: 0")
    servers.finish()
    sys.exit(0 if probes >= arguments.probes else 1)


gluster.LAGGARD = ceph.LAGGARD = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else ""
main()
