#!/usr/bin/env python3
"""Probes that are pinned to the chunkservers of a real MooseFS by strict storage classes, with the backend
`dirs`, and with `moosefs`, which makes them itself: `moosefs.py LAGGARD`. Each chunk lies on the chunkserver
whose label its directory's class asks for, as the chunkservers' disks show, and one that stands still makes no
other look so.
"""
import glob
import os
import shutil
import signal
import sys
import time

import gluster
import namespaces
from namespaces import inside, run

BASE = "/run/laggard-moosefs"
SERVERS = {1: "A", 2: "B", 3: "C"}
MOUNT = f"{BASE}/mount"


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def start():
    """\\return the processes by name"""
    master = 100
    namespaces.make_network({"master": master, "c1": 101} | {f"s{k}": k for k in SERVERS})
    shared = "WORKING_USER = root\nWORKING_GROUP = root\nLOCK_MEMORY = 0\nNICE_LEVEL = 0\n"
    os.makedirs(f"{BASE}/master")
    write(f"{BASE}/master/metadata.mfs", "MFSM NEW")
    write(f"{BASE}/master/exports", "* / rw,alldirs,admin,maproot=0:0\n")
    write(f"{BASE}/master/topology", "")
    write(f"{BASE}/master/cfg", shared + f"DATA_PATH = {BASE}/master\nEXPORTS_FILENAME = {BASE}/master/exports\n"
          f"TOPOLOGY_FILENAME = {BASE}/master/topology\n")
    log = open(f"{BASE}/log", "w", encoding="utf-8")
    said = {"stdout": log, "stderr": log}
    processes = {"master": inside("master", ["mfsmaster", "-c", f"{BASE}/master/cfg", "-f"], **said)}
    time.sleep(1)
    for k, label in SERVERS.items():
        folder = f"{BASE}/s{k}"
        os.makedirs(f"{folder}/disk")
        write(f"{folder}/disks", f"{folder}/disk\n")
        # A tmpfs has no holes to punch.
        write(f"{folder}/cfg", shared + f"DATA_PATH = {folder}\nHDD_CONF_FILENAME = {folder}/disks\nLABELS = {label}\n"
              f"MASTER_HOST = {namespaces.address(master)}\nHDD_LEAVE_SPACE_DEFAULT = 1MiB\nHDD_SPARSIFY_ON_WRITE = 0\n")
        processes[f"s{k}"] = inside(f"s{k}", ["mfschunkserver", "-c", f"{folder}/cfg", "-f"], **said)
    os.makedirs(MOUNT)
    processes["c1"] = inside("c1", ["mfsmount", MOUNT, "-H", namespaces.address(master), "-f"], **said)
    namespaces.await_mount(MOUNT)
    time.sleep(3)  # Until the chunkservers have registered.
    return processes


def pin():
    """A directory for each chunkserver, of a class that keeps its chunks there or nowhere."""
    for k, label in SERVERS.items():
        os.makedirs(f"{MOUNT}/.pings/s{k}")
        run("nsenter", "--net=/run/netns/c1", "mfsscadmin", MOUNT, "create", "-m", "s", label, f"pings-{label}")
        run("nsenter", "--net=/run/netns/c1", "mfssetsclass", f"pings-{label}", f"{MOUNT}/.pings/s{k}")
        # Removed files would be kept for a day.
        run("nsenter", "--net=/run/netns/c1", "mfssettrashtime", "0", f"{MOUNT}/.pings/s{k}")


def chunks():
    return {k: {os.path.basename(path) for path in glob.glob(f"{BASE}/s{k}/disk/*/chunk_*")} for k in SERVERS}


def by_directories():
    """Options, and the targets that they name, by server."""
    targets = {k: f"s{k}/disk" for k in SERVERS}
    return ["--target", ",".join(f"{name}={MOUNT}/.pings/s{k}" for k, name in targets.items())], targets


def by_itself():
    return ["--backend", "moosefs", "--mount", MOUNT], {k: namespaces.address(k) for k in SERVERS}


def record(out, *options):
    return inside("c1", [gluster.LAGGARD, "record", "pings", "--out", out, "--host", "c1", "--interval", "1s", *options])


def pinned(name, options_for):
    """Each target by itself, so that its chunks are known to be its own."""
    right = 0
    for k in SERVERS:
        before = chunks()
        out = f"{BASE}/{name}{k}"
        recorder = record(out, *options_for(k), "--operation", "CrWr,WrEx", "--duration", "5500ms")
        made = {server: set() for server in SERVERS}
        while recorder.poll() is None:
            for server, names in chunks().items():
                made[server] |= names - before[server]
            time.sleep(0.05)
        gluster.expect(recorder.returncode == 0, "the recorder ends well")
        rows = gluster.events(out)
        gluster.expect(len(rows) >= 10 and {row["what"] for row in rows} <= {"ok", "slow", "skipped"}
                       and [row["what"] for row in rows].count("skipped") <= 2, f"all is done: {rows[:2]}")
        elsewhere = {server: names for server, names in made.items() if server != k and names}
        gluster.expect(not elsewhere and len(made[k]) >= 5, f"chunks of s{k} lie there alone: {elsewhere}")
        right += len(made[k])
    print(f"pinned, {name}: {right} of {right} chunks")


def still(processes, name, options, targets):
    out = f"{BASE}/still-{name}"
    recorder = record(out, *options)
    time.sleep(5)
    stopped = time.time()
    processes["s2"].send_signal(signal.SIGSTOP)
    time.sleep(12)
    resumed = time.time()
    processes["s2"].send_signal(signal.SIGCONT)
    time.sleep(3)
    recorder.send_signal(signal.SIGTERM)
    gluster.expect(recorder.wait(timeout=30) == 0, "the recorder ends well")
    rows = [row for row in gluster.events(out) if stopped + 2 < row["time"] < resumed]
    for k in SERVERS:
        written = [row["what"] for row in rows if row["subject"] == targets[k] and row["operation"] == "WrEx"]
        wanted = {"timeout"} if k == 2 else {"ok"}
        gluster.expect(len(written) >= 8 and set(written) == wanted, f"s{k} while s2 stood still: {written}")
    time.sleep(3)
    left = [file for k in (1, 3) for file in os.listdir(f"{MOUNT}/.pings/s{k}")]
    left += glob.glob(f"{MOUNT}/.laggard-pings-*/.laggard-ping-*")
    gluster.expect(not left, f"nothing is left: {left}")


gluster.LAGGARD = os.path.abspath(sys.argv[1])
namespaces.enter("MooseFS", ("mfsmaster", "mfschunkserver", "mfsmount", "mfsscadmin"))
started = start()
pin()
pinned("dirs", lambda k: ["--target", f"s{k}/disk={MOUNT}/.pings/s{k}"])
still(started, "dirs", *by_directories())
if shutil.which("mfscli"):
    pinned("moosefs", lambda k: ["--backend", "moosefs", "--mount", MOUNT, "--target", f"s{k}={SERVERS[k]}"])
    still(started, "moosefs", *by_itself())
else:
    print("without mfscli the backend moosefs is not tried")
print("moosefs: passed")
