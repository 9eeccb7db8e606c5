#!/usr/bin/env python3
"""What `laggard record syscalls` costs those whom it traces, those whom it does not, and itself; beside strace and perf trace.
Needs root, a C compiler and postmark.

    bench/record_syscalls.py LAGGARD [--repeat 5] [--calls 300000] [--seconds 20] [--folder /dev/shm]

All figures but run times are CPU time (user + system) and medians; what is compared was run in turns. Prints the tables of docs/bench.md.
"""
import argparse
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

LOOP = r"""
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
static double now(void) {
  struct rusage r;
  getrusage(RUSAGE_SELF, &r);
  return (r.ru_utime.tv_sec + r.ru_stime.tv_sec) * 1e9 + (r.ru_utime.tv_usec + r.ru_stime.tv_usec) * 1e3;
}
/* Waits until so many calls are due. */
static void keep_pace(double calls, double per_second) {
  static struct timespec begin;
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  if (begin.tv_sec == 0) begin = t;
  const double early = calls / per_second - (t.tv_sec - begin.tv_sec) - (t.tv_nsec - begin.tv_nsec) / 1e9;
  if (early > 0.001) usleep(1e6 * early);
}
int main(int argc, char **argv) {
  const double per_second = argc > 4 ? atof(argv[4]) : 0;
  const long calls = atol(argv[2]);
  char bytes[32] = "";
  const int file = open(argv[3], O_RDWR | O_CREAT, 0600);
  if (write(file, bytes, sizeof bytes) != sizeof bytes) return 1;
  const double begin = now();
  for (long i = 0; i < calls; ++i) {
    if (per_second > 0 && i % 1000 == 0) keep_pace(i, per_second);
    if (argv[1][0] == 'g') syscall(SYS_getpid);
    else if (pread(file, bytes, 16, i & 15) != 16) return 1;
  }
  printf("%.1f\n", (now() - begin) / calls);
  return 0;
}
"""
COUNTS, RECORDS = "laggard", "laggard --records"
here = pathlib.Path(__file__).resolve().parent


def words_of(tool, laggard, folder, command):
    """The command under a tool, which writes what it finds into the folder."""
    record = [laggard, "record", "syscalls", "--host", "h", "--out", f"{folder}/rec"]
    return {"alone": [], COUNTS: [*record, "--"], RECORDS: [*record, "--records", "--"],
            "strace": ["strace", "-f", "-T", "-ttt", "-o", f"{folder}/strace"],
            "perf trace": ["perf", "trace", "-o", f"{folder}/perf"]}[tool] + command


def run(words, **more):
    done = subprocess.run(words, capture_output=True, text=True, check=False, **more)
    if done.returncode != 0:
        sys.exit(f"{' '.join(words)}: {done.stdout}{done.stderr}")
    return done


def bytes_in(path):
    return sum(f.stat().st_size for f in pathlib.Path(path).rglob("*") if f.is_file()) if os.path.isdir(path) else os.path.getsize(path)


def counted(done):
    """How many calls a recording had, and how many it lost, as it says."""
    told = re.search(r"([\d,]+) calls.*; ([\d,]+) records lost", done.stderr)
    return [int(text.replace(",", "")) for text in told.groups()]


def run_of(tool, laggard, scratch, command):
    """Microseconds of CPU of the command alone and of everything, bytes an event, and the microseconds the command ran."""
    folder = tempfile.mkdtemp(dir=scratch)
    workload = [sys.executable, str(here / "cpu_of.py"), "--run-time", *command]
    before = os.times()
    done = run(words_of(tool, laggard, folder, workload), cwd=folder)
    after = os.times()
    whole = 1e6 * (after.children_user + after.children_system - before.children_user - before.children_system)
    size = None
    if tool in (COUNTS, RECORDS):
        got, lost = counted(done)
        assert lost == 0, done.stderr
        size = bytes_in(f"{folder}/rec") / got
    elif tool != "alone":
        trace = f"{folder}/{tool.split()[0]}"
        size = os.path.getsize(trace) / sum(1 for _ in open(trace, "rb"))
    shutil.rmtree(folder)
    cpu, run_time = map(float, done.stdout.splitlines()[-1].split())
    return cpu, whole, size, run_time


def compare(name, command, tools, options):
    runs = {tool: [] for tool in tools}
    for _ in range(options.repeat):
        for tool in tools:
            runs[tool].append(run_of(tool, options.laggard, options.scratch, command))
    start = statistics.median(whole - cpu for cpu, whole, *_ in runs["alone"])  # Of the interpreter around the command.
    for tool in tools:
        ratios, longer = ([100 * (run[at] / before[at] - 1) for run, before in zip(runs[tool], runs["alone"])] for at in (0, 3))
        own = statistics.median(whole - cpu for cpu, whole, *_ in runs[tool]) - start
        # perf does not wait for what it runs, so that its own time cannot be told.
        shown = f"{own / 1e3:.0f} ms" if tool in (COUNTS, RECORDS, "strace") else ""
        size = runs[tool][0][2]
        print(f"| {name} | {tool} | {statistics.median(r[0] for r in runs[tool]) / 1e3:.0f} ms | {statistics.median(ratios):+.1f} % "
              f"({min(ratios):+.1f} to {max(ratios):+.1f}) | {statistics.median(longer):+.1f} % ({min(longer):+.1f} to {max(longer):+.1f}) | "
              f"{shown} | {'' if size is None else f'{size:.1f}'} |", flush=True)


def recorded(options, words):
    """What is said and taken by a recording of every call of a command: its output, ns of CPU of both."""
    out = tempfile.mkdtemp(dir=options.scratch)
    before = os.times()
    done = run(words_of(RECORDS, options.laggard, out, words))
    after = os.times()
    assert counted(done)[1] == 0, done.stderr
    shutil.rmtree(out)
    return done.stdout, 1e9 * (after.children_user + after.children_system - before.children_user - before.children_system)


def loop_costs(options):
    """ns of CPU a call: alone, with a recorder of somebody else, recorded."""
    start = statistics.median(recorded(options, ["true"])[1] for _ in range(options.repeat))
    print(f"To begin and end a recording: {start / 1e9:.2f} s of CPU\n")
    print("| | alone | not traced | traced |\n|---|---|---|---|")
    for call in ("getpid", "pread"):
        words = [options.loop, call, str(options.calls), f"{options.scratch}/file"]
        alone, beside, traced = [], [], []
        for _ in range(options.repeat):
            alone.append(float(run(words).stdout))
            other = subprocess.Popen(["sleep", "1000"])
            recorder = subprocess.Popen([options.laggard, "record", "syscalls", "--host", "h", "--out", f"{options.scratch}/other", "--pid",
                                         str(other.pid)], stderr=subprocess.DEVNULL)
            time.sleep(1)
            beside.append(float(run(words).stdout))
            other.kill()
            other.wait()
            recorder.wait()
            shutil.rmtree(f"{options.scratch}/other")
            traced.append(float(recorded(options, words)[0]))
        paired = lambda some: statistics.median(a - b for a, b in zip(some, alone))
        print(f"| `{call}` | {statistics.median(alone):.0f} ns | {paired(beside):+.0f} ns | {paired(traced):+.0f} ns |", flush=True)


def told_of(done, seconds):
    got, lost = counted(done)
    return f"{got / seconds / 1e6:.2f} million a second recorded, {lost / seconds / 1e6:.2f} million a second lost", got


def at_full_rate(options, tool):
    """Two processes that do nothing but call."""
    script = "".join(f"timeout {options.seconds} {options.loop} getpid 1000000000 {options.scratch}/{name} & " for name in "ab") + "wait"
    out = tempfile.mkdtemp(dir=options.scratch)
    said, got = told_of(run(words_of(tool, options.laggard, out, ["sh", "-c", script])), options.seconds)
    print(f"\n{tool}, full rate, {os.cpu_count()} processors, {options.seconds} s: {said}, {bytes_in(out) / max(got, 1):.2f} bytes each")
    shutil.rmtree(out)


def ticks_of_threads(stat_lines):
    """User and system time of each thread, in clock ticks: the first one reads the ring, the other one archives."""
    return [sum(map(int, line.rsplit(")", 1)[1].split()[11:13])) for line in stat_lines.splitlines()]


def at_a_million(options, tool):
    """Two processes that together call a million times a second, and what the recorder's threads take for it."""
    calls = 500_000 * options.seconds
    look = "cat /proc/$PPID/task/*/stat; echo; "
    loops = "".join(f"{options.loop} getpid {calls} {options.scratch}/{name} 500000 > /dev/null & " for name in "ab")
    out = tempfile.mkdtemp(dir=options.scratch)
    done = run(words_of(tool, options.laggard, out, ["sh", "-c", f"sleep 1; {look}{loops} wait; {look}"]))
    said, got = told_of(done, options.seconds)
    before, after = map(ticks_of_threads, done.stdout.strip().split("\n\n"))
    before += [0] * (len(after) - len(before))
    drain, archive = (1e9 / os.sysconf("SC_CLK_TCK") * (b - a) / (2 * calls) for a, b in zip(before, after))
    print(f"\n{tool}, a million a second for {options.seconds} s: {said}, {bytes_in(out) / max(got, 1):.2f} bytes each; "
          f"{drain:.0f} ns of CPU a call to drain, {drain + archive:.0f} ns to disk")
    shutil.rmtree(out)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("laggard")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--calls", type=int, default=300_000)  # More than the ring holds might be lost at the rate of a loop.
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--folder", default="/dev/shm")
    options = parser.parse_args()
    options.laggard = os.path.abspath(options.laggard)
    with tempfile.TemporaryDirectory(dir=options.folder) as scratch:
        options.scratch = scratch
        options.loop = f"{scratch}/loop"
        subprocess.run(["cc", "-O2", "-x", "c", "-o", options.loop, "-"], input=LOOP, text=True, check=True)
        print(f"load {os.getloadavg()[0]:.1f}\n")
        loop_costs(options)
        tools = ["alone", COUNTS, RECORDS] + [tool for tool in ("strace", "perf trace") if shutil.which(tool.split()[0])]
        print("\n| workload | under | its CPU | more than alone | longer run time | the tool's CPU | bytes an event |\n|---|---|---|---|---|---|---|")
        orders = f"{scratch}/orders"
        pathlib.Path(orders).write_text(f"set location {scratch}\nset number 2000\nset transactions 10000\nset size 500 10000\nrun\nquit\n",
                                        encoding="ascii")
        compare("postmark", ["postmark", orders], tools, options)
        compare("dd, 1 MiB", ["dd", "if=/dev/zero", f"of={scratch}/bulk", "bs=1M", "count=2000"], tools, options)
        for run_loops in (at_full_rate, at_a_million):
            for tool in (COUNTS, RECORDS):
                run_loops(options, tool)
        print(f"load {os.getloadavg()[0]:.1f}")


main()
