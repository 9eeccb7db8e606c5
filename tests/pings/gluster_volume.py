"""A small GlusterFS volume with real servers, each in a network namespace, for tests of pinned probes."""
import os
import signal
import subprocess
import time

import namespaces
from namespaces import await_mount, inside, run

PORT = 24007
BASE = "/run/laggard-volume"


def block(name, kind, options=(), subvolumes=()):
    """One translator of a volume file."""
    lines = [f"volume {name}", f"  type {kind}", *(f"  option {option}" for option in options)]
    if subvolumes:
        lines.append("  subvolumes " + " ".join(subvolumes))
    return "\n".join([*lines, "end-volume", ""])


def enter(tools=()):
    namespaces.enter("a volume of GlusterFS", ("glusterfsd", "glusterfs", *tools))


class Volume:
    """Servers s1, s2, … with `per_server` bricks each, and clients c1, c2, …; plainly distributed, or over sets
    of `replicas` (or of 3 dispersed with redundancy 1) that follow each other. `small`: sizes of bricks, by
    number; these are filled to the last byte. `disk`: the program laggard-modelled-disk, for a disk of its own under each brick."""

    def __init__(self, bricks=3, clients=1, replicas=1, dispersed=False, ping_timeout=42, small=(), per_server=1,
                 disk=None):
        self.bricks, self.clients = bricks, clients
        self.size = 3 if dispersed else replicas
        self.dispersed = dispersed
        self.ping_timeout = ping_timeout
        self.small = dict(small)
        self.per_server, self.disk = per_server, disk
        self.servers = -(-bricks // per_server)
        self.processes = {}
        servers = {f"s{k}": k for k in range(1, self.servers + 1)}
        namespaces.make_network(servers | {f"c{c}": 100 + c for c in range(1, clients + 1)})
        os.makedirs(BASE)
        with open(f"{BASE}/hosts", "w", encoding="utf-8") as file:
            file.writelines(f"{namespaces.address(k)} {host}\n" for host, k in servers.items())
        run("mount", "--bind", f"{BASE}/hosts", "/etc/hosts")
        for k in range(1, bricks + 1):
            self.make_brick(k)

    def server(self, k):
        """The host of a brick."""
        return f"s{(k - 1) // self.per_server + 1}"

    def port(self, k):
        return PORT + (k - 1) % self.per_server

    def brick(self, k):
        return f"{BASE}/brick{k}"

    def mount(self, c=1):
        return f"{BASE}/mount{c}"

    def target(self, k):
        """What `record pings` calls the brick."""
        return self.server(k) + self.brick(k)

    def make_brick(self, k):
        os.makedirs(self.brick(k), exist_ok=True)
        if k in self.small:
            run("mount", "-t", "tmpfs", "-o", f"size={self.small[k]}", "tmpfs", self.brick(k))
        if self.disk:
            folder = self.disk_folder(k)
            os.makedirs(folder)
            self.processes[f"d{k}"] = subprocess.Popen(
                ["chrt", "--fifo", "10", self.disk, folder, "--megabytes", "96", "--rate", "3", "--seed", str(k)], stdin=subprocess.DEVNULL)
            await_mount(folder)
            run("mkfs.ext4", "-q", "-F", "-m", "0", "-E", "lazy_itable_init=0,lazy_journal_init=0,nodiscard",
                f"{folder}/disk")
            run("mount", "-o", "loop,noatime", f"{folder}/disk", self.brick(k))

    def disk_folder(self, k):
        return f"{BASE}/disk{k}"

    def start_server(self, k):
        text = block("posix", "storage/posix", [f"directory {self.brick(k)}", f"hostname {self.server(k)}",
                                                 *(["reserve 0"] if k in self.small else [])])
        text += block("locks", "features/locks", (), ["posix"])
        text += block("threads", "performance/io-threads", ["thread-count 16"], ["locks"])
        text += block(self.brick(k), "debug/io-stats", (), ["threads"])
        text += block("server", "protocol/server",
                      ["transport-type tcp", "transport.address-family inet",
                       f"transport.socket.listen-port {self.port(k)}", f"auth.addr.{self.brick(k)}.allow *"],
                      [self.brick(k)])
        path = f"{BASE}/b{k}.vol"
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        self.processes[f"b{k}"] = inside(
            self.server(k), ["glusterfsd", "--no-daemon", "-f", path, "-l", f"{BASE}/b{k}.log", "-L", "WARNING",
                             "--volfile-id", f"b{k}"])

    def client_volume(self, bricks):
        text, sets = "", []
        for k in range(1, bricks + 1):
            text += block(f"v-client-{k - 1}", "protocol/client",
                          ["transport-type tcp", "transport.address-family inet", f"remote-host {self.server(k)}",
                           f"remote-port {self.port(k)}", f"remote-subvolume {self.brick(k)}",
                           f"ping-timeout {self.ping_timeout}"])
        clients = [f"v-client-{k}" for k in range(bricks)]
        for i in range(0, bricks, self.size):
            members = clients[i:i + self.size]
            if self.dispersed:
                sets.append(f"v-disperse-{i // self.size}")
                text += block(sets[-1], "cluster/disperse", ["redundancy 1"], members)
            elif self.size > 1:
                sets.append(f"v-replicate-{i // self.size}")
                text += block(sets[-1], "cluster/replicate", [f"afr-pending-xattr {','.join(members)}"], members)
            else:
                sets += members
        text += block("v-dht", "cluster/distribute", ["lookup-optimize on"], sets)
        text += block("v-write-behind", "performance/write-behind", (), ["v-dht"])
        text += block("v-md-cache", "performance/md-cache", (), ["v-write-behind"])
        return text + block("v", "debug/io-stats", (), ["v-md-cache"])

    def start_client(self, c=1, bricks=None):
        path = f"{BASE}/c{c}.vol"
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.client_volume(bricks or self.bricks))
        os.makedirs(self.mount(c), exist_ok=True)
        self.processes[f"c{c}"] = inside(
            f"c{c}", ["glusterfs", "--no-daemon", "-f", path, "-l", f"{BASE}/c{c}.log", "-L", "WARNING",
                      self.mount(c)])
        await_mount(self.mount(c))

    def start(self, mounted=None):
        """`mounted`: how many bricks are part of the volume; the others may be added."""
        for k in range(1, self.bricks + 1):
            self.start_server(k)
        time.sleep(1)
        for c in range(1, self.clients + 1):
            self.start_client(c, mounted)

        if self.disk:
            for k in range(1, self.bricks + 1):
                with open(f"{self.disk_folder(k)}/speed", "w", encoding="utf-8") as file:
                    file.write("modelled\n")

    def pid(self, name):
        """Of brick `b1`, …, of the mount of client `c1`, … or of disk `d1`, …"""
        return self.processes[name].pid

    def signal(self, name, number):
        os.kill(self.pid(name), number)

    def stop(self):
        """Needed only where there are disks, so that nothing is written to one that is gone."""
        for name in sorted(self.processes):  # Bricks, clients, disks.
            if name.startswith("d"):
                run("umount", self.brick(int(name[1:])), check=False)
            self.signal(name, signal.SIGKILL)
            self.processes[name].wait()
