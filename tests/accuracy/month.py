#!/usr/bin/env python3
"""The memory of one `laggard watch` process over many days of a production site.

usage: tests/accuracy/month.py LAGGARD LAB [--days 30] [--arrays 6] [--incidents 10] [--ending] [--speed 3000] [--keep FOLDER]

A site is simulated for so many days, with so many incidents of the seed's choice, of which some never end, or with --ending so many
that all do, and recorded once more at speed while a watch follows it. Per recorded day: the memory of the watch, the size of its checkpoint, its CPU time and the changes that it told.
Ends with 1 when the memory at the end is more than a tenth above that after the first two days.
"""
import argparse
import collections
import json
import pathlib
import subprocess
import sys
import tempfile
import time

from headroom import cpu_s, memory_mb

DAY_S = 86400
# Kinds of incidents that end within a day.
ENDING = ["busy-lun", "reconstruction", "reconstruction-spare", "oscillation", "drawer-errors"]


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("laggard")
    parser.add_argument("lab")
    parser.add_argument("--days", type=int, default=30)
    parser.add_argument("--arrays", type=int, default=6)
    parser.add_argument("--incidents", type=int, default=10)
    parser.add_argument("--ending", action="store_true")
    parser.add_argument("--speed", type=float, default=3000)
    parser.add_argument("--keep", type=pathlib.Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        scratch = pathlib.Path(name)
        site = (options.keep or scratch) / f"site-{options.days}-{options.arrays}-{options.incidents}{'-ending' * options.ending}"
        if not site.exists():
            incidents = ["--incidents", str(options.incidents)]
            if options.ending:
                incidents = [word for i in range(options.incidents) for word in ("--incident", ENDING[i % len(ENDING)])]
            subprocess.run([options.lab, "simulate", "--scale", "surveyor", "--arrays", str(options.arrays), *incidents,
                            "--duration", f"{options.days}d", "-o", str(site)], check=True, stdout=subprocess.DEVNULL)
        return follow(options, site, scratch)


def follow(options, site, scratch):
    growing, state = scratch / "growing", scratch / "watch.state"
    with open(scratch / "changes", "w+") as told, open(scratch / "notes", "w+") as notes:
        replay = subprocess.Popen([options.lab, "replay", str(site), "-o", str(growing), "--speed", str(options.speed), "--flush",
                                   f"{options.speed / 2:.0f}s"], stdout=subprocess.DEVNULL)
        watch = subprocess.Popen([options.laggard, "watch", str(growing), "--json", "--state", str(state), "--silence", "1h", "--poll",
                                  "100ms", "--until-idle", "60s"], stdout=told, stderr=notes)
        print("day  MB of memory  checkpoint kB  CPU s  changes", flush=True)
        levels, largest = [], collections.Counter()
        began = None
        while watch.poll() is None:
            time.sleep(0.1)
            if began is None and growing.exists():
                began = time.monotonic()
            if began is None:
                continue
            day = int((time.monotonic() - began) * options.speed / DAY_S)
            try:
                largest[day] = max(largest[day], memory_mb(watch.pid, "VmRSS"))
                cpu = cpu_s(watch.pid)
            except FileNotFoundError:
                break
            if day > len(levels) and len(levels) < options.days:
                levels.append(largest[len(levels)])
                told.flush()
                changes = sum(1 for _ in open(told.name))
                size = state.stat().st_size / 1000 if state.exists() else 0
                print(f"{len(levels):3d}  {levels[-1]:12.1f}  {size:13.0f}  {cpu:5.1f}  {changes:7d}", flush=True)
        replay.wait()
        kinds = collections.Counter(json.loads(line)["change"] for line in open(told.name))
        notes.seek(0)
        sys.stderr.write(notes.read())
    print(f"watch ended with {watch.wait()}; changes: " + ", ".join(f"{kind} {n}" for kind, n in sorted(kinds.items())))
    if len(levels) < options.days:
        print(f"only {len(levels)} days were followed", file=sys.stderr)
        return 1
    flat = levels[-1] <= 1.1 * levels[1]
    print(f"memory is {'flat' if flat else 'not flat'}: {levels[1]:.1f} MB after the second day, {levels[-1]:.1f} at the end")
    return 0 if flat else 1


if __name__ == "__main__":
    sys.exit(main())
