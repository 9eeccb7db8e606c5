#!/usr/bin/env python3
"""Light I/O on block devices for ever: on each, twice a second, one 4-KB read or (every fourth time) write, direct."""
import mmap
import os
import random
import sys
import time

paths = open(sys.argv[1]).read().split()
devices = [os.open(path, os.O_RDWR | os.O_DIRECT) for path in paths]
buffer = mmap.mmap(-1, 4096)  # page-aligned, as O_DIRECT wants
random.seed(1)
turn = 0
while True:
    for fd in devices:
        offset = 4096 * random.randrange(4096)
        if random.random() < 0.25:
            os.pwrite(fd, buffer, offset)
        else:
            os.preadv(fd, [buffer], offset)
        time.sleep(0.5 / len(devices))
