#!/usr/bin/env python3
"""I/O on block devices for ever, each with a rate and request size of its own that change every half minute: reads
and (every third) writes, past the page cache. usage: busy_io.py LIST_OF_DEVICES [MEAN_REQUESTS_PER_DEVICE_AND_SECOND]"""
import heapq
import mmap
import os
import random
import sys
import time

SIZE = 16 << 20
paths = open(sys.argv[1]).read().split()
mean = float(sys.argv[2]) if len(sys.argv) > 2 else 15.0
devices = [os.open(path, os.O_RDWR | os.O_DIRECT) for path in paths]
buffer = mmap.mmap(-1, 128 << 10)  # page-aligned, as O_DIRECT wants
random.seed(1)
rates = [0.0] * len(devices)
sizes = [4096] * len(devices)
turns = [(time.monotonic(), d) for d in range(len(devices))]
changes = [0.0] * len(devices)
heapq.heapify(turns)
while True:
    due, d = turns[0]
    now = time.monotonic()
    if due > now:
        time.sleep(due - now)
    if now >= changes[d]:
        changes[d] = now + random.expovariate(1 / 30)
        rates[d] = mean * random.lognormvariate(-0.5, 1)
        sizes[d] = 4096 << random.randrange(6)
    size = sizes[d] if random.random() < 0.8 else 4096
    offset = random.randrange(SIZE // size) * size
    view = memoryview(buffer)[:size]
    if random.random() < 1 / 3:
        os.pwrite(devices[d], view, offset)
    else:
        os.preadv(devices[d], [view], offset)
    heapq.heapreplace(turns, (max(due, now - 1) + random.expovariate(rates[d]), d))
