#!/usr/bin/env python3
"""Removes loop devices that have no file, so that they leave /proc/diskstats too: forget_loops.py /dev/loop7 ..."""
import fcntl
import os
import sys
import time

LOOP_CTL_REMOVE = 0x4C81  # linux/loop.h
control = os.open("/dev/loop-control", os.O_RDWR)
for device in sys.argv[1:]:
    for _ in range(50):
        try:
            fcntl.ioctl(control, LOOP_CTL_REMOVE, int(device.removeprefix("/dev/loop")))
            break
        except OSError:  # EBUSY: someone, such as udev, still looks at it.
            time.sleep(0.1)
