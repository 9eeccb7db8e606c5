#!/usr/bin/env python3
"""Probes that are pinned to the OSDs of a real Ceph: `ceph.py LAGGARD [CASE...]`.

`pinned`: each operation on each target is done by its OSD alone, as the OSDs themselves count. `still`: one that
stands still, and one that is killed, make no other look so. `moved`: one that is given no more data, and gets it back.
`copies`: the same in a pool of size 2. `killed`: what killed recorders left is removed by the next. `mistakes`: what
users do wrong. `localized`, `cost`: whom `diagnose` blames, and processor time a probe (not run by ctest).
"""
import glob
import json
import os
import signal
import subprocess
import sys
import time

import ceph_cluster
import gluster
from ceph_cluster import BASE, POOL, Cluster, start
from gluster import OPERATIONS, children, events
import namespaces
from namespaces import run

CASES = ("pinned", "still", "moved", "copies", "killed", "mistakes")


def expect(holds, sentence):
    if not holds:
        print(f"FAILED: {sentence}")
        for name in sorted(os.listdir(BASE)):
            if name.startswith("recorder-"):
                with open(f"{BASE}/{name}", encoding="utf-8") as file:
                    print(f"{name}:\n{file.read()}")
        sys.exit(1)


class Recorder:
    """`laggard record pings` on a client."""

    def __init__(self, out, *options, client=1, interval="1s", environment=None):
        self.out = out
        self.log = open(f"{BASE}/recorder-{os.path.basename(out)}", "w+", encoding="utf-8")
        self.process = start([LAGGARD, "record", "pings", "--out", out, "--host", f"c{client}", "--backend", "ceph",
                              "--interval", interval, *options], stdout=self.log, stderr=self.log, env=environment)

    def end(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        return self.wait()

    def wait(self):
        status = self.process.wait(timeout=120)
        self.log.seek(0)
        self.said = self.log.read()
        return status


def of(rows, subject=None, operation=None, after=0.0, before=float("inf")):
    """Outcomes of the probes that were begun between these moments."""
    return [row["what"] for row in rows if after < row["time"] < before and subject in (None, row["subject"])
            and operation in (None, row["operation"])]


def pinned():
    cluster = Cluster(osds=4, per_server=2)
    cluster.start()
    recorder = Recorder(f"{BASE}/all", "--duration", "6500ms")
    expect(recorder.wait() == 0, f"the recorder ends well: {recorder.said}")
    rows = events(f"{BASE}/all")
    expect({row["subject"] for row in rows} == {cluster.target(osd) for osd in range(4)}, "all OSDs were found")
    for osd in range(4):
        for operation in OPERATIONS:
            mine = of(rows, cluster.target(osd), operation)
            done = [what for what in mine if what in ("ok", "slow")]
            # The first may wait until all are connected.
            expect(len(done) >= 5 and set(mine) <= {"ok", "slow", "skipped"},
                   f"{operation} on osd.{osd} is done in each round: {mine}")
    expect(not cluster.left(), f"nothing is left: {cluster.left()}")
    total = 0
    for osd in range(4):
        before = cluster.writes()
        recorder = Recorder(f"{BASE}/only{osd}", "--mount", f"pings@{POOL}", "--target", f"disk{osd}=osd.{osd}",
                            "--duration", "4500ms")
        expect(recorder.wait() == 0, f"the recorder ends well: {recorder.said}")
        written = [after - earlier for earlier, after in zip(before, cluster.writes())]
        rows = events(f"{BASE}/only{osd}")
        expect(set(of(rows)) <= {"ok", "slow"} and len(rows) >= 12, f"all is done: {of(rows)}")
        expect(written[osd] >= len(rows) and sum(written) == written[osd],
               f"{len(rows)} probes of osd.{osd} were {written} requests to the OSDs")
        total += written[osd]
    print(f"pinned: {total} of {total} requests, by the OSDs' own count")


def still():
    cluster = Cluster(osds=4, per_server=2, store="bluestore")
    cluster.start()
    recorder = Recorder(f"{BASE}/still")
    time.sleep(4)
    stopped = time.time()
    cluster.signal("osd.1", signal.SIGSTOP)
    time.sleep(10)
    resumed = time.time()
    cluster.signal("osd.1", signal.SIGCONT)
    time.sleep(5)
    killed = time.time()
    cluster.kill("osd.2")
    time.sleep(10)
    started = time.time()
    cluster.start_osd(2)
    cluster.await_up([2])
    time.sleep(5)
    expect(recorder.end() == 0, f"the recorder ends well: {recorder.said}")
    rows = events(f"{BASE}/still")
    well = 0
    for osd, begin, end in ((1, stopped, resumed), (2, killed, started)):
        for other in set(range(4)) - {osd}:
            outcomes = of(rows, cluster.target(other), after=begin + 0.5, before=end)
            expect(set(outcomes) == {"ok"}, f"osd.{other} while osd.{osd} was away: {outcomes}")
            well += len(outcomes)
        for operation in OPERATIONS:
            outcomes = of(rows, cluster.target(osd), operation, begin + 1.5, end)
            expect(len(outcomes) >= 7 and set(outcomes) <= {"timeout", "error"},
                   f"{operation} on osd.{osd} while it was away: {outcomes}")
    after = [what for osd in range(4) for what in of(rows, cluster.target(osd), after=resumed + 2, before=killed)]
    expect(len(after) >= 24 and set(after) == {"ok"}, f"all is well again: {after}")
    last = of(rows, cluster.target(2), after=rows[-1]["time"] - 1.5)
    expect("ok" in last, f"osd.2 is back: {of(rows, cluster.target(2), after=started)}")
    expect(not cluster.left(), f"nothing is left: {cluster.left()}")
    print(f"still, killed: {well} probes of the others meanwhile, all well")


def moved():
    cluster = Cluster(osds=3)
    cluster.start()
    recorder = Recorder(f"{BASE}/moved")
    time.sleep(4)
    out = time.time()
    cluster.command("osd out", ids=["1"])
    time.sleep(6)
    back = time.time()
    cluster.command("osd in", ids=["1"])
    time.sleep(8)
    expect(recorder.end() == 0, f"the recorder ends well: {recorder.said}")
    rows = events(f"{BASE}/moved")
    without = of(rows, cluster.target(1), after=out + 2, before=back)
    expect(len(without) >= 9 and set(without) == {"skipped"}, f"what lies elsewhere is not counted: {without}")
    for osd in (0, 2):
        outcomes = of(rows, cluster.target(osd), after=out + 2, before=back)
        expect(outcomes.count("ok") >= 9 and set(outcomes) <= {"ok", "skipped"}, f"osd.{osd} meanwhile: {outcomes}")
    last = of(rows, after=rows[-1]["time"] - 2)
    expect(set(last) == {"ok"}, f"all is probed again: {last}")
    expect(not cluster.left(), f"nothing is left: {cluster.left()}")
    print(f"moved: {len(without)} probes not counted")


def copies():
    cluster = Cluster(osds=4, per_server=2, size=2, store="bluestore")
    cluster.start()
    recorder = Recorder(f"{BASE}/copies")
    time.sleep(5)
    killed = time.time()
    cluster.kill("osd.0")
    cluster.await_up([0], up=False)
    down = time.time()
    time.sleep(8)
    started = time.time()
    cluster.start_osd(0)
    cluster.await_up([0])
    time.sleep(8)
    expect(recorder.end() == 0, f"the recorder ends well: {recorder.said}")
    expect("of size 2, so that each probe waits for 2 OSDs" in recorder.said, f"it says how far it pins: {recorder.said}")
    rows = events(f"{BASE}/copies")
    gone = of(rows, cluster.target(0), after=down + 2, before=started)
    expect(len(gone) >= 12 and set(gone) == {"error"}, f"what others do in its place is not its own: {gone}")
    for osd in (1, 2, 3):
        outcomes = of(rows, cluster.target(osd), after=down + 3, before=started)
        expect(len(outcomes) >= 9 and set(outcomes) == {"ok"}, f"osd.{osd} meanwhile: {outcomes}")
    expect(not cluster.left(), f"nothing is left: {cluster.left()}")
    print(f"copies: {len(gone)} probes of an OSD whose objects others served, all told as errors; down {down - killed:.1f} s "
          "after it was killed")


def killed():
    cluster = Cluster(osds=3)
    cluster.start()
    recorder = Recorder(f"{BASE}/killed")
    time.sleep(4)
    for pid in (recorder.process.pid, *map(int, children(recorder.process))):
        os.kill(pid, signal.SIGKILL)
    recorder.process.wait()
    time.sleep(1)
    left = cluster.left()
    expect(len(left) >= 3, f"what was killed left its objects: {left}")
    with cluster.context() as context:
        context.set_namespace("laggard-pings")
        context.write_full("notes", b"of somebody else")
    expect(Recorder(f"{BASE}/next", "--duration", "4s").wait() == 0, "the next recorder ends well")
    expect(cluster.left() == ["notes"], f"the next one removed them, and nothing else: {cluster.left()}")
    print(f"killed: {len(left)} objects left, removed by the next recorder")


def mistakes():
    cluster = Cluster(osds=1)
    cluster.start()
    with open(f"{BASE}/ceph.conf", encoding="utf-8") as file:
        conf = file.read()
    with open(f"{BASE}/other.conf", "w", encoding="utf-8") as file:
        file.write(conf.replace(f"{BASE}/keyring", f"{BASE}/none"))
    run("ceph-authtool", f"{BASE}/foreign", "--create-keyring", "--gen-key", "-n", "client.admin")
    with open(f"{BASE}/foreign.conf", "w", encoding="utf-8") as file:
        file.write(conf.replace(f"{BASE}/keyring", f"{BASE}/foreign"))

    def said(*options, conf="ceph.conf"):
        recorder = Recorder(f"{BASE}/mistake", *options, "--duration", "1s",
                            environment=os.environ | {"CEPH_CONF": f"{BASE}/{conf}"})
        expect(recorder.wait() == 2, f"status 2: {recorder.said}")
        sentences = recorder.said.strip().splitlines()
        expect(len(sentences) == 1, f"one sentence: {recorder.said}")
        print(sentences[0])
        return sentences[0]

    expect("ceph.conf" in said(conf="missing.conf"), "no ceph.conf")
    expect("no keyring of client.admin" in said(conf="other.conf"), "no keyring")
    expect("refuse client.admin" in said(conf="foreign.conf"), "another cluster's keyring")
    expect("refuse client.nobody" in said("--mount", f"nobody@{POOL}"), "no such user")
    expect("is no pool" in said("--mount", "other"), "no such pool")
    expect("is no part of" in said("--target", "a=osd.7"), "no such OSD")
    cluster.signal("mon.a", signal.SIGSTOP)
    expect("monitors do not answer" in said(), "no monitor")
    cluster.signal("mon.a", signal.SIGCONT)


def localized():
    """An OSD that stands still, then one that is killed, found from pings of two clients alone."""
    for what in ("stopped", "killed"):
        if subprocess.call([sys.executable, sys.argv[0], LAGGARD, f"localized_{what}"]) != 0:
            sys.exit(1)


def localize(fault, osd):
    cluster = Cluster(osds=6, per_server=2)
    cluster.start()
    with open(f"{BASE}/system.toml", "w", encoding="utf-8") as file:
        file.write('[[servers]]\nname = "s[1-3]"\n[[clients]]\nname = "c[1-2]"\n')
    recordings = [f"{BASE}/rec{c}" for c in (1, 2)]
    recorders = [Recorder(out, interval="10s", client=c).process for c, out in ((1, recordings[0]), (2, recordings[1]))]
    watch = subprocess.Popen([LAGGARD, "watch", *recordings, "--system", f"{BASE}/system.toml", "--json"],
                             stdout=open(f"{BASE}/watched", "w", encoding="utf-8"), stderr=subprocess.DEVNULL)
    time.sleep(60)
    begin = time.time()
    fault(cluster, osd)
    found = None
    while found is None and time.time() < begin + 300:
        time.sleep(1)
        with open(f"{BASE}/watched", encoding="utf-8") as file:
            changes = [json.loads(line) for line in file if line.endswith("\n")]
        if any(change["incident"]["blame"]["name"] == cluster.target(osd) for change in changes):
            found = time.time() - begin
    time.sleep(60)
    diagnosis = json.loads(run(LAGGARD, "diagnose", *recordings, "--system", f"{BASE}/system.toml", "--json", "-",
                               check=False).stdout)
    blamed = sorted({incident["blame"]["name"] for incident in diagnosis["incidents"]})
    for process in (*recorders, watch):
        process.kill()
        process.wait()
    outcomes = {}
    for out in recordings:
        for row in events(out):
            if row["time"] > begin and row["subject"] == cluster.target(osd):
                outcomes[row["what"]] = outcomes.get(row["what"], 0) + 1
    print(f"{cluster.target(osd)}: told after {found and round(found)} s, blamed in the end: {blamed}; its probes: {outcomes}")
    expect(blamed == [cluster.target(osd)], "the right one is blamed, and nobody else")


def localized_stopped():
    localize(lambda cluster, osd: cluster.signal(f"osd.{osd}", signal.SIGSTOP), 3)


def localized_killed():
    localize(lambda cluster, osd: cluster.kill(f"osd.{osd}"), 2)


def resident(pids):
    total = 0
    for pid in pids:
        with open(f"/proc/{pid}/smaps_rollup", encoding="utf-8") as file:
            total += next(int(line.split()[1]) for line in file if line.startswith("Pss:"))
    return total / 1024


def cpu_seconds(pids):
    """Of all threads that live, to the nanosecond: gluster's counts ticks."""
    return sum(int(open(path, encoding="utf-8").read().split()[0]) for pid in pids
               for path in glob.glob(f"/proc/{pid}/task/*/schedstat")) / 1e9


def cost():
    cluster = Cluster(osds=3, store=os.environ.get("LAGGARD_CEPH_STORE", "memstore"))
    cluster.start()
    recorder = Recorder(f"{BASE}/cost")
    time.sleep(5)
    targets = list(map(int, children(recorder.process)))
    groups = {"recorder": [recorder.process.pid, *targets], "monitor": [cluster.processes["mon.a"].pid],
              "three OSDs": [cluster.processes[f"osd.{osd}"].pid for osd in range(3)]}
    before, begin = {name: cpu_seconds(pids) for name, pids in groups.items()}, time.time()
    time.sleep(60)
    after, end = {name: cpu_seconds(pids) for name, pids in groups.items()}, time.time()
    print(f"{resident(targets) / len(targets):.1f} MB for each target")
    recorder.end()
    rows = [row for row in events(recorder.out) if begin <= row["time"] < end and row["what"] == "ok"]
    print(f"{len(rows) / (end - begin):.1f} probes/s")
    for name in groups:
        print(f"{name}: {1e3 * (after[name] - before[name]) / len(rows):.2f} ms of CPU a probe")
    for operation in OPERATIONS:
        times = sorted(float(row["duration_s"]) for row in rows if row["operation"] == operation)
        print(f"{operation}: median {1e3 * times[len(times) // 2]:.2f} ms, 99 % {1e3 * times[len(times) * 99 // 100]:.2f} ms")


LAGGARD = ""

if __name__ == "__main__":
    LAGGARD = gluster.LAGGARD = os.path.abspath(sys.argv[1])
    chosen = sys.argv[2:] or CASES
    if len(chosen) > 1:
        namespaces.run_apart(LAGGARD, chosen)
    if chosen[0] != "localized":
        ceph_cluster.enter()
    globals()[chosen[0]]()
    print(f"{chosen[0]}: passed")
