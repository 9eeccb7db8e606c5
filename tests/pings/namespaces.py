"""Servers in network namespaces, for tests of pinned probes. Everything lives in a mount, process and network
namespace of its own (`enter`), on a tmpfs: when the first process there ends, however it ends, the kernel ends
the servers and takes mounts and links away.
"""
import os
import shutil
import subprocess
import sys
import time

SKIPPED = 77  # ctest's SKIP_RETURN_CODE


def enter(what, tools):
    """Runs the program again as the first process of its own namespaces; skips where that cannot be had."""
    if os.environ.get("LAGGARD_VOLUME") == "inside":
        return let_go_of_others()
    missing = [tool for tool in (*tools, "ip", "unshare", "nsenter") if not shutil.which(tool)]
    if os.geteuid() != 0 or missing or not os.path.exists("/dev/fuse"):
        print(f"skipped: {what} needs root, /dev/fuse and {', '.join(missing) or 'its programs'}")
        sys.exit(SKIPPED)
    os.environ["LAGGARD_VOLUME"] = "inside"
    os.execvp("unshare", ["unshare", "--mount", "--net", "--pid", "--fork", "--kill-child", "--mount-proc",
                          sys.executable, *sys.argv])


def let_go_of_others():
    """A mount namespace begins with copies of all mounts, and a bench that runs beside could not unmount its own."""
    with open("/proc/self/mountinfo", encoding="utf-8") as mounts:
        points = [line.split()[4] for line in mounts]
    for point in reversed(points):
        if point.startswith("/run/laggard-") or point.startswith("/run/netns/laggard-"):
            run("umount", "--lazy", point, check=False)


def run_apart(laggard, cases):
    """Each case by a run of its own, in namespaces of its own; ends the program, as failed if any failed."""
    statuses = {subprocess.call([sys.executable, sys.argv[0], laggard, case]) for case in cases} - {0}
    sys.exit(max(statuses - {SKIPPED}, default=max(statuses, default=0)))


def run(*words, check=True):
    return subprocess.run([str(word) for word in words], check=check, capture_output=True, text=True)


def make_network(hosts):
    """A namespace for each host, all on one switch. `hosts`: numbers of addresses by name."""
    run("mount", "-t", "tmpfs", "-o", "size=1g", "tmpfs", "/run")
    run("ip", "link", "set", "lo", "up")
    run("ip", "link", "add", "br0", "type", "bridge")
    run("ip", "link", "set", "br0", "up")
    for host, number in hosts.items():
        run("ip", "netns", "add", host)
        run("ip", "link", "add", f"p-{host}", "type", "veth", "peer", "name", "eth0", "netns", host)
        run("ip", "link", "set", f"p-{host}", "master", "br0", "up")
        run("ip", "-n", host, "address", "add", f"{address(number)}/24", "dev", "eth0")
        run("ip", "-n", host, "link", "set", "eth0", "up")
        run("ip", "-n", host, "link", "set", "lo", "up")
        # Loss is of packets, not of bundles of them.
        run("ip", "netns", "exec", host, "ethtool", "-K", "eth0", "tso", "off", "gso", "off", "gro", "off",
            check=False)


def address(number):
    return f"10.78.0.{number}"


def inside(host, words, **more):
    # Before all else: what is measured is the file system, not what else this machine does.
    return subprocess.Popen(["nsenter", f"--net=/run/netns/{host}", "nice", "-n", "-15", *map(str, words)],
                            stdin=subprocess.DEVNULL, **more)


def await_mount(path):
    deadline = time.monotonic() + 20
    while not os.path.ismount(path):
        if time.monotonic() > deadline:
            raise RuntimeError(f"nothing is mounted at {path}")
        time.sleep(0.05)
