"""The striped file service on a few servers, each in a network namespace and on a small ext4 of its own."""
import os
import signal
import subprocess
import time

import namespaces
from namespaces import await_mount, inside, run

PORT = 3334
BASE = "/run/laggard-striped"
PROGRAM = "laggard-striped-files"


class Service:
    """Servers s1, s2, … and clients c1, c2, …. `megabytes` and `inodes` of a server's file system, and its
    `limits` (words of prlimit), by number."""

    def __init__(self, binaries, servers=5, clients=2, megabytes=(), inodes=(), limits=()):
        self.program = os.path.join(binaries, PROGRAM)
        self.servers, self.clients = servers, clients
        self.megabytes, self.inodes, self.limits = dict(megabytes), dict(inodes), dict(limits)
        self.processes = {}
        namespaces.make_network({f"s{k}": k for k in range(1, servers + 1)} | {f"c{c}": 100 + c for c in range(1, clients + 1)})
        os.makedirs(f"{BASE}/disks")
        run("mount", "-t", "tmpfs", "-o", "size=8g", "tmpfs", f"{BASE}/disks")
        for k in range(1, servers + 1):
            self.make_disk(k)

    def folder(self, k):
        return f"{BASE}/store{k}"

    def mount(self, c):
        return f"{BASE}/mount{c}"

    def make_disk(self, k):
        image = f"{BASE}/disks/{k}"
        run("truncate", "-s", f"{self.megabytes.get(k, 2048)}M", image)
        inodes = ["-N", str(self.inodes[k])] if k in self.inodes else []
        run("mkfs.ext4", "-q", "-F", "-m", "0", "-E", "lazy_itable_init=0,lazy_journal_init=0,nodiscard", *inodes, image)
        os.makedirs(self.folder(k))
        # A file system that finds itself broken turns read-only, and nothing else on the machine does.
        run("mount", "-o", "loop,noatime,errors=remount-ro", image, self.folder(k))

    def break_file_system(self, k):
        """ext4's own trigger of an error, on this server's block device alone."""
        device = run("findmnt", "-no", "SOURCE", self.folder(k)).stdout.strip()
        with open(f"/sys/fs/ext4/{os.path.basename(device)}/trigger_fs_error", "w", encoding="utf-8") as file:
            file.write("made by a test of laggard")

    def start(self):
        for k in range(1, self.servers + 1):
            self.processes[f"s{k}"] = inside(
                f"s{k}", [*(["prlimit", *self.limits[k]] if k in self.limits else []), self.program, "serve", self.folder(k),
                          "--address", namespaces.address(k), "--port", PORT, "--number", k - 1],
                stderr=open(f"{BASE}/s{k}.log", "w", encoding="utf-8"))
        time.sleep(0.5)
        servers = [word for k in range(1, self.servers + 1) for word in ("--server", f"{namespaces.address(k)}:{PORT}")]
        for c in range(1, self.clients + 1):
            os.makedirs(self.mount(c))
            self.processes[f"c{c}"] = inside(f"c{c}", [self.program, "mount", self.mount(c), *servers],
                                             stderr=open(f"{BASE}/c{c}.log", "w", encoding="utf-8"))
            await_mount(self.mount(c))

    def pid(self, name):
        """Of server `s1`, … or of the mount of client `c1`, …"""
        return self.processes[name].pid

    def log(self, name):
        with open(f"{BASE}/{name}.log", encoding="utf-8") as file:
            return file.read().strip()

    def stop(self):
        """Clients first: an application that waits for an answer can only then be ended."""
        for name in sorted(self.processes):
            if self.processes[name].poll() is None:
                self.processes[name].send_signal(signal.SIGKILL)
            self.processes[name].wait()
        for k in range(1, self.servers + 1):
            subprocess.run(["umount", "-d", self.folder(k)], check=False, capture_output=True)
