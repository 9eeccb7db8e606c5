#!/usr/bin/env python3
"""The faults of S §5 on the striped file service, by what system calls tell: `striped.py LAGGARD [CASE...]`.

Five servers and two clients; each daemon and each application is recorded, and all is judged without training. Errors
that reach the application: `inodes`, `files`, `remount`. Crashes and hangs: `space`, `fsize`, `vmsize`, `remount-hang`.
`watched`: a hang is told of while it lasts. `none`: nothing is wrong, with small files (`none`) and with large ones (`none-large`). S's limits.
Skips where tracing is forbidden or was not built.
"""
import os
import signal
import subprocess
import sys
import time

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "pings"))

import namespaces  # noqa: E402
from namespaces import inside, run  # noqa: E402
from recorded import Recorders, expect, may_trace, system_file  # noqa: E402
from striped_service import BASE, Service  # noqa: E402

# New files, one after the other, with a byte in each (S §5, err-remount), and what to wait between them.
SMALL = r'''
import os, sys, time
folder, begin, wait = sys.argv[1], sys.argv[2], float(sys.argv[3])
while not os.path.exists(begin):
    time.sleep(0.1)
number = 0
while True:
    number += 1
    try:
        file = os.open(f"{folder}/{os.getpid()}-{number}", os.O_CREAT | os.O_WRONLY)
        try:
            os.write(file, b"\0")
        finally:
            os.close(file)
    except OSError:
        time.sleep(0.2)
    time.sleep(wait)
'''
# Large files, by so many threads, as with dd (S's ddw), and what to wait between megabytes.
LARGE = r'''
import os, sys, threading, time
folder, begin, threads, megabytes, wait = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), float(sys.argv[5])
while not os.path.exists(begin):
    time.sleep(0.1)
def write(number):
    try:
        file = os.open(f"{folder}/{os.getpid()}-{number}", os.O_CREAT | os.O_WRONLY)
        for _ in range(megabytes):
            os.write(file, bytes(1 << 20))
            time.sleep(wait)
    except OSError:
        pass
for number in range(threads):
    threading.Thread(target=write, args=(number,)).start()
'''
SERVERS = {f"s{k}": k for k in range(1, 6)}
CLIENTS = {"c1": 101, "c2": 102}


def trial(service, application, seconds, fault=None, meanwhile=time.sleep):
    """The application begins when it is recorded, and the fault three seconds later."""
    service.start()
    begin = f"{BASE}/begin"
    applications = {client: inside(client, [sys.executable, "-c", application[0], service.mount(number - 100), begin, *application[1:]])
                    for client, number in CLIENTS.items()}
    recorders = Recorders(LAGGARD, BASE, {server: [service.pid(server)] for server in SERVERS} |
                          {client: [service.pid(client), applications[client].pid] for client in CLIENTS})
    with open(begin, "w", encoding="utf-8"):
        time.sleep(3)
    if fault:
        fault()
    meanwhile(seconds)
    recorders.end()
    for process in applications.values():
        process.send_signal(signal.SIGKILL)
    service.stop()
    return recorders, recorders.judged(system_file(BASE, SERVERS, CLIENTS))


def gone(service, server):
    """Waits until a server is gone, which takes longer on a busy machine, and until clients have met that."""
    def wait(seconds):
        end = time.monotonic() + seconds
        while service.processes[server].poll() is None and time.monotonic() < end:
            time.sleep(0.2)
        print(f"  {server} is gone: {service.processes[server].poll()}, {end - time.monotonic():.0f} s before the end")
        time.sleep(10)
    return wait


def named(trial_of, *cause_server_words):
    recorders, incidents = trial_of
    recorders.expect_named(incidents, *cause_server_words)


def nothing(application, seconds):
    _, incidents = trial(Service(BINARIES), application, seconds)
    expect(not incidents, f"nothing is found: {incidents}")


def none():
    nothing((SMALL, "0"), 20)


def none_large():
    nothing((LARGE, "2", "400", "0.01"), 20)


def inodes():
    service = Service(BINARIES, megabytes={2: 8}, inodes={2: 2048})
    named(trial(service, (SMALL, "0"), 60), "failing-calls", "s2", "ENOSPC", "openat", "s2", "write")


def files():
    service = Service(BINARIES, limits={4: ["--nofile=50"]})
    named(trial(service, (SMALL, "0.01"), 20), "failing-calls", "s4", "EMFILE", "openat", "s4")


def remount():
    service = Service(BINARIES)
    named(trial(service, (SMALL, "0.5"), 20, lambda: service.break_file_system(3)), "failing-calls", "s3", "EROFS", "s3")


def remount_hang():
    service = Service(BINARIES)
    named(trial(service, (LARGE, "1", "100000", "0.01"), 50, lambda: service.break_file_system(3)), "server-hangs", "s3",
          "s3 has not answered")


def space():
    service = Service(BINARIES, megabytes={5: 256})
    named(trial(service, (LARGE, "2", "1200", "0.01"), 60), "server-hangs", "s5", "s5 has not answered")


def fsize():
    service = Service(BINARIES, limits={1: [f"--fsize={128 << 20}"]})
    named(trial(service, (LARGE, "1", "900", "0.01"), 90, meanwhile=gone(service, "s1")), "server-crashed", "s1", "ECONNREFUSED", "connection to s1 is gone")


def vmsize():
    service = Service(BINARIES, limits={2: [f"--as={300000 << 10}"]})
    named(trial(service, (LARGE, "200", "20", "0"), 90, meanwhile=gone(service, "s2")), "server-crashed", "s2", "ECONNREFUSED", "connection to s2 is gone")


def watched():
    """A hang is told of while it lasts: by a watch of the recording that is being made."""
    service = Service(BINARIES)
    told = []

    def watch(seconds):
        begun = time.monotonic()
        with open(f"{BASE}/watch", "w+", encoding="utf-8") as output:
            process = subprocess.Popen([LAGGARD, "watch", f"{BASE}/rec", "--system", system_file(BASE, SERVERS, CLIENTS),
                                        "--preset", "quick", "--json", "--poll", "500ms"], stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.PIPE,
                                       text=True)
            while time.monotonic() < begun + seconds and not told:
                time.sleep(1)
                output.seek(0)
                told.extend(line for line in output if '"server-hangs"' in line)
            process.send_signal(signal.SIGTERM)
            notes = process.communicate(timeout=30)[1]
            expect(process.returncode == 0 and "came late" not in notes, f"the watch ends well and misses nothing: {notes}")
        expect(told and '"s3"' in told[0], f"the watch tells that s3 hangs: {told}")
        print(f"  told {time.monotonic() - begun:.0f} s after the fault")

    trial(service, (LARGE, "1", "100000", "0.01"), 90, lambda: service.break_file_system(3), watch)


CASES = {"none": none, "none-large": none_large, "inodes": inodes, "files": files, "remount": remount,
         "remount-hang": remount_hang, "space": space, "fsize": fsize, "vmsize": vmsize, "watched": watched}
LAGGARD, BINARIES = "", ""

if __name__ == "__main__":
    LAGGARD = os.path.abspath(sys.argv[1])
    BINARIES = os.path.dirname(LAGGARD)
    chosen = sys.argv[2:] or list(CASES)
    if len(chosen) > 1:
        namespaces.run_apart(LAGGARD, chosen)
    namespaces.enter("the striped file service", ("mkfs.ext4", "prlimit", os.path.join(BINARIES, "laggard-striped-files")))
    run("mount", "-t", "tmpfs", "tmpfs", "/run")
    may_trace(LAGGARD, BASE)
    CASES[chosen[0]]()
    print(f"{chosen[0]}: passed")
