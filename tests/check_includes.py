#!/usr/bin/env python3
"""Holds the include table: every `#include "room/..."` under src/ must be one that tests/include_table.txt allows. A folder
of a room that has a row is a room of its own: what its row does not name it may not include, and others see it where they
name it."""
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parent.parent
allowed = {}
for line in (root / "tests/include_table.txt").read_text().splitlines():
    if line.strip() and not line.startswith("#"):
        room, _, others = line.partition(":")
        allowed[room.strip()] = set(others.split()) | {room.strip()}



def room_of(parts):
    """The longest row of the table that these folders lie in, else the first of them."""
    rows = ["/".join(parts[:length]) for length in range(len(parts), 0, -1)]
    return next((row for row in rows if row in allowed), parts[0])


wrong = []
checked = 0
for path in sorted((root / "src").rglob("*.[ch]*")):
    room = room_of(path.relative_to(root / "src").parts)
    if path.suffix not in (".cc", ".h"):
        continue
    if room not in allowed:
        wrong.append(f"{path.relative_to(root)}: room '{room}' is not in tests/include_table.txt")
        continue
    for number, line in enumerate(path.read_text().splitlines(), 1):
        match = re.match(r'\s*#\s*include\s*"([^"]+)"', line)
        if not match:
            continue
        checked += 1
        target = room_of(match[1].split("/"))
        if "/" not in match[1] or target not in allowed:
            wrong.append(f'{path.relative_to(root)}:{number}: write includes from src/ down, as "room/file.h"')
        elif target not in allowed[room] and not (target == "testing" and path.name.endswith("_test.cc")):
            wrong.append(f"{path.relative_to(root)}:{number}: {room} may not include {target}")
for message in wrong:
    print(message)
if checked == 0:
    print("found no includes at all: is this the right folder?")
print(f"include table: {checked} includes checked, {len(wrong)} wrong")
sys.exit(1 if wrong or checked == 0 else 0)
