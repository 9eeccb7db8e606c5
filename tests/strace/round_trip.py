#!/usr/bin/env python3
"""Real traces of many programs go in and out: `round_trip.py LAGGARD`.

Each program is traced by strace itself, imported, written as strace writes, and imported again: both recordings hold the
same calls. Skips without strace, or where tracing is forbidden.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
PROGRAMS = {
    "true": "true", "echo": "echo hello", "ls": "ls -la /etc", "cat": "cat /etc/passwd", "head": "head -c 100000 /dev/zero",
    "cp": "cp /etc/passwd copy", "mv": "touch a && mv a b", "rm": "touch c && rm c", "mkdir": "mkdir -p x/y/z",
    "find": "find /etc/apt -name '*.list'", "grep": "grep -r root /etc/passwd /etc/group", "sed": "sed s/a/b/ /etc/passwd",
    "awk": "awk -F: '{print $1}' /etc/passwd", "sort": "sort -r /etc/passwd", "tar": "tar cf t.tar /etc/apt",
    "gzip": "gzip -c /etc/passwd", "xz": "xz -T2 -c /etc/passwd", "dd": "dd if=/dev/zero of=f bs=4k count=20 conv=fsync",
    "sh": "for i in 1 2 3; do ls /nonexistent; done", "pipe": "cat /etc/passwd | tr a-z A-Z | sort | uniq -c",
    "sleep": "sleep 0.05 & kill $!; wait", "date": "date", "id": "id", "sqlite3": "sqlite3 d 'create table t(a); insert into t values(1)'",
    "python": "python3 -c 'import threading; [threading.Thread(target=print, args=(i,)).start() for i in range(4)]'",
    "socket": "python3 -c 'import socket; a, b = socket.socketpair(); a.send(b\"x\"); b.recv(1); "
              "socket.socket().connect_ex((\"127.0.0.1\", 1))'",
    "exec": "python3 -c 'import os, threading; threading.Thread(target=lambda: os.execv(\"/bin/true\", [\"true\"])).start()'",
    "timeout": "timeout 0.05 sleep 1", "laggard": None,
}
FORMS = {"": ["-ttt", "-T", "-yy"], "plain": ["-ttt"], "day": ["-tt", "-T", "-y"]}


def run(*words, **more):
    return subprocess.run(words, capture_output=True, text=True, errors="replace", **more)


def main():
    laggard = os.path.abspath(sys.argv[1])
    PROGRAMS["laggard"] = f"{laggard} --help"
    if not shutil.which("strace") or run("strace", "-o", "/dev/null", "true").returncode != 0:
        print("skipped: needs strace, and to be allowed to trace")
        return SKIPPED
    tried, calls = 0, 0
    with tempfile.TemporaryDirectory() as scratch:
        for name, command in PROGRAMS.items():
            if not shutil.which(command.split()[0]) and command.split()[0] not in ("for", "touch"):
                print(f"{name}: not installed")
                continue
            form = list(FORMS)[tried % len(FORMS)] if tried % 4 == 3 else ""
            folder = os.path.join(scratch, name)
            os.makedirs(folder)
            trace = os.path.join(folder, "trace")
            run("strace", "-f", *FORMS[form], "-o", trace, "sh", "-c", command, cwd=folder)
            first = run(laggard, "import", "strace", trace, "--host", "h", "--out", f"{folder}/one", "--json")
            read = json.loads(first.stdout)
            assert first.returncode == 0 and not read["errors"], (name, first.stdout, first.stderr)
            lines = sum(" resumed>" not in line for line in open(trace, encoding="utf-8", errors="replace"))
            assert read["new"] == lines, (name, read["new"], lines)
            written = run(laggard, "export", f"{folder}/one", "--events", "syscall", "--format", "strace", "--out", f"{folder}/again")
            assert written.returncode == 0, (name, written.stderr)
            second = run(laggard, "import", "strace", f"{folder}/again", "--host", "h", "--out", f"{folder}/two")
            assert second.returncode == 0, (name, second.stderr)
            one, two = (sorted(run(laggard, "export", f"{folder}/{which}", "--events", "syscall").stdout.splitlines())
                        for which in ("one", "two"))
            assert one == two, (name, [line for line in one if line not in two][:3], [line for line in two if line not in one][:3])
            chrome = run(laggard, "export", f"{folder}/one", "--events", "syscall", "--format", "chrome")
            assert len(json.loads(chrome.stdout)["traceEvents"]) >= lines, name
            for line in run(laggard, "export", f"{folder}/one", "--events", "syscall", "--format", "json").stdout.splitlines():
                json.loads(line)
            tried, calls = tried + 1, calls + lines
    print(f"{tried} programs, {calls} calls, signals and ends: the same again")
    assert tried >= 20, tried
    return 0


sys.exit(main())
