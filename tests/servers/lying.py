#!/usr/bin/env python3
"""Imports from servers that lie (lying_server.py), and sends to them: whatever they do, it ends in time with a status and a
sentence, in bounded memory, at once when asked to; and no password is shown, whatever form of a URL it stands in.

usage: lying.py LAGGARD RECORDING [FIRST_SEED]
"""
import concurrent.futures
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

import lying_server

TIMES = ["--from", "2026-11-20T19:21:00Z", "--to", "2026-11-20T19:31:00Z"]
MOST_MEMORY = 500 << 20
LONGEST_S = 60  # On a machine that is busy with other tests; what hangs hangs for ever.
HANGS = ["silent", "silent_before_the_request", "reads_nothing", "drip_status_line", "drip_headers", "drip_body", "drip_chunks",
         "continue_drip", "stops_in_the_body"]

failures = []


def expect(condition, what):
    if not condition:
        failures.append(what)
        print("FAILED:", what)


class Run:
    """One command, with its memory; killed when it takes too long."""

    def __init__(self, words, folder):
        self.folder = folder
        self.out, self.err = folder / "out", folder / "err"
        with self.out.open("wb") as out, self.err.open("wb") as err:
            self.process = subprocess.Popen([str(word) for word in words], cwd=folder, stdout=out, stderr=err)

    def finish(self):
        """Looks at its peak of memory while it lives: what the system says afterwards counts that of this script before exec."""
        end, self.memory = time.monotonic() + LONGEST_S, 0
        while self.process.poll() is None:
            try:
                peak = re.search(r"^VmHWM:\s+(\d+) kB", pathlib.Path(f"/proc/{self.process.pid}/status").read_text(), re.MULTILINE)
                self.memory = int(peak[1]) << 10 if peak else self.memory
            except (FileNotFoundError, ProcessLookupError):
                pass
            if time.monotonic() > end:
                self.process.kill()
            time.sleep(0.005)
        self.status = self.process.returncode
        self.said = (self.out.read_bytes() + self.err.read_bytes()).decode(errors="replace")
        return self


def words_for(what, program, recording, url):
    if what == "import":
        return [program, "import", "prometheus", url, "--out", "REC", *TIMES]
    return [program, "send", recording, "--to", url, "--position", "position.json", "--batch", 20000, *(["--follow"] if what == "follow" else [])]


def meet(program, recording, behaviour, seed, what):
    name = f"{what} and {behaviour}, seed {seed}"
    with tempfile.TemporaryDirectory(prefix="laggard-lying-") as scratch, lying_server.serve(behaviour, seed) as server:
        words = words_for(what, program, recording, server.url) + ["--timeout", "500ms"] + (["--give-up", "0s"] if what == "send" else [])
        run = Run(words, pathlib.Path(scratch)).finish()
    expect(run.status in (0, 2), f"{name}: status {run.status}: {run.said[-300:]}")
    if run.status == 2:
        last = run.said.splitlines()[-1] if run.said else ""
        expect(any(line.startswith("laggard: ") for line in run.said.splitlines()), f"{name}: no sentence but {last[:300]!r}")
    expect(all(c >= " " or c == "\n" for c in run.said), f"{name}: control characters in {run.said[-300:]!r}")
    expect(run.memory < MOST_MEMORY, f"{name}: {run.memory >> 20} MB")


def stop(program, recording, behaviour, what):
    name = f"SIGTERM to {what} at {behaviour}"
    with tempfile.TemporaryDirectory(prefix="laggard-lying-") as scratch, lying_server.serve(behaviour, 1) as server:
        run = Run(words_for(what, program, recording, server.url), pathlib.Path(scratch))
        time.sleep(1)
        expect(run.process.poll() is None, f"{name}: ended by itself")
        asked = time.monotonic()
        run.process.send_signal(signal.SIGTERM)
        run.finish()
        took = time.monotonic() - asked
    expect(took < 2, f"{name}: took {took:.1f} s")
    wanted = 0 if what == "follow" else 2
    expect(run.status == wanted and "stopped" in run.said, f"{name}: status {run.status}: {run.said[-300:]}")


def hide(program, recording):
    """Forms of a URL in which a password may stand, where a URL belongs and where none does."""
    forms = ["me:s3cret@prom:9090", "HTTP://me:s3cret@127.0.0.1:1", "http://me:s3cret@127.0.0.1:1", "http://me:s3c/s3cret@127.0.0.1:1",
             "http://me:1/s3cret@127.0.0.1", "http://me:s3cret?@127.0.0.1:1", "http://me:s3cret#@127.0.0.1:1", "http://me:s3cret%@127.0.0.1:1",
             "ftp://me:s3cret@prom", "http//me:s3cret@prom", "http://me:s3cret@", "http://me:s3cret@:9", "//me:s3cret@prom", "http://me:s3cret@prom:x"]
    for form in forms:
        for words in (["import", "prometheus", form, "--out", "REC", *TIMES], ["send", recording, "--to", form, "--json"],
                      ["send", form, "--to", "http://127.0.0.1:1"], ["info", form], ["diagnose", form], ["send", recording, form, "--to", "http://127.0.0.1:1"],
                      ["import", "prometheus", "http://127.0.0.1:1", form, "--out", "REC"], ["import", "prometheus", "http://127.0.0.1:1", "--out", "REC", "--from", form],
                      ["import", "csv", form, "--out", "REC"], [form], ["--" + form]):
            with tempfile.TemporaryDirectory(prefix="laggard-lying-") as scratch:
                run = Run([program, *words], pathlib.Path(scratch)).finish()
                left = [path for path in pathlib.Path(scratch).rglob("*") if path.is_file() and b"s3cret" in path.read_bytes()]
            expect(run.status != 0 and "s3cret" not in run.said and not left, f"{words}: status {run.status}: {run.said} {left}")


def main():
    program, recording = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
    first = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    with concurrent.futures.ThreadPoolExecutor(4) as workers:
        jobs = [workers.submit(stop, program, recording, behaviour, what) for behaviour in HANGS for what in ("import", "send")]
        jobs += [workers.submit(stop, program, recording, "drip_body", "follow"), workers.submit(hide, program, recording)]
        jobs += [workers.submit(meet, program, recording, behaviour, first + number, what)
                 for number, behaviour in enumerate(lying_server.behaviours) for what in ("import", "send")]
        for job in jobs:
            job.result()
    if failures:
        sys.exit(1)
    print(f"{len(lying_server.behaviours)} ways to lie, and none of them did harm")


if __name__ == "__main__":
    main()
