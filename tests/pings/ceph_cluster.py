"""A small Ceph with real servers in a network of its own, for tests of pinned probes: a monitor, and OSDs that keep
their objects in memory (or by bluestore in a file), each at an address of the loopback interface and with a host name
of its own. No manager: placement groups are made, and objects served, without one. What is kept in memory is lost when
an OSD is killed.
"""
import ctypes
import errno
import json
import os
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
import uuid

from namespaces import SKIPPED, run

sys.path.append("/usr/lib/python3/dist-packages")  # Where Debian has Ceph's module, whichever Python this is.
try:
    import rados
except ImportError:
    rados = None

POOL = "laggard-pings"
MONITOR = "127.0.0.2"
TOOLS = ("ceph-mon", "ceph-osd", "ceph-authtool", "monmaptool", "unshare", "ip", "nft")
PR_SET_PDEATHSIG = 1


def enter():
    """Runs the program again in a network of its own; skips where that, or Ceph, cannot be had."""
    if os.environ.get("LAGGARD_CEPH") == "inside":
        run("ip", "link", "set", "lo", "up")
        return
    missing = [tool for tool in TOOLS if not shutil.which(tool)] + ([] if rados else ["python3-rados"])
    if os.geteuid() != 0 or missing:
        print(f"skipped: Ceph needs root and {', '.join(missing) or 'its programs'}")
        sys.exit(SKIPPED)
    os.environ["LAGGARD_CEPH"] = "inside"
    os.execvp("unshare", ["unshare", "--net", sys.executable, *sys.argv])


def die_with_us():
    """Between fork and exec: however the test ends, the kernel ends what it started."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def start(words, **more):
    # Before all else: what is measured is Ceph, not what else this machine does.
    return subprocess.Popen(["nice", "-n", "-15", *map(str, words)], stdin=subprocess.DEVNULL, preexec_fn=die_with_us,
                            **more)


def folder_of_our_own():
    """On a disk, since bluestore wants direct I/O; goes with the test, however that ends."""
    path = tempfile.mkdtemp(prefix="laggard-ceph-", dir="/var/tmp")
    # Its input ends when we do.
    subprocess.Popen(["sh", "-c", 'read -r _; sleep 1; rm -rf "$0"', path], stdin=subprocess.PIPE, start_new_session=True)
    return path


BASE = folder_of_our_own() if os.environ.get("LAGGARD_CEPH") == "inside" else ""


class Cluster:
    """Servers s1, s2, … with `per_server` OSDs each."""

    def __init__(self, osds=3, per_server=1, size=1, groups=32, store="memstore"):
        self.osds, self.per_server, self.size, self.groups, self.store = osds, per_server, size, groups, store
        self.processes, self.cluster = {}, None
        os.makedirs(f"{BASE}/log")
        self.write_configuration()

    def server(self, osd):
        return f"s{osd // self.per_server + 1}"

    def address(self, osd):
        return f"127.0.0.{10 + int(self.server(osd)[1:])}"

    def target(self, osd):
        """What `record pings` calls the OSD."""
        return f"{self.server(osd)}/osd.{osd}"

    def write_configuration(self):
        self.fsid = str(uuid.uuid4())
        lines = ["[global]", f"fsid = {self.fsid}", f"mon_host = {MONITOR}:6789",
                 f"keyring = {BASE}/keyring", f"osd_pool_default_size = {self.size}", "osd_pool_default_min_size = 1",
                 "osd_pool_default_pg_autoscale_mode = off", "mon_allow_pool_size_one = true",
                 "osd_crush_chooseleaf_type = 0", "mon_osd_min_down_reporters = 1",
                 "mon_osd_reporter_subtree_level = osd", "mon_max_pg_per_osd = 1000", f"run_dir = {BASE}",
                 f"admin_socket = {BASE}/$name.asok", f"log_file = {BASE}/log/$name.log", f"mon_data = {BASE}/mon",
                 f"osd_data = {BASE}/osds/$id", f"osd_objectstore = {self.store}", "memstore_device_bytes = 256Mi",
                 "bluestore_block_size = 1Gi", "bluestore_cache_autotune = false", "bluestore_cache_size = 64Mi",
                 "osd_memory_target_autotune = false", "debug_osd = 0", "debug_ms = 0", "debug_mon = 0",
                 "debug_paxos = 0", "debug_bluestore = 0", "debug_rocksdb = 0"]
        for osd in range(self.osds):
            lines += [f"[osd.{osd}]", f"public_addr = {self.address(osd)}"]
        with open(f"{BASE}/ceph.conf", "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
        os.environ["CEPH_CONF"] = f"{BASE}/ceph.conf"
        keys = {"mon.": {"mon": "allow *"}, "client.admin": dict.fromkeys(("mon", "osd", "mgr"), "allow *"),
                "client.pings": {"mon": "allow r", "osd": f"allow rw pool={POOL}"}}
        keys |= {f"osd.{osd}": {"mon": "allow profile osd", "osd": "allow *"} for osd in range(self.osds)}
        for name, caps in keys.items():
            words = [word for what, allowed in caps.items() for word in ("--cap", what, allowed)]
            create = () if os.path.exists(f"{BASE}/keyring") else ("--create-keyring",)
            run("ceph-authtool", f"{BASE}/keyring", *create, "--gen-key", "-n", name, *words)

    def daemon(self, name, words, server):
        log = open(f"{BASE}/log/{name}.said", "a", encoding="utf-8")
        words = ["unshare", "--uts", "sh", "-c", 'hostname "$0"; exec "$@"', server, *words, "-c", f"{BASE}/ceph.conf"]
        self.processes[name] = start(words, stdout=log, stderr=log)

    def start(self):
        run("monmaptool", "--create", "--add", "a", f"{MONITOR}:6789", "--fsid", self.fsid,
            f"{BASE}/monmap")
        run("ceph-mon", "--mkfs", "-i", "a", "--monmap", f"{BASE}/monmap", "--keyring", f"{BASE}/keyring", "-c",
            f"{BASE}/ceph.conf")
        self.daemon("mon.a", ["ceph-mon", "-f", "-i", "a"], "mon")
        self.connect()
        for osd in range(self.osds):
            identity = str(uuid.uuid4())
            self.command("osd new", uuid=identity, id=osd)
            os.makedirs(f"{BASE}/osds/{osd}")
            run("ceph-osd", "--mkfs", "-i", osd, "--osd-uuid", identity, "-c", f"{BASE}/ceph.conf")
            self.start_osd(osd)
        self.await_up(range(self.osds))
        self.make_pool()

    def start_osd(self, osd):
        self.daemon(f"osd.{osd}", ["ceph-osd", "-f", "-i", str(osd)], self.server(osd))

    def connect(self):
        self.cluster = rados.Rados(conffile=f"{BASE}/ceph.conf",
                                   conf={"client_mount_timeout": "30", "admin_socket": "", "log_file": ""})
        self.cluster.connect()

    def command(self, prefix, **more):
        status, output, said = self.cluster.mon_command(json.dumps({"prefix": prefix, "format": "json", **more}), b"")
        if status:
            raise OSError(-status, f"{prefix}: {said}")
        return json.loads(output) if output.strip() else None

    def states(self):
        return {osd["osd"]: osd["up"] == 1 for osd in self.command("osd dump")["osds"]}

    def await_up(self, osds, up=True):
        deadline = time.monotonic() + 60
        while any(self.states().get(osd) != up for osd in osds):
            if time.monotonic() > deadline:
                raise RuntimeError(f"OSDs {list(osds)} are not {'up' if up else 'down'}: {self.states()}")
            time.sleep(0.2)

    def make_pool(self):
        self.command("osd pool create", pool=POOL, pg_num=self.groups)
        with self.context() as context:
            for number in range(2 * self.groups):  # Until all placement groups serve.
                context.write_full(f"first-{number}", b"")
                context.remove_object(f"first-{number}")

    def begin_anew(self):
        """Has all placement groups agree anew: Ceph 16 was seen to leave one waiting to be readable after pauses."""
        self.command("osd down", ids=[str(osd) for osd in range(self.osds)])
        time.sleep(1)
        self.await_up(range(self.osds))

    def context(self):
        return self.cluster.open_ioctx(POOL)

    def left(self):
        """Names of the objects of probes; no OSD may be away."""
        with self.context() as context:
            context.set_namespace("laggard-pings")
            return sorted(found.key for found in context.list_objects())

    def writes(self):
        """How many requests that write each OSD has had of clients, by its own count."""
        return [self.ask_daemon(f"osd.{osd}", "perf dump")["osd"]["op_w"] for osd in range(self.osds)]

    @staticmethod
    def ask_daemon(name, command):
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(f"{BASE}/{name}.asok")
            connection.sendall(json.dumps({"prefix": command}).encode() + b"\0")
            data = b""
            while part := connection.recv(1 << 16):
                data += part
        (size,) = struct.unpack(">I", data[:4])
        return json.loads(data[4:4 + size])

    def signal(self, name, number):
        os.kill(self.processes[name].pid, number)

    def cut_off(self, osd):
        """A server that nobody reaches, until `mend`."""
        run("nft", f"table ip cut{osd} {{ chain output {{ type filter hook output priority 0; "
                   f"ip saddr {self.address(osd)} drop; ip daddr {self.address(osd)} drop; }}; }}")

    def mend(self, osd):
        run("nft", f"delete table ip cut{osd}")

    def kill(self, name):
        self.signal(name, signal.SIGKILL)
        self.processes[name].wait()
        try:
            os.unlink(f"{BASE}/{name}.asok")
        except OSError as error:
            if error.errno != errno.ENOENT:
                raise
