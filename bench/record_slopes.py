#!/usr/bin/env python3
"""Slopes per disk from the lines of record_overhead.sh: `what devices cpu_us/samples bytes/samples [xz_bytes/samples]`.

Of repeated runs the median counts: CPU of the same work varies with what else the machine does."""
import collections
import fractions
import statistics
import sys

runs = collections.defaultdict(list)
for line in open(sys.argv[1]):
    what, devices, *of_a_sample = line.split()
    runs[what, int(devices)].append([float(fractions.Fraction(part)) for part in of_a_sample])
median = {key: [statistics.median(column) for column in zip(*rows)] for key, rows in runs.items()}


def slope(what, column):
    counts = sorted(devices for name, devices in median if name == what)
    return (median[what, counts[-1]][column] - median[what, counts[0]][column]) / (counts[-1] - counts[0])


names = {"ours10hz": "laggard record metrics, 10 Hz", "ours1hz": "laggard record metrics, 1 Hz", "sadc": "sadc -S DISK, 1 Hz"}
for what, name in names.items():
    counts = sorted(devices for n, devices in median if n == what)
    totals = ", ".join(f"{median[what, n][0]:.1f} us with {n} disks" for n in counts)
    print(f"{name}: {slope(what, 0):.2f} us CPU and {slope(what, 1):.2f} bytes per disk and sample ({totals})")
print(f"ratio of CPU, 1 Hz: {slope('ours1hz', 0) / slope('sadc', 0):.2f}")
print(f"sadc | xz -1: {slope('sadc', 2):.2f} bytes per disk and sample")
tcp = sorted(devices for n, devices in median if n == "tcp")
print(f"connections: {slope('tcp', 0):.2f} us CPU and {slope('tcp', 1):.2f} bytes per socket and sample ({tcp[-1]} sockets, 10 Hz)")
