#!/usr/bin/env python3
"""clang-tidy over the given sources, skipping what passed before with the same preprocessed text and rules.

usage: tests/tidy.py [--build DIR] SOURCE...     (after `cmake --preset clang`)

Sources are looked at in the batches in which they are compiled: most of clang-tidy's time goes into the system's headers, which a
batch has once. LAGGARD_TIDY_CHECKS adds checks to those of .clang-tidy.
"""
import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

root = pathlib.Path(__file__).resolve().parent.parent
cache = pathlib.Path(os.environ.get("CCACHE_DIR", pathlib.Path.home() / ".cache/ccache"))
stamps = cache.parent / "laggard-tidy"


class Batch:
    """One compilation, of one source or of several together."""

    def __init__(self, entry):
        self.file = pathlib.Path(entry["file"])
        self.command = entry["command"]
        self.folder = entry["directory"]
        self.sources = [self.file]
        if "Unity" in self.file.parts:
            self.sources = [pathlib.Path(name) for name in re.findall(r'#include "([^"]+)"', self.file.read_text())]

    def key(self, checks):
        """What the verdict depends on; nothing when the batch cannot be preprocessed."""
        words = shlex.split(self.command)
        words = words[1:] if "ccache" in words[0] else words
        out = words.index("-o")
        words = ["-E" if word == "-c" else word for word in words[:out] + words[out + 2:]] + ["-P"]
        text = subprocess.run(words, cwd=self.folder, capture_output=True, check=False)
        if text.returncode != 0:
            return None
        seal = hashlib.sha256(text.stdout)
        for path in [root / ".clang-tidy", *self.sources]:
            seal.update(path.read_bytes())
        seal.update(checks.encode())
        return seal.hexdigest()


def last_edit():
    return max(path.stat().st_mtime_ns for path in (root / "src").rglob("*.[ch]*"))


def look_at(batch, build):
    """What clang-tidy says of a batch; empty when it is content."""
    checks = os.environ.get("LAGGARD_TIDY_CHECKS", "")
    if batch.sources != [batch.file]:
        # A batch includes sources by design.
        checks = ",".join(filter(None, [checks, "-bugprone-suspicious-include"]))
    before = last_edit()
    key = batch.key(checks)
    if key and (stamps / key).exists():
        return ""
    said = subprocess.run(["clang-tidy-14", "-p", str(build), "--quiet", f"--checks={checks}", str(batch.file)],
                          capture_output=True, text=True, check=False)
    if said.returncode != 0:
        return said.stdout or said.stderr
    # What was edited while it was read has no verdict yet.
    if key and last_edit() == before:
        (stamps / key).touch()
    return ""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default="build/clang")
    parser.add_argument("sources", nargs="+")
    arguments = parser.parse_args()
    stamps.mkdir(parents=True, exist_ok=True)
    build = (root / arguments.build).resolve()
    wanted = {(root / source).resolve() for source in arguments.sources}
    batches = [Batch(entry) for entry in json.loads((build / "compile_commands.json").read_text())]
    batches = [batch for batch in batches if not wanted.isdisjoint(batch.sources)]
    unseen = wanted.difference(*(batch.sources for batch in batches))
    for source in sorted(unseen):
        print(f"{source}: in no target of {arguments.build}, so nothing looks at it", file=sys.stderr)
    content = not unseen
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for words in pool.map(lambda batch: look_at(batch, build), batches):
            if words:
                content = False
                print(words, flush=True)
    sys.exit(0 if content else 1)


if __name__ == "__main__":
    main()
