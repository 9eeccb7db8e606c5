#!/usr/bin/env python3
"""Real samples of perf go in and out: `round_trip.py LAGGARD`.

A busy program is sampled by perf itself, with call chains and without. Its text is imported with many sets of fields, each of
which must give all samples; the time that they stand for is that for which processors were busy. What is exported as folded
stacks is imported again and the same, and the other forms can be read. Skips without perf, or where sampling is forbidden.
"""
import collections
import csv
import gzip
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

SKIPPED = 77
BUSY = "import time\nend = time.time() + 1.5\nwhile time.time() < end: sum(range(1000))"
FIELDS = {
    "usual": None, "all": "comm,pid,tid,cpu,time,event,ip,sym,symoff,dso,period", "misc": "comm,tid,cpu,misc,time,event,ip,sym,dso",
    "no_event": "comm,tid,time,ip,sym,dso", "no_period": "comm,pid,tid,cpu,time,event,ip,sym,symoff,dso", "no_thread": "comm,time,event,ip,sym,dso",
    "no_dso": "comm,tid,cpu,time,event,ip,sym", "no_function": "comm,tid,time,event,ip,dso", "no_name": "tid,time,event,period,ip,sym,dso",
    "srcline": "comm,tid,cpu,time,event,ip,sym,dso,srcline,period", "nothing": "comm,tid,time,event,period",
}
IDLE = re.compile(r"(default_idle|native_safe_halt|do_idle|acpi_idle|intel_idle|mwait_idle|cpuidle_enter|acpi_safe_halt|native_halt|poll_idle)")


def run(*words, **more):
    return subprocess.run(words, capture_output=True, text=True, errors="replace", **more)


def rows(laggard, recording, kinds="samples"):
    done = run(laggard, "export", recording, "--profiles", kinds)
    assert done.returncode == 0, done.stderr
    return list(csv.DictReader(io.StringIO(done.stdout)))


def imported(laggard, text, recording, *more):
    done = run(laggard, "import", "perf", "-", "--host", "h", "--out", recording, "--json", *more, input=text)
    assert done.returncode == 0, (done.stdout, done.stderr)
    return json.loads(done.stdout), done.stderr


def check_fields(laggard, data, scratch, has_chain):
    """All sets of fields tell the same samples, as far as they go."""
    whole = None
    for place, (name, fields) in enumerate(FIELDS.items()):
        if place >= 2 and place % 2 == has_chain:
            continue  # Perf looks symbols up each time, which takes seconds on a busy machine: the others are the other file's.
        text = run("perf", "script", "-i", data, *(["-F", fields] if fields else [])).stdout
        recording = f"{scratch}/{os.path.basename(data)}.{name}"
        read, said = imported(laggard, text, recording, "--start", "1700000000")
        assert read["passed_over"] == 0, (name, said)
        # Heads of samples have a time with a colon; functions of call chains have none.
        heads = len(re.findall(r"^.*?\b\d+\.\d{6}: ", text, re.M))
        idle = sum(int(n.replace(",", "")) for n in re.findall(r"([\d,]+) samples? (?:was|were) left out: the processor", said))
        counted = sum(int(row["count"]) for row in rows(laggard, recording))
        assert heads > 100 and counted == heads - idle, (name, heads, counted, idle, said)
        if name in ("usual", "all"):
            assert has_chain == any(row["kind"] == "stacks" for row in rows(laggard, recording, "samples,stacks" if has_chain else "samples"))
            words = collections.Counter({row["what"]: int(row["count"]) for row in rows(laggard, recording)})
            assert whole is None or words == whole, name
            whole = words
            assert not any(IDLE.search(word) for word in words if word.startswith("[kernel];")), words
    return whole


def check_forms(laggard, recording, scratch):
    """What comes out is read by others, and folded stacks come back."""
    span = (recording, "--profiles", "samples", "--format")
    folded = run(laggard, "export", *span, "folded").stdout
    stacks = run(laggard, "export", recording, "--profiles", "stacks", "--format", "folded").stdout
    assert folded == stacks and len(folded.splitlines()) > 5, folded[:300]
    with open(f"{scratch}/folded", "w", encoding="utf-8") as out:
        out.write(folded)
    again = run(laggard, "import", "folded", f"{scratch}/folded", "--host", "h", "--start", "1700000000", "--out", f"{scratch}/again")
    assert again.returncode == 0 and not again.stderr, again.stderr
    assert run(laggard, "export", f"{scratch}/again", "--profiles", "stacks", "--format", "folded").stdout == folded
    trace = json.loads(run(laggard, "export", *span, "chrome").stdout)["traceEvents"]
    assert sum(event["ph"] == "X" for event in trace) > 10
    packed = subprocess.run((laggard, "export", *span, "pprof"), capture_output=True, check=True).stdout
    assert b"nanoseconds" in gzip.decompress(packed)
    if shutil.which("go"):
        with open(f"{scratch}/p.pb.gz", "wb") as out:
            out.write(packed)
        top = run("go", "tool", "pprof", "-top", f"{scratch}/p.pb.gz")
        assert top.returncode == 0 and "python" in top.stdout, (top.stdout, top.stderr)


def main():
    laggard = os.path.abspath(sys.argv[1])
    if not shutil.which("perf"):
        print("skipped: needs perf")
        return SKIPPED
    with tempfile.TemporaryDirectory() as scratch:
        recorded = {}
        for name, more in (("chains", ["-g"]), ("lines", [])):
            recorded[name] = f"{scratch}/{name}.data"
            done = run("perf", "record", "-F", "99", "-a", "-e", "cpu-clock", *more, "-o", recorded[name], sys.executable, "-c", BUSY)
            if done.returncode != 0 or not os.path.exists(recorded[name]):
                print(f"skipped: perf may not sample: {done.stderr.strip().splitlines()[-1:]}")
                return SKIPPED
        for name, data in recorded.items():
            words = check_fields(laggard, data, scratch, name == "chains")
            assert any(word.startswith("python") for word in words), words
        # By its header alone: now, on this machine, and as long as processors were busy.
        text = run("perf", "script", "--header", "-i", recorded["chains"]).stdout
        offset = time.strftime("%z")
        done = run(laggard, "import", "perf", "-", "--out", f"{scratch}/header", "--tz", f"{offset[:3]}:{offset[3:]}", input=text)
        assert done.returncode == 0, done.stderr
        found = rows(laggard, f"{scratch}/header")
        assert all(row["host"] == os.uname().nodename for row in found), found[0]
        assert all(abs(float(row["time"]) - time.time()) < 300 and float(row["each_s"]) > 0.0099 for row in found), found[0]
        busy = sum(int(row["count"]) * float(row["each_s"]) for row in found)
        assert 0.5 < busy < 4 * os.cpu_count(), busy
        check_forms(laggard, f"{scratch}/header", scratch)
        for words, said in ((["-i", recorded["lines"], "--stdio"], "perf report"),):
            refused = run(laggard, "import", "perf", "-", "--host", "h", "--out", f"{scratch}/no", input=run("perf", "report", *words).stdout)
            assert refused.returncode == 2 and said in refused.stderr, refused.stderr
        refused = run(laggard, "import", "perf", recorded["lines"], "--host", "h", "--out", f"{scratch}/no")
        assert refused.returncode == 2 and "perf script" in refused.stderr, refused.stderr
    print(f"{len(FIELDS)} sets of fields, call chains and lines: all samples; {busy:.2f} s of processors")
    return 0


sys.exit(main())
