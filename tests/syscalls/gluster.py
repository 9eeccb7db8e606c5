#!/usr/bin/env python3
"""What system calls tell of a real GlusterFS volume of five servers: `gluster.py LAGGARD [CASE...]`.

The bricks, the mount and an application that appends to files and makes directories are recorded, each by its own
recorder, and judged. `none`: nothing is wrong. `inodes`: a brick's file system has no room for more files.
`crash`: a brick is killed. `hang`: a brick stands still. The application goes on after errors.
Skips where tracing is forbidden or was not built.
"""
import os
import signal
import sys
import time

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "pings"))

import namespaces  # noqa: E402
from gluster_volume import BASE, Volume, enter  # noqa: E402
from namespaces import inside, run  # noqa: E402
from recorded import Recorders, expect, may_trace, system_file  # noqa: E402

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


def trial(volume, seconds, fault=None):
    """The application runs for so long; the fault begins after three seconds. \\return the recorders and the incidents"""
    volume.start()
    application = inside("c1", [sys.executable, "-c", APPLICATION, volume.mount(), str(seconds + 2)])
    bricks = {f"s{k}": k for k in range(1, BRICKS + 1)}
    recorders = Recorders(LAGGARD, BASE, {server: [volume.pid(f"b{k}")] for server, k in bricks.items()} |
                          {"c1": [volume.pid("c1"), application.pid]})
    time.sleep(3)
    if fault:
        fault()
    time.sleep(seconds - 3)
    recorders.end()
    application.kill()
    return recorders, recorders.judged(system_file(BASE, bricks, {"c1": 101}))


def named(trial_of, *cause_server_words):
    recorders, incidents = trial_of
    recorders.expect_named(incidents, *cause_server_words)


def none():
    _, incidents = trial(Volume(BRICKS), 20)
    expect(not incidents, f"nothing is found: {incidents}")


def inodes():
    named(trial(Volume(BRICKS, small={2: "64m,nr_inodes=600"}), 15), "failing-calls", "s2", "ENOSPC", "s2", "c1")


def crash():
    volume = Volume(BRICKS)
    named(trial(volume, 15, lambda: volume.signal("b4", signal.SIGKILL)), "server-crashed", "s4", "ENOTCONN", "connection to s4 is gone")


def hang():
    volume = Volume(BRICKS, ping_timeout=300)
    named(trial(volume, 75, lambda: volume.signal("b5", signal.SIGSTOP)), "server-hangs", "s5", "s5 has not answered")


LAGGARD = ""

if __name__ == "__main__":
    LAGGARD = os.path.abspath(sys.argv[1])
    chosen = sys.argv[2:] or CASES
    if len(chosen) > 1:
        namespaces.run_apart(LAGGARD, chosen)
    enter()
    run("mount", "-t", "tmpfs", "tmpfs", "/run")
    may_trace(LAGGARD, BASE)
    globals()[chosen[0]]()
    print(f"{chosen[0]}: passed")
