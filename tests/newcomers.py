#!/usr/bin/env python3
"""What somebody does wrong who uses laggard for the first time, and what it says to that.

usage: tests/newcomers.py LAGGARD            check against docs/newcomers.md
       tests/newcomers.py LAGGARD --write    write the page

Every mistake is made, with recordings from examples/ddr-disk-busy-s2 (s2 becomes sick in it): its exit status has to be
the one below, its message the one on the page, but for numbers.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

LAGGARD = Path(sys.argv[1]).resolve()
ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/newcomers.md"
HEADER = "time,host,kind,device,counter,value\n"
WIDE = ["--time", "t", "--component", "disk", "--host", "fs1", "--out", "new"]

INTRO = """# Mistakes of newcomers

What laggard says to what people get wrong at first, and its exit status: 2 is bad use or input, and with `--check` 1
is *sick* and 4 [*not judged*](cmd/diagnose.md#what-it-comes-to). Of a diagnosis the verdict is shown, its first
sentence. [bad-input.md](bad-input.md) has damaged files and hostile input.
`tests/newcomers.py build/release/laggard --write` makes this page by making every mistake; `./dev test` makes them
again and compares.

| what is wrong | what was typed | what laggard says | exit |
|---|---|---|---|
"""

# What is wrong, exit status, what is typed. Of `diagnose … --check` the verdict is looked at, of others everything.
MISTAKES = [
    ("a wrong path", 2, "diagnose /data/rec"),
    ("an empty folder", 2, "diagnose empty"),
    ("a folder with something else in it", 2, "diagnose texts"),
    ("a CSV file where a recording should be", 2, "diagnose three.csv"),
    ("no recording given", 2, "diagnose"),
    ("a command misspelt", 2, "diagnos incident"),
    ("an option misspelt", 2, "diagnose incident --treshold 3"),
    ("an option without its value", 2, "diagnose incident --html"),
    ("a metric misspelt", 2, "diagnose incident --metric awaits"),
    ("a metric that was not recorded", 2, "diagnose three --metric wr_sec"),
    ("a time without its zone", 2, ["diagnose", "incident", "--from", "2026-11-20 19:22:00"]),
    ("a time outside of the recording", 2, "diagnose incident --from 2026-11-21T00:00:00Z"),
    ("an export of a host that is not there", 2, "export incident --host foo"),
    ("a pattern that no disk matches", 0, "record metrics --disk nvme99* --interval 100ms --duration 200ms --out new"),
    ("the description of another system", 2, "diagnose incident --system others.toml"),
    ("thresholds of another preset", 2, "diagnose incident --preset lab --thresholds quick.toml"),
    ("one disk", 4, "diagnose one --check"),
    ("two hosts", 4, "diagnose two --check"),
    ("ten seconds", 4, "diagnose incident --to 2026-11-20T19:21:44Z --check"),
    ("the same with the shortest windows", 4, "diagnose incident --to 2026-11-20T19:21:44Z --preset quick --check"),
    ("a window longer than the recording", 4, "diagnose incident --window 1000 --check"),
    ("windows of a day's preset on minutes", 4, "diagnose incident --preset production --check"),
    ("hosts recorded on different days", 4, "diagnose days --check"),
    ("another host's clock 90 s ahead", 1, "diagnose minutes --check"),
    ("the sick host in another time zone", 4, "diagnose hour --check"),
    ("the same, set right", 1, "diagnose hour --correct-skew --check"),
    ("hosts whose recording stops midway", 4, "diagnose midway --check"),
    ("the sick host's file was not copied whole", 4, "diagnose torn --check"),
    ("the folder above the recordings", 1, "diagnose apart --check"),
    ("training on two hosts of one name", 2, "train named --out new.toml"),
    ("training on a sick disk", 0, "train incident --preset quick --out new.toml"),
    ("nowhere to import to", 2, "import csv three.csv"),
    ("JSON where CSV should be", 2, "import csv values.json --out new"),
    ("a column that no metric knows", 0, ["import", "csv", "latency.csv", *WIDE, "--gauge", "Latenz (ms)"]),
    ("a unit that is none", 2, ["import", "csv", "latency.csv", *WIDE, "--gauge", "Latenz (ms)=await:msec"]),
    ("a name that is none", 2, ["import", "csv", "latency.csv", *WIDE, "--gauge", "Latenz (ms)=latenz"]),
    ("a column misspelt", 2, ["import", "csv", "latency.csv", *WIDE, "--gauge", "Latency=await"]),
    ("fields parted by semicolons", 2, ["import", "csv", "semicolons.csv", *WIDE, "--gauge", "ms=await"]),
    ("decimal commas", 2, ["import", "csv", "semicolons.csv", *WIDE, "--gauge", "ms=await", "--delimiter", ";"]),
    ("times as people write them", 2, ["import", "csv", "german.csv", *WIDE, "--gauge", "ms=await"]),
    ("a time zone by name", 2, ["import", "csv", "german.csv", *WIDE, "--gauge", "ms=await", "--time-format",
                                "%d.%m.%Y %H:%M:%S", "--tz", "Europe/Berlin"]),
    ("a column per disk, not said so", 2, ["import", "csv", "columns.csv", "--time", "t", "--host", "fs1", "--gauge",
                                           "sda_ms,sdb_ms", "--out", "new"]),
]


def laggard(*words):
    done = subprocess.run([LAGGARD, *map(str, words)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=120)
    return done.returncode, done.stdout


def must(*words):
    status, said = laggard(*words)
    if status != 0:
        sys.exit(f"{words}: {said}")
    return said


def recording(name, rows):
    """The recording of rows (seconds, host, rest of the line) of the long form."""
    Path(f"{name}.csv").write_text(HEADER + "".join(f"{time:.3f},{host},{rest}\n" for time, host, rest in rows))
    must("import", "csv", f"{name}.csv", "--out", name)


def prepare():
    """Everything that the mistakes are made with."""
    shutil.copytree(ROOT / "examples/ddr-disk-busy-s2", "incident")
    rows = []
    for line in must("export", "incident").splitlines()[1:]:
        time, host, rest = line.split(",", 2)
        rows.append((float(time), host, rest))
    os.makedirs("empty")
    os.makedirs("texts")
    Path("texts/notes.txt").write_text("to be done\n")
    for hosts, name in enumerate(["one", "two", "three"], start=1):
        recording(name, [(1795202494 + t, f"fs{n + 1}", f"disk,sda,await,{5 + (t + n) % 3}") for t in range(300) for n in range(hosts)])
    recording("days", [(t + 86400 * int(host[1:]), host, rest) for t, host, rest in rows if host[0] == "s"])
    recording("minutes", [(t + 90 * (host == "s5"), host, rest) for t, host, rest in rows])
    recording("hour", [(t + 3600 * (host == "s2"), host, rest) for t, host, rest in rows])
    recording("midway", [row for row in rows if row[1] == "s3" or row[0] < 1795202594])
    recording("first", [row for row in rows if row[1] != "s2"])
    recording("second", [(t, "s1", rest.replace("loop22", "loop21")) for t, host, rest in rows if host == "s2"])
    os.makedirs("named")
    shutil.move("first", "named")
    shutil.move("second", "named")
    shutil.copytree("incident", "torn")
    for file in Path("torn/metrics").glob("s2-*"):
        os.truncate(file, file.stat().st_size // 2)
    for half, pattern in (("a", "[cs][1-4]-*"), ("b", "s[5-9]-*")):
        os.makedirs(f"apart/{half}/metrics")
        for file in Path("incident/metrics").glob(pattern):
            shutil.copy(file, f"apart/{half}/metrics")
    must("train", "incident", "--preset", "quick", "--to", "2026-11-20T19:22:36Z", "--out", "quick.toml")
    Path("others.toml").write_text('[[servers]]\nname = "oss[1-3]"\n')
    Path("values.json").write_text('{"time": 1795202494}')
    Path("latency.csv").write_text("t,disk,Latenz (ms)\n1795202494,sda,5\n")
    Path("semicolons.csv").write_text("t;disk;ms\n1795202494;sda;2,5\n")
    Path("german.csv").write_text("t,disk,ms\n20.11.2026 20:21:34,sda,5\n")
    Path("columns.csv").write_text("t,sda_ms,sdb_ms\n1795202494,5,6\n")


def verdict_of(said):
    """What stands between remarks and dates."""
    lines = []
    for line in said.splitlines():
        if re.match(r"\d{4}-\d\d-\d\d .* to ", line):
            break
        if not re.match(r"(preset|set:|note:)", line):
            lines.append(line)
    return " ".join(lines)


def comparable(text):
    """Numbers, the disks of this machine and how far a recorder comes in a moment apart."""
    return re.sub(r"for now; there are .*? \|", "for now; there are N |", re.sub(r"[0-9][0-9,.]*", "N", text))


def row_of(what, wanted, words, complaints):
    words = words.split() if isinstance(words, str) else words
    shutil.rmtree("new", ignore_errors=True)
    status, said = laggard(*words)
    if status != wanted:
        complaints.append(f"{what}: status {status} instead of {wanted}: {said}")
    said = verdict_of(said) if words[-1] == "--check" else said.strip()
    said = said.replace("|", "\\|").replace("\n", "<br>")
    typed = " ".join(f"'{word}'" if re.search(r"[ ;%()*]", word) else word for word in words)
    return f"| {what} | `laggard {typed}` | {said} | {status} |"


def main():
    complaints = []
    prepare()
    rows = [row_of(*mistake, complaints) for mistake in MISTAKES]
    if sys.argv[2:] == ["--write"]:
        PAGE.write_text(INTRO + "\n".join(rows) + "\n")
    else:
        page = {comparable(line) for line in PAGE.read_text().splitlines()}
        complaints += [f"docs/newcomers.md has another row for this: {row}" for row in rows if comparable(row) not in page]
    for complaint in complaints:
        print("FAILED:", complaint)
    if not complaints:
        print(f"{len(rows)} mistakes")
    sys.exit(len(complaints) > 0)


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    main()
