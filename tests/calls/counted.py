#!/usr/bin/env python3
"""Calls of real programs are counted: `counted.py LAGGARD CASE LIBRARY LINKED BARE FIRST SECOND`.

A program that is linked with liblaggard-calls (LINKED), or is started with it (BARE and LD_PRELOAD), works while `record calls`
looks on, and says itself how often it called what: the recording says the same. Skips where map_files must not be read.
"""
import csv
import io
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import time

SKIPPED = 77
LAGGARD, CASE, LIBRARY, LINKED, BARE, FIRST, SECOND = sys.argv[1:]
SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "counted.cc")


def exported(recording, kind):
    done = subprocess.run([LAGGARD, "export", recording, "--profiles", kind], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    sums = {}
    for row in csv.DictReader(io.StringIO(done.stdout)):
        program, binary, function = row["what"].split(";")
        sums[function] = sums.get(function, 0) + int(row["count"])
        assert program == os.path.basename(LINKED if CASE != "preloaded" else BARE)[:15], row
        assert "counted" in binary, row
    return sums


def limit_files():
    """To less than a table for all threads takes."""
    if CASE == "limited":
        resource.setrlimit(resource.RLIMIT_FSIZE, (4 << 20, 4 << 20))


def start(program, environment=()):
    return subprocess.Popen([program, CASE, FIRST, SECOND], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, preexec_fn=limit_files,
                            env={**os.environ, **dict(environment)})


def record(recording, process):
    recorder = subprocess.Popen([LAGGARD, "record", "calls", "--out", recording, "--host", "s1", "--pid", str(process.pid), "--interval", "200ms"],
                                stderr=subprocess.PIPE, text=True)
    # It counts from its first reading on, which comes right after the recording is there.
    while recorder.poll() is None and not os.path.exists(f"{recording}/profiles/.s1+calls.lock"):
        time.sleep(0.02)
    return recorder


def check_recorded(recording):
    preloaded = CASE == "preloaded"
    process = start(BARE if preloaded else LINKED, [("LD_PRELOAD", LIBRARY)] if preloaded else [])
    recorder = record(recording, process)
    try:
        time.sleep(0.5)
        process.stdin.write("go\n")
        process.stdin.flush()
        counted = json.loads(process.stdout.readline())
        process.stdin.close()
        process.wait(30)
        said = recorder.communicate(timeout=30)[1]
    finally:
        process.kill()
        recorder.kill()
    if "CAP_CHECKPOINT_RESTORE" in said:
        print(said.strip())
        sys.exit(SKIPPED)
    assert recorder.returncode == 0, said
    calls = exported(recording, "calls")
    for function, count in counted.items():
        assert calls.get(function) == count, (function, count, calls)
    assert process.returncode == (-9 if CASE == "killed" else 0)
    return exported(recording, "call-time")


def check_sites():
    """What is left out is not counted any more, and what is kept is."""
    def hooked(*words):
        """Those of our functions whose addresses hooks are handed, wherever they are inlined."""
        done = subprocess.run([LAGGARD, "export", "rec", "--profiles", "calls", *words, "--out", "flags"], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        subprocess.run(["g++", "-std=c++20", "-O1", "-S", "-finstrument-functions", "@flags", "-o", "counted.s", SOURCE], check=True)
        with open("counted.s", encoding="utf-8") as file:
            return set(re.findall(r"\b(counted_\w+|main|\w+work_plainlyEv)\(%rip\)", file.read()))

    plainly = "_ZN12_GLOBAL__N_112work_plainlyEv"
    hot = hooked("--format", "leave-hot")
    assert {"counted_middle", "counted_sleeper", plainly, "main"} <= hot and "counted_leaf" not in hot, hot
    # Nobody called the others while it was recorded, so that nobody knows of them.
    kept = hooked("--format", "leave-others", "--keep", f"counted_middle,{plainly}")
    assert kept == {"counted_middle", plainly, "main", "counted_thrower", "counted_catcher"}, kept
    refused = subprocess.run([LAGGARD, "export", "rec", "--profiles", "calls", "--format", "leave-others"], capture_output=True, text=True)
    assert refused.returncode == 2 and "--keep: is missing" in refused.stderr, refused


def check_mistakes():
    def said(*words):
        done = subprocess.run([LAGGARD, "record", "calls", "--out", "rec", *words], capture_output=True, text=True, timeout=60)
        assert done.returncode == 2 and done.stderr.count("\n") == 1, done
        return done.stderr

    assert "needs --pid" in said()
    assert "'x' is no number of a process" in said("--pid", "x")
    assert "there is no process 99999999" in said("--pid", "99999999")
    assert "it was not linked with liblaggard-calls" in said("--pid", str(os.getpid()))
    assert "--interval" in said("--pid", "1", "--interval", "1ms")
    assert not os.path.exists("rec")


with tempfile.TemporaryDirectory() as scratch:
    os.chdir(scratch)
    if CASE == "mistakes":
        check_mistakes()
    else:
        times = check_recorded("rec")
        if CASE in ("plain", "preloaded", "killed"):
            assert 390_000 < times["counted_sleeper"] < 2_000_000, times
            assert times["counted_leaf"] < times["counted_sleeper"], times
        if CASE == "children":
            assert 1_350_000 < times["counted_sleeper"] < 5_000_000, times
        if CASE == "sites":
            check_sites()
print("as the program says")
