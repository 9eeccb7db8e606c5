#!/usr/bin/env python3
"""What `laggard record syscalls` sees of a program is what strace sees: `recorded.py LAGGARD [bpf|ptrace]`.

Programs that do the same each time run once under each; for each of their processes the calls, in their order (but for those who
wait for children), have the same names and results. What was recorded goes out as strace's text and in again. Skips without strace,
or where tracing is forbidden or was not built.
"""
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
PROGRAMS = {
    "cat": "cat /etc/passwd", "ls": "ls -la /etc/apt", "cp": "cp /etc/passwd copy", "rm": "rm made", "mkdir": "mkdir -p x/y/z",
    "dd": "dd if=/dev/zero of=f bs=4k count=20 conv=fsync status=none", "grep": "grep root /etc/passwd /etc/group", "sort": "sort -r /etc/passwd",
    "tar": "tar cf t.tar /etc/apt", "missing": "ls /nonexistent", "id": "id", "sed": "sed s/a/b/ /etc/passwd",
    "sh": "sh -c 'for i in 1 2 3; do /bin/cat /etc/hostname; /bin/false; done; read x </etc/passwd; exit 4'",
    "killed": "sh -c 'kill -KILL $$'",
}
# Processes and addresses have other numbers each time.
OTHERS = {"clone", "clone3", "fork", "vfork", "wait4", "getpid", "getppid", "gettid", "set_tid_address", "brk", "mmap", "mremap", "rt_sigreturn",
          "kill"}  # Of itself: strace does not see it return.
LINE = re.compile(r"(\d+) [\d.]+ (?:(\w+)\(.*\) += (\S+)(?: (E\w+))?.*|(\+\+\+) (.*) \+\+\+)$")
UNFINISHED = re.compile(r"(\d+) \S+ (\w+)\(.*<unfinished")


def run(*words, **more):
    return subprocess.run(words, capture_output=True, text=True, errors="replace", **more)


def number(text):
    """Modes and flags are numbers in another base in strace's text."""
    if re.fullmatch(r"0[0-7]+", text):
        return str(int(text, 8))
    return str(int(text, 16)) if re.fullmatch(r"0x[0-9a-f]+", text) else text


def told(laggard, recording):
    """Of each process, in the order of their first calls, names and results."""
    text = run(laggard, "export", recording, "--events", "syscall", "--format", "strace")
    assert text.returncode == 0, text.stderr
    processes = {}
    for line in text.stdout.splitlines():
        match = LINE.match(line)
        if not match:
            assert " --- " in line or "<unfinished" in line, line
            killed = UNFINISHED.match(line)
            if killed and killed[2] in OTHERS:  # By itself, which strace tells as a result of `?`.
                processes.setdefault(killed[1], []).append((killed[2], "other"))
            continue
        process, name, result, error, _, end = match.groups()
        if name:
            result = error or ("other" if name in OTHERS else number(result.split("<")[0]))
        processes.setdefault(process, []).append((name, result) if name else ("end", end))
    return list(processes.values()), text.stdout


def main():
    laggard = os.path.abspath(sys.argv[1])
    tracer = sys.argv[2] if len(sys.argv) > 2 else "bpf"
    if not shutil.which("strace") or run("strace", "-o", "/dev/null", "true").returncode != 0:
        print("skipped: needs strace, and to be allowed to trace")
        return SKIPPED
    with tempfile.TemporaryDirectory() as scratch:
        tried = run(laggard, "record", "syscalls", "--tracer", tracer, "--host", "h", "--out", f"{scratch}/try", "--", "true")
        if tried.returncode != 0:
            print(f"skipped: {tried.stderr.strip()}")
            return SKIPPED
        calls = 0
        for name, command in PROGRAMS.items():
            seen = []
            for tool in ("strace", "laggard"):
                # Names as long: getcwd returns their length.
                place = os.path.join(scratch, name, {"strace": "one", "laggard": "two"}[tool])
                folder = f"{place}/work"
                os.makedirs(folder)
                recording = f"{place}/rec"
                open(f"{folder}/made", "w", encoding="ascii").close()
                words = shlex.split(command)
                if tool == "strace":
                    run("strace", "-f", "-ttt", "-T", "-y", "-o", f"{folder}/../trace", *words, cwd=folder)
                    done = run(laggard, "import", "strace", f"{folder}/../trace", "--host", "h", "--out", recording)
                else:
                    done = run(laggard, "record", "syscalls", "--records", "--tracer", tracer, "--host", "h", "--out", recording,
                               "--", *words, cwd=folder)
                    assert "; 0 records lost" in done.stderr, done.stderr
                assert done.returncode == 0, (name, tool, done.stderr)
                seen.append(told(laggard, recording))
            (theirs, _), (ours, text) = seen
            assert len(theirs) == len(ours), (name, len(theirs), len(ours))
            for one, other in zip(theirs, ours):
                if any(call in ("vfork", "fork", "clone") for call, _ in one):
                    # When the child's end arrives is chance.
                    one, other = sorted(one), sorted(other)
                first = next((i for i, pair in enumerate(zip(one, other)) if pair[0] != pair[1]), min(len(one), len(other)))
                assert one == other, (name, first, one[first - 3:first + 5], other[first - 3:first + 5])
                calls += len(one)
            written = os.path.join(scratch, name, "again")
            with open(written, "w", encoding="utf-8") as out:
                out.write(text)
            again = run(laggard, "import", "strace", written, "--host", "h", "--out", f"{written}.rec")
            assert again.returncode == 0, (name, again.stderr)
            _, second = told(laggard, f"{written}.rec")
            assert second == text, (name, "comes back otherwise")
    print(f"{len(PROGRAMS)} programs, {calls} calls and ends: the same as strace saw")
    return 0


sys.exit(main())
