#!/usr/bin/env python3
"""Runs a command and prints the microseconds of CPU (user + system) that it and its children took.

cpu_of.py [--after SECONDS] [--run-time] COMMAND...

With --after, what the command's own threads took in its first SECONDS is left out, so that its start does not count. With --run-time, a second
number: how many microseconds passed.
"""
import argparse
import os
import pathlib
import resource
import subprocess
import sys
import time


def used():
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return children.ru_utime + children.ru_stime


def used_by_threads(pid):
    """Seconds that the threads of a running process have been on a processor."""
    tasks = pathlib.Path(f"/proc/{pid}/task").glob("*/schedstat")
    return sum(int(task.read_text().split()[0]) for task in tasks) / 1e9


options = argparse.ArgumentParser()
options.add_argument("--after", type=float, default=0)
options.add_argument("--run-time", action="store_true")
options.add_argument("command", nargs=argparse.REMAINDER)
given = options.parse_args()
before = used()  # a script that starts python3 (pyenv's) has had children of its own in this process
begin = time.monotonic()
command = subprocess.Popen(given.command, stdout=subprocess.DEVNULL, env={**os.environ, "LC_ALL": "C"})
if given.after > 0:
    time.sleep(given.after)
    before += used_by_threads(command.pid)
if status := command.wait():
    sys.exit(f"cpu_of: {given.command[0]} ended with {status}")
run_time = [round(1e6 * (time.monotonic() - begin))] if given.run_time else []
print(round(1e6 * (used() - before)), *run_time)
