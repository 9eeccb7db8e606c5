#!/usr/bin/env python3
"""What `laggard watch` costs while it follows a production site as it is recorded, at 15-s samples and at the speed of time.

usage: tests/accuracy/headroom.py LAGGARD LAB [--arrays 16 174] [--seconds 240] [--keep FOLDER]

Sites of so many arrays (16: Intrepid, 9,216 attachments) are simulated and recorded once more as if it happened now, while a
watch follows them. After a fourth of the time, in which the watch starts and catches up: the share of one core that it takes,
and its memory.
"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import time

ATTACHMENTS_PER_ARRAY = 576


def cpu_s(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def memory_mb(pid, which):
    """Of /proc/PID/status: VmRSS is now, VmHWM the most so far."""
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(which):
            return int(line.split()[1]) / 1024
    return 0


def measure(options, arrays, scratch):
    site, growing = (options.keep or scratch) / f"site-{arrays}", scratch / f"growing-{arrays}"
    if not site.exists():
        subprocess.run([options.lab, "simulate", "--scale", "intrepid", "--arrays", str(arrays), "--duration",
                        f"{options.seconds + 60}s", "-o", str(site)], check=True, stdout=subprocess.DEVNULL)
    replay = subprocess.Popen([options.lab, "replay", str(site), "-o", str(growing), "--speed", "1"], stdout=subprocess.DEVNULL)
    watch = subprocess.Popen([options.laggard, "watch", str(growing), "--json"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        time.sleep(options.seconds / 4)
        start, began = cpu_s(watch.pid), time.monotonic()
        time.sleep(options.seconds * 3 / 4)
        used, elapsed = cpu_s(watch.pid) - start, time.monotonic() - began
        print(f"| {arrays * ATTACHMENTS_PER_ARRAY:,} | {start:.1f} | {100 * used / elapsed:.2f} % | {memory_mb(watch.pid, 'VmHWM'):.0f} |",
              flush=True)
    finally:
        watch.terminate()
        replay.terminate()
        watch.wait()
        replay.wait()


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("laggard")
    parser.add_argument("lab")
    parser.add_argument("--arrays", type=int, nargs="+", default=[16, 174])
    parser.add_argument("--seconds", type=int, default=240)
    parser.add_argument("--keep", type=pathlib.Path)
    options = parser.parse_args()
    print("| attachments | CPU s of the first fourth | share of one core after it | MB at most |\n|---|---|---|---|", flush=True)
    with tempfile.TemporaryDirectory() as name:
        for arrays in options.arrays:
            measure(options, arrays, pathlib.Path(name))
    return 0


if __name__ == "__main__":
    sys.exit(main())
