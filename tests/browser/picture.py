#!/usr/bin/env python3
"""Takes a picture of a report, as the README has one.

usage: picture.py REPORT.html OUT.png [--dark] [--width 1280] [--height 1500]    (height 0: the whole page)
"""
import argparse

import chromium

parser = argparse.ArgumentParser()
parser.add_argument("report")
parser.add_argument("out")
parser.add_argument("--dark", action="store_true")
parser.add_argument("--width", type=int, default=1280)
parser.add_argument("--height", type=int, default=1500)
options = parser.parse_args()

with chromium.Chromium() as browser:
    page = browser.page(width=options.width, height=options.height or 900, dark=options.dark, scale=1.5)
    page.open(options.report)
    for i in range(page.run("document.querySelectorAll('.stage').length")):
        page.run(f"document.querySelectorAll('.stage')[{i}].scrollIntoView()")
        page.frames()
    page.run("scrollTo(0, 0)")
    page.frames()
    page.screenshot(options.out, whole=options.height == 0)
