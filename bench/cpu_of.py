#!/usr/bin/env python3
"""Runs a command and prints the microseconds of CPU (user + system) that it and its children took."""
import os
import resource
import subprocess
import sys


def used():
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return children.ru_utime + children.ru_stime


before = used()  # a script that starts python3 (pyenv's) has had children of its own in this process
status = subprocess.call(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=sys.stderr, env={**os.environ, "LC_ALL": "C"})
if status != 0:
    sys.exit(f"cpu_of: {sys.argv[1]} ended with {status}")
print(round(1e6 * (used() - before)))
