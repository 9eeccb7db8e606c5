#!/usr/bin/env python3
"""What system calls tell of a real GlusterFS volume of five servers: `gluster.py LAGGARD [CASE...]`.

The bricks, the mount and an application that appends to files and makes directories are recorded, each by its own
recorder, and judged. `none`: nothing is wrong. `inodes`: a brick's file system has no room for more files.
`crash`: a brick is killed. `hang`: a brick stands still. The application goes on after errors.
Skips where tracing is forbidden or was not built.
"""
import json
import os
import signal
import subprocess
import sys
import time

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "pings"))

import namespaces  # noqa: E402
from gluster_volume import BASE, Volume, enter  # noqa: E402
from namespaces import SKIPPED, inside, run  # noqa: E402

CASES = ("none", "inodes", "crash", "hang")
BRICKS = 5
APPLICATION = r'''
import os, sys, time
end = time.monotonic() + float(sys.argv[2])
number = 0
while time.monotonic() < end:
    number += 1
    try:
        file = os.open(f"{sys.argv[1]}/f{number % 40}", os.O_CREAT | os.O_WRONLY | os.O_APPEND)
        try:
            os.write(file, bytes(65536))
            os.fsync(file)
        finally:
            os.close(file)
    except OSError:
        pass
    try:
        os.mkdir(f"{sys.argv[1]}/d{number}")
    except OSError:
        pass
    time.sleep(0.01)
'''


def expect(holds, sentence):
    if not holds:
        print(f"FAILED: {sentence}")
        sys.exit(1)


class Recorders:
    """One for each brick, and one of the client: its daemon and the application."""

    def __init__(self, volume, application):
        self.volume, self.all = volume, {}
        for k in range(1, BRICKS + 1):
            self.start(f"s{k}", volume.pid(f"b{k}"))
        self.start("c1", f"{volume.pid('c1')},{application.pid}")
        time.sleep(2)

    def start(self, host, pids):
        log = open(f"{BASE}/log-{host}", "w+", encoding="utf-8")
        process = subprocess.Popen([LAGGARD, "record", "syscalls", "--host", host, "--out", f"{BASE}/rec/{host}", "--pid",
                                    str(pids)], stdin=subprocess.DEVNULL, stderr=log)
        self.all[host] = (process, log)

    def end(self):
        for host, (process, log) in self.all.items():
            process.send_signal(signal.SIGTERM)
            status = process.wait(timeout=60)
            log.seek(0)
            said = log.read()
            expect(status == 0 and "; 0 records lost" in said, f"the recorder of {host} ends well: {status} {said}")


def judged():
    """The incidents, after all folders have become one recording."""
    with open(f"{BASE}/system.toml", "w", encoding="utf-8") as file:
        for k in range(1, BRICKS + 1):
            file.write(f'[[servers]]\nname = "s{k}"\naddress = "{namespaces.address(k)}"\n\n')
        file.write(f'[[clients]]\nname = "c1"\naddress = "{namespaces.address(101)}"\n')
    done = run(LAGGARD, "diagnose", f"{BASE}/rec", "--system", f"{BASE}/system.toml", "--preset", "quick", "--json", "-", check=False)
    expect(done.returncode in (0, 1), f"it is judged: {done.returncode} {done.stderr}")
    return json.loads(done.stdout)["incidents"]


def trial(volume, seconds, fault=None):
    """The application runs for so long; the fault begins after three seconds. \\return the incidents"""
    volume.start()
    application = inside("c1", [sys.executable, "-c", APPLICATION, volume.mount(), str(seconds + 2)])
    recorders = Recorders(volume, application)
    time.sleep(3)
    if fault:
        fault()
    time.sleep(seconds - 3)
    recorders.end()
    application.kill()
    return judged()


def named(incidents, cause, server, *words):
    """Exactly this server, by this cause, and the sentence has the words."""
    found = [(incident["cause"], incident["blame"]["name"]) for incident in incidents]
    if found != [(cause, server)]:
        for host in (server, "c1"):
            text = run(LAGGARD, "export", f"{BASE}/rec/{host}", "--events", "syscall", "--format", "strace").stdout
            print("\n".join([line for line in text.splitlines() if " = -1 E" in line and not any(
                word in line for word in ("EAGAIN", "ENOENT", "ENODATA", "ETIMEDOUT"))][-20:]))
    expect(found == [(cause, server)], f"{cause} of {server} and nothing else: {found}")
    notes = [evidence["note"] for evidence in incidents[0]["evidence"]]
    expect(any(all(word in note for word in words) for note in notes), f"the sentence has {words}: {notes}")
    print(f"  {notes[0]}")


def none():
    incidents = trial(Volume(BRICKS), 20)
    expect(not incidents, f"nothing is found: {incidents}")


def inodes():
    named(trial(Volume(BRICKS, small={2: "64m,nr_inodes=600"}), 15), "failing-calls", "s2", "ENOSPC", "s2", "c1")


def crash():
    volume = Volume(BRICKS)
    named(trial(volume, 15, lambda: volume.signal("b4", signal.SIGKILL)), "server-crashed", "s4", "ENOTCONN", "connection to s4 is gone")


def hang():
    volume = Volume(BRICKS, ping_timeout=300)
    named(trial(volume, 75, lambda: volume.signal("b5", signal.SIGSTOP)), "server-hangs", "s5", "s5 has not answered")


def may_trace():
    tried = run(LAGGARD, "record", "syscalls", "--host", "h", "--out", f"{BASE}-try", "--", "true", check=False)
    if tried.returncode != 0:
        print(f"skipped: {tried.stderr.strip()}")
        sys.exit(SKIPPED)


LAGGARD = ""

if __name__ == "__main__":
    LAGGARD = os.path.abspath(sys.argv[1])
    chosen = sys.argv[2:] or CASES
    if len(chosen) > 1:
        namespaces.run_apart(LAGGARD, chosen)
    enter()
    run("mount", "-t", "tmpfs", "tmpfs", "/run")
    may_trace()
    globals()[chosen[0]]()
    print(f"{chosen[0]}: passed")
