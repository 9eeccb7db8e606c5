#!/usr/bin/env python3
"""Runs the tests of a build whose program or inputs have changed since they last passed, as a build system would.

usage: tests/unchanged.py BUILD [ctest's arguments]

A program's tests passed on the bytes of the program, of what its command names, and of what tests read: READ_BY_TESTS,
../shared (by size and time) and, where the program runs it, laggard itself. BUILD/passed.json keeps the
hash of all that for every program none of whose tests failed or was skipped; deleting it runs everything. Tests that read the
sources themselves always run.
"""
import collections
import hashlib
import json
import pathlib
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

ROOT = pathlib.Path(__file__).resolve().parents[1]
SHARED = ROOT.parent / "shared"
READ_BY_TESTS = ("tests", "examples", "contrib", "web", "docs/bad-input.md", "docs/formats", "fuzz/corpus")
OF_THE_SOURCES = {"house.include_table", "house.names"}


def files_below(path):
    return [path] if path.is_file() else sorted(file for file in path.rglob("*") if file.is_file() and "__pycache__" not in file.parts)


class Hashes:
    def __init__(self, build):
        self._of = {}
        self._programs = [build / "laggard", build / "laggard-lab", build / "laggard-modelled-disk",
                          build / "laggard-modelled-cable", build / "laggard-striped-files"]
        inputs = [self.of(file) for place in READ_BY_TESTS for file in files_below(ROOT / place)]
        inputs += [f"{file} {file.stat().st_size} {file.stat().st_mtime_ns}" for file in files_below(SHARED)]
        self.inputs = hashlib.sha256("\n".join(inputs).encode()).hexdigest()

    def of(self, file):
        if file not in self._of:
            self._of[file] = f"{file} {hashlib.sha256(file.read_bytes()).hexdigest()}"
        return self._of[file]

    def of_command(self, command):
        """Of a test's program and of all files and folders that its command names."""
        named = []
        for word in command:
            path = pathlib.Path(word)
            if path.is_absolute() and path.exists():
                named += files_below(path)
        content = b"".join(path.read_bytes() for path in named[:1])
        named += [program for program in self._programs if program.is_file() and str(program).encode() in content]
        return hashlib.sha256("\n".join([self.inputs, *map(self.of, named)]).encode()).hexdigest()


def programs_of(build):
    """{what selects its tests: command}: a room's test program, or a test that stands alone."""
    listed = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], check=True, capture_output=True, text=True)
    programs = {}
    for test in json.loads(listed.stdout)["tests"]:
        if "command" not in test:
            continue  # Its program is not built.
        room, _, _ = test["name"].partition(".")
        alone = not pathlib.Path(test["command"][0]).name == f"{room}_test"
        name = f"^{re.escape(test['name'])}$" if alone else f"^{room}[.]"
        if test["name"] not in OF_THE_SOURCES:
            programs.setdefault(name, test["command"] if alone else test["command"][:1])
    return programs


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    stamps = build / "passed.json"
    passed = json.loads(stamps.read_text()) if stamps.exists() else {}
    hashes = Hashes(build)
    now = {name: hashes.of_command(command) for name, command in programs_of(build).items()}
    unchanged = [name for name, key in now.items() if passed.get(name) == key]
    if unchanged:
        print(f"unchanged since they passed: {len(unchanged)} of {len(now)} test programs (rm {stamps.relative_to(ROOT)} runs all)")
    results = build / "tests.xml"
    without = ["-E", "|".join(unchanged)] if unchanged else []
    ended = subprocess.run(["ctest", "--test-dir", build, "--output-junit", results, *sys.argv[2:], *without], check=False)
    fine = collections.defaultdict(lambda: True)
    for case in ElementTree.parse(results).getroot().iter("testcase"):
        for name in now:
            if re.search(name, case.get("name")):
                fine[name] = fine[name] and case.get("status") == "run"
    passed = {name: key for name, key in now.items() if name in unchanged or fine.get(name, False)}
    stamps.write_text(json.dumps(passed, indent=1))
    return ended.returncode


if __name__ == "__main__":
    sys.exit(main())
