#!/usr/bin/env python3
"""Functions of a kernel that permits it are counted and timed: `functions.py LAGGARD`.

Kernels of some virtual machines permit no programs at their functions, so that this one boots another, Debian's
(`linux-image-amd64`), by QEMU without acceleration, with nothing in it but busybox, laggard and its libraries: some 20 s. There
`record kernel` looks on while `sync` is run so often, and says the same. Skips where kernel, QEMU or busybox is missing.
"""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
LAGGARD = os.path.abspath(sys.argv[1])
SYNCS = 30
INIT = f"""#!/bin/busybox sh
for name in proc sysfs devtmpfs; do
  at=/$name; [ $name = sysfs ] && at=/sys; [ $name = devtmpfs ] && at=/dev
  /bin/busybox mkdir -p $at
  /bin/busybox mount -t $name $name $at
done
/bin/busybox mount -t tmpfs tmpfs /tmp
export LD_LIBRARY_PATH=/lib/x86_64-linux-gnu:/usr/lib/x86_64-linux-gnu
/bin/laggard record kernel --out /tmp/rec --host vm --interval 200ms --function ksys_sync --tracepoint sched_process_exec &
recorder=$!
while [ ! -e /tmp/rec/profiles/.vm+kernel.lock ]; do /bin/busybox usleep 50000; done
/bin/busybox sleep 2
for i in $(/bin/busybox seq {SYNCS}); do /bin/busybox sync; done
/bin/busybox kill $recorder
wait $recorder
echo "ended $?"
/bin/laggard export /tmp/rec --profiles kernel-calls,kernel-time
/bin/laggard record kernel --out /tmp/no --function no_such_function --duration 1s
/bin/busybox poweroff -f
"""


def libraries(program):
    said = subprocess.run(["ldd", program], check=True, capture_output=True, text=True).stdout
    return re.findall(r"(/\S+)", said)


kernels = sorted(glob.glob("/boot/vmlinuz-*"))
if not kernels or not shutil.which("qemu-system-x86_64") or not os.path.exists("/bin/busybox"):
    print("skipped: needs a kernel in /boot, qemu-system-x86 and busybox-static")
    sys.exit(SKIPPED)
with tempfile.TemporaryDirectory() as scratch:
    root = f"{scratch}/root"
    for file, place in [(LAGGARD, "/bin/laggard"), ("/bin/busybox", "/bin/busybox"), *((one, one) for one in libraries(LAGGARD))]:
        os.makedirs(os.path.dirname(root + place), exist_ok=True)
        shutil.copy(file, root + place)
    for name in ("tmp", "dev", "proc", "sys"):
        os.makedirs(f"{root}/{name}")
    with open(f"{root}/init", "w", encoding="utf-8") as init:
        init.write(INIT)
    os.chmod(f"{root}/init", 0o755)
    subprocess.run(f"find . | cpio --quiet -o -H newc | gzip -1 > {scratch}/root.gz", shell=True, check=True, cwd=root)
    said = subprocess.run(["qemu-system-x86_64", "-m", "2048", "-nographic", "-no-reboot", "-kernel", kernels[-1], "-initrd", f"{scratch}/root.gz",
                           "-append", "console=ttyS0 quiet panic=-1"], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300).stdout
assert "ended 0" in said, said
sums = {}
for kind, function, count in re.findall(r",vm,([a-z-]+),[^\[]*\[kernel\];\[kernel\];(\w+),(\d+)", said):
    sums[kind, function] = sums.get((kind, function), 0) + int(count)
assert sums["kernel-calls", "ksys_sync"] == SYNCS, (sums, said)
assert sums["kernel-time", "ksys_sync"] > 0, sums
assert sums["kernel-calls", "sched_process_exec"] >= SYNCS, sums
assert "this kernel has no function 'no_such_function' that can be traced" in said, said
print(f"{os.path.basename(kernels[-1])}: {sums}")
