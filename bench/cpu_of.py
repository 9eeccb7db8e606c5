#!/usr/bin/env python3
"""Runs a command and prints the microseconds of CPU (user + system) that it and its children took."""
import os
import resource
import subprocess
import sys

status = subprocess.call(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=sys.stderr, env={**os.environ, "LC_ALL": "C"})
if status != 0:
    sys.exit(f"cpu_of: {sys.argv[1]} ended with {status}")
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(round(1e6 * (used.ru_utime + used.ru_stime)))
