#!/usr/bin/env python3
"""Probes that are pinned to the bricks of a real GlusterFS volume: `gluster.py LAGGARD [CASE...]`.

`distributed`: each file lies on the brick that its probe is of, as the bricks themselves show; a brick that
stands still makes no other look so; a changed layout is noticed; a brick that went down is told as errors.
`full`: a brick that takes no files any more. `replicated`, `dispersed`: the sets are the targets. `mount`: the
program that serves the mount stands still, so that probes hang in the kernel. `cost`: probes a second and
processor time a probe (not run by ctest).
"""
import csv
import glob
import io
import os
import signal
import stat
import sys
import threading
import time

from gluster_volume import BASE, Volume, enter
import namespaces
from namespaces import inside, run

CASES = ("distributed", "full", "replicated", "dispersed", "mount")
OPERATIONS = ("CrWr", "WrEx", "RmEx")


def fnv(text):
    value = 0xCBF29CE484222325
    for byte in text.encode():
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return value


class Watcher(threading.Thread):
    """Looks at the bricks themselves for files of probes, and on which brick each one's data is."""

    def __init__(self, volume, places, pause=0.01):
        super().__init__(daemon=True)
        self.bricks = {k: volume.brick(k) for k in range(1, volume.bricks + 1)}
        # A set's bricks by its place, and the folder of the place's probes.
        self.own = {f"{fnv(place):016x}": bricks for place, bricks in places.items()}
        self.pause = pause
        self.right, self.wrong, self.ended = set(), set(), threading.Event()

    def look(self):
        for k, brick in self.bricks.items():
            for folder in glob.glob(f"{brick}/.laggard-pings-*"):
                own = self.own.get(os.path.basename(folder).split("-")[3])
                for name in self.names(folder):
                    try:
                        mode = os.stat(f"{folder}/{name}").st_mode
                    except OSError:
                        continue
                    if stat.S_IMODE(mode) == stat.S_ISVTX:
                        continue  # A link to where the file is.
                    (self.right if own and k in own else self.wrong).add((k, name))

    @staticmethod
    def names(folder):
        try:
            return os.listdir(folder)
        except OSError:
            return []

    def run(self):
        while not self.ended.is_set():
            self.look()
            time.sleep(self.pause)

    def finish(self):
        self.ended.set()
        self.join()


class Recorder:
    """`laggard record pings` on a client."""

    def __init__(self, volume, out, *options, client=1):
        self.out = out
        self.log = open(f"{BASE}/recorder-{os.path.basename(out)}", "w+", encoding="utf-8")
        self.process = inside(
            f"c{client}", [LAGGARD, "record", "pings", "--out", out, "--host", f"c{client}", "--backend", "gluster",
                           "--mount", volume.mount(client), "--interval", "1s", *options],
            stdout=self.log, stderr=self.log)

    def end(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        return self.wait()

    def wait(self):
        status = self.process.wait(timeout=120)
        self.log.seek(0)
        self.said = self.log.read()
        return status


def events(out):
    """Rows of the recording: time, target, outcome, seconds and attributes."""
    text = run(LAGGARD, "export", out, "--events", "ping").stdout
    rows = []
    for row in csv.DictReader(io.StringIO(text)):
        row["attributes"] = dict(word.split("=", 1) for word in row["attributes"].split())
        row["operation"] = row["attributes"].get("operation")
        row["time"] = float(row["time"])
        rows.append(row)
    return rows


def left_behind(volume):
    return [path for k in range(1, volume.bricks + 1) for path in glob.glob(f"{volume.brick(k)}/.laggard-*")]


def expect(holds, sentence):
    if not holds:
        print(f"FAILED: {sentence}")
        for log in sorted(glob.glob(f"{BASE}/recorder-*")):
            print(log + ":\n" + open(log, encoding="utf-8").read())
        sys.exit(1)


def all_ok(volume, out, targets, *options):
    """Records for some seconds; every operation on every target is done, by its own bricks. \\return the watcher"""
    places, names = {place: bricks for _, place, bricks in targets}, [name for name, _, _ in targets]
    watcher = Watcher(volume, places)
    watcher.start()
    recorder = Recorder(volume, out, "--duration", "6500ms", *options)
    expect(recorder.wait() == 0, "the recorder ends well")
    watcher.finish()
    rows = events(out)
    for name in names:
        for operation in OPERATIONS:
            mine = [row for row in rows if row["subject"] == name and row["operation"] == operation]
            done = [row for row in mine if row["what"] in ("ok", "slow")]
            # The first may wait: on a busy machine it takes a second until all is found and made.
            expect(len(done) >= 5 and all(row in done or row["what"] == "skipped" for row in mine),
                   f"{operation} on {name} is done in each round: {[row['what'] for row in mine]}")
    expect({row["subject"] for row in rows} == set(names), "all targets were found, and no others")
    expect(not watcher.wrong, f"no file lies elsewhere: {sorted(watcher.wrong)[:5]}")
    expect(len({name for _, name in watcher.right}) >= 3 * len(names), "files were seen on their bricks")
    expect(not left_behind(volume), f"nothing is left: {left_behind(volume)}")
    return watcher


def brick_targets(volume):
    return [(volume.target(k), f"s{k}:{volume.brick(k)}", {k}) for k in range(1, volume.bricks + 1)]


def still_brick(volume):
    """One brick stands still for 12 s, then goes on; then it is killed. Probes that were under way at one of these moments may
    end either way, and what else runs on this machine may make any slow."""
    out = f"{BASE}/still"
    recorder = Recorder(volume, out)
    time.sleep(4)
    volume.signal("b2", signal.SIGSTOP)
    stopped = time.time()
    time.sleep(12)
    resumed = time.time()
    volume.signal("b2", signal.SIGCONT)
    time.sleep(8)
    killed = time.time()
    volume.signal("b2", signal.SIGKILL)
    time.sleep(6)
    expect(recorder.end() == 0, "the recorder ends well")
    rows = events(out)
    during = [row for row in rows if stopped + 1.5 < row["time"] < resumed - 1.5]
    others = [row for row in during if row["subject"] != volume.target(2)]
    bad = [row for row in others if row["what"] not in ("ok", "slow", "skipped")]
    expect(not bad, f"the others are not accused: {bad[:3]}")
    for k in (1, 3):
        written = [row["what"] for row in others if row["subject"] == volume.target(k) and row["operation"] == "WrEx"]
        expect(len(written) >= 7 and set(written) <= {"ok", "slow"} and written.count("ok") > len(written) / 2,
               f"brick {k} is still written to: {written}")
    own = [row["what"] for row in during if row["subject"] == volume.target(2) and row["operation"] == "WrEx"]
    expect(len(own) >= 7 and set(own) == {"timeout"}, f"the still one is told in each round: {own}")
    after = [row for row in rows if resumed + 3 < row["time"] < killed - 1]
    bad = [row for row in after if row["what"] not in ("ok", "slow", "skipped")]
    expect(not bad, f"all is well again: {bad[:3]}")
    for k in (1, 2, 3):
        for operation in OPERATIONS:
            expect(any(row["what"] == "ok" for row in after if (row["subject"], row["operation"]) == (volume.target(k), operation)),
                   f"{operation} on brick {k} is well again")
    dead = [row for row in rows if row["time"] > killed + 2]
    for k, what in ((1, "ok"), (2, "error"), (3, "ok")):
        outcomes = {row["what"] for row in dead if row["subject"] == volume.target(k)}
        # There is nothing to remove on a brick that is down.
        expect(what in outcomes and outcomes <= {what, "skipped"}, f"brick {k} after brick 2 was killed: {outcomes}")
    volume.start_server(2)
    deadline = time.time() + 20
    while time.time() < deadline and "connected = 1" not in open(
            f"{volume.mount()}/.meta/graphs/active/v-client-1/private", encoding="utf-8").read():
        time.sleep(0.2)


def changed_layout(volume):
    """What bricks 1 and 3 have of the directory of brick 1's probes is exchanged. The client is not told, and places
    files by what it knows and by what the bricks have."""
    out = f"{BASE}/layout"
    recorder = Recorder(volume, out, "--target", f"b1=s1:{volume.brick(1)}")
    watcher = Watcher(volume, {f"s1:{volume.brick(1)}": {1}})
    watcher.start()
    time.sleep(3)
    name = os.path.basename(glob.glob(f"{volume.brick(1)}/.laggard-pings-*")[0])
    folders = [f"{volume.brick(k)}/{name}" for k in (1, 3)]
    ranges = [os.getxattr(folder, "trusted.glusterfs.dht") for folder in folders]
    for folder, other in zip(folders, reversed(ranges)):
        os.setxattr(folder, "trusted.glusterfs.dht", other)
    changed = time.time()
    time.sleep(6)
    expect(recorder.end() == 0, "the recorder ends well")
    watcher.finish()
    rows = [row for row in events(out) if row["time"] > changed + 2.5]
    expect(len(rows) >= 9 and all(row["what"] in ("ok", "slow") for row in rows),
           f"names follow the new layout: {[row['what'] for row in rows]}")
    expect(not left_behind(volume), f"nothing is left: {left_behind(volume)}")
    print(f"changed layout: {len(watcher.wrong)} of {len(watcher.wrong | watcher.right)} files came to lie elsewhere, "
          "and were not counted")


def more_bricks(volume):
    """The volume is mounted anew with a brick more, and the directories' layouts are made to use it."""
    out = f"{BASE}/more"
    recorder = Recorder(volume, out)
    places = {f"s{k}:{volume.brick(k)}": {k} for k in (1, 2, 3)}
    watcher = Watcher(volume, places)
    watcher.start()
    time.sleep(3)
    volume.signal("c1", signal.SIGKILL)
    volume.processes["c1"].wait()
    run("umount", "--lazy", volume.mount())
    volume.start_client(bricks=4)
    for folder in glob.glob(f"{volume.mount()}/.laggard-pings-*"):
        os.setxattr(folder, "trusted.distribute.fix.layout", b"yes")
    changed = time.time()
    time.sleep(6)
    expect(recorder.end() == 0, "the recorder ends well")
    watcher.finish()
    rows = [row for row in events(out) if row["time"] > changed + 2.5]
    expect(len(rows) >= 27 and all(row["what"] in ("ok", "slow") for row in rows),
           f"the new mount is probed: {[row['what'] for row in rows]}")
    expect(not left_behind(volume), f"nothing is left: {left_behind(volume)}")
    print(f"a brick more: {len(watcher.wrong)} of {len(watcher.wrong | watcher.right)} files came to lie elsewhere, "
          "and were not counted")


def distributed():
    volume = Volume(4)
    volume.start(mounted=3)
    watcher = all_ok(volume, f"{BASE}/ok", brick_targets(volume)[:3])
    print(f"pinned: {len(watcher.right)} of {len(watcher.right | watcher.wrong)} files")
    changed_layout(volume)
    still_brick(volume)
    more_bricks(volume)
    all_ok(volume, f"{BASE}/again", brick_targets(volume))


def full():
    volume = Volume(3, small={3: "1m"})
    with open(f"{volume.brick(3)}/ballast", "wb") as file:
        file.write(bytes(970 << 10))
    volume.start()
    time.sleep(2)
    out = f"{BASE}/full"
    recorder = Recorder(volume, out, "--duration", "8s")
    expect(recorder.wait() == 0, "the recorder ends well")
    rows = events(out)
    outcomes = {k: {row["what"] for row in rows if row["subject"] == volume.target(k)} for k in (1, 2, 3)}
    expect(outcomes[1] == {"ok"} and outcomes[2] == {"ok"}, f"the others are well: {outcomes}")
    expect("ok" not in outcomes[3] and "timeout" not in outcomes[3], f"the full one is not probed: {outcomes}")
    expect(any(row["attributes"].get("error") == "EXDEV" for row in rows), "and that is told")
    expect(not left_behind(volume), f"nothing is left: {left_behind(volume)}")
    print("full brick: " + ", ".join(sorted(outcomes[3])))


def replicated():
    volume = Volume(4, replicas=2)
    volume.start()
    all_ok(volume, f"{BASE}/ok", [("v-replicate-0", "v-replicate-0", {1, 2}), ("v-replicate-1", "v-replicate-1", {3, 4})])


def dispersed():
    volume = Volume(6, dispersed=True)
    volume.start()
    try:
        os.getxattr(volume.mount(), "glusterfs.pathinfo")
    except OSError:
        recorder = Recorder(volume, f"{BASE}/ok", "--duration", "6500ms")
        expect(recorder.wait() == 2 and "does not say on which bricks" in recorder.said, "it is refused, with the reason")
        print("this GlusterFS does not say where files of dispersed volumes lie")
        return
    all_ok(volume, f"{BASE}/ok", [("v-disperse-0", "v-disperse-0", {1, 2, 3}), ("v-disperse-1", "v-disperse-1", {4, 5, 6})])


def children(process):
    return run("pgrep", "-P", process.pid, check=False).stdout.split()


def states(processes):
    """Of all threads of these."""
    found = []
    for process in processes:
        for path in glob.glob(f"/proc/{process}/task/*/stat"):
            with open(path, encoding="utf-8") as file:
                found.append(file.read().rpartition(")")[2].split()[0])
    return found


def mount():
    volume = Volume(2)
    volume.start()
    out = f"{BASE}/mount"
    recorder = Recorder(volume, out)
    time.sleep(3)
    volume.signal("c1", signal.SIGSTOP)
    stopped = time.time()
    time.sleep(6)
    waiting, probing = time.monotonic(), children(recorder.process)
    recorder.process.send_signal(signal.SIGTERM)
    expect(recorder.wait() == 0 and time.monotonic() - waiting < 6, "the recorder ends while all of its probes hang")
    uninterruptible = states(probing).count("D")  # It has killed them.
    expect(uninterruptible > 0, "they hang where no signal reaches them")
    rows = [row for row in events(out) if row["time"] > stopped + 1.5]
    for k in (1, 2):
        mine = [row for row in rows if row["subject"] == volume.target(k)]
        written = [row["what"] for row in mine if row["operation"] == "WrEx"]
        expect(len(written) >= 4 and set(written) == {"timeout"}, f"what hangs is told in each round: {written}")
        expect(not any(row["what"] == "ok" for row in mine), "and nothing is well")
    volume.signal("c1", signal.SIGCONT)
    time.sleep(2)
    expect(Recorder(volume, f"{BASE}/next", "--duration", "4s").wait() == 0, "the next recorder ends well")
    expect(not left_behind(volume), f"nothing is left: {left_behind(volume)}")
    print(f"mount: {len(rows)} told while all hung; {uninterruptible} threads in uninterruptible sleep after SIGKILL")


def cpu_seconds(pids):
    ticks = 0
    for pid in pids:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            ticks += sum(map(int, file.read().rpartition(")")[2].split()[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")


def cost():
    volume = Volume(3)
    volume.start()
    recorder = Recorder(volume, f"{BASE}/cost")
    time.sleep(3)
    mine = [recorder.process.pid, *map(int, children(recorder.process))]
    before = [cpu_seconds(pids) for pids in (mine, [volume.pid("c1")], [volume.pid(f"b{k}") for k in (1, 2, 3)])]
    begin = time.time()
    time.sleep(60)
    after = [cpu_seconds(pids) for pids in (mine, [volume.pid("c1")], [volume.pid(f"b{k}") for k in (1, 2, 3)])]
    end = time.time()
    recorder.end()
    rows = [row for row in events(recorder.out) if begin <= row["time"] < end and row["what"] == "ok"]
    print(f"{len(rows) / (end - begin):.1f} probes/s")
    for name, one, two in zip(("recorder", "glusterfs", "three glusterfsd"), before, after):
        print(f"{name}: {1e3 * (two - one) / len(rows):.2f} ms of CPU a probe")
    for operation in OPERATIONS:
        times = sorted(float(row["duration_s"]) for row in rows if row["operation"] == operation)
        print(f"{operation}: median {1e3 * times[len(times) // 2]:.1f} ms, 99 % {1e3 * times[len(times) * 99 // 100]:.1f} ms")


LAGGARD = ""

if __name__ == "__main__":
    LAGGARD = os.path.abspath(sys.argv[1])
    chosen = sys.argv[2:] or CASES
    if len(chosen) > 1:
        namespaces.run_apart(LAGGARD, chosen)
    enter()
    globals()[chosen[0]]()
    print(f"{chosen[0]}: passed")
