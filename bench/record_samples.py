#!/usr/bin/env python3
"""What `laggard record samples` costs the machine and itself, beside `perf record -a`. Needs root, a C compiler and perf.

    bench/record_samples.py LAGGARD [--repeat 7] [--work 3] [--folder /dev/shm]

A workload of a fixed number of steps runs on each processor, alone and under each tool in turns; its CPU time (user + system) grows by
what the kernel does for samples. CPU and bytes of the tool are those while the workload runs, its start apart. Figures are medians.
"""
import argparse
import os
import pathlib
import shutil
import signal
import statistics
import subprocess
import tempfile
import time

LOOP = r"""
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(int argc, char **argv) {
  volatile unsigned sum = 0;
  for (long i = 0; i < atol(argv[1]); ++i) {
    for (int k = 0; k < 1000; ++k) sum = sum * 3 + 1;
    if (i % 8 == 0) syscall(SYS_getpid);
  }
  return 0;
}
"""


def cpu_of_process(pid):
    """Seconds of all its threads."""
    return sum(int((task / "schedstat").read_text().split()[0]) for task in pathlib.Path(f"/proc/{pid}/task").iterdir()) / 1e9


def bytes_in(path):
    path = pathlib.Path(path)
    files = [path] if path.is_file() else path.rglob("*")
    return sum(f.stat().st_size for f in files if f.is_file())


def command_of(tool, hz, options, out):
    if tool == "laggard":
        return [options.laggard, "record", "samples", "--frequency", str(hz), "--host", "h", "--out", out]
    return ["perf", "record", "-a", "-e", "cpu-clock", "-F", str(hz), "-o", out]


def work(options):
    """Seconds of CPU of the workload, and how long it took."""
    start, before = time.monotonic(), os.times()
    runs = [subprocess.Popen([options.loop, str(options.steps)]) for _ in range(os.cpu_count())]
    for run in runs:
        run.wait()
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system, time.monotonic() - start


def run_under(tool, hz, options):
    """CPU of the workload; percent of a processor that the tool took; its bytes a second."""
    if tool == "alone":
        return work(options)[0], 0.0, 0.0
    out = f"{options.scratch}/out"
    recorder = subprocess.Popen(command_of(tool, hz, options, out), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(2)
    own, size, begin = cpu_of_process(recorder.pid), bytes_in(out), time.monotonic()
    cpu, _ = work(options)
    if options.idle:
        time.sleep(options.idle)
    took = time.monotonic() - begin
    own = cpu_of_process(recorder.pid) - own
    size = bytes_in(out) - size
    recorder.send_signal(signal.SIGINT)
    recorder.wait()
    shutil.rmtree(out) if os.path.isdir(out) else os.unlink(out)
    return cpu, 100 * own / took, size / took


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("laggard")
    parser.add_argument("--repeat", type=int, default=7)
    parser.add_argument("--work", type=float, default=3, help="seconds of CPU on each processor")
    parser.add_argument("--idle", type=float, default=0, help="seconds to wait behind the workload, for bytes a second of long recordings")
    parser.add_argument("--folder", default="/dev/shm")
    options = parser.parse_args()
    options.laggard = os.path.abspath(options.laggard)
    with tempfile.TemporaryDirectory(dir=options.folder) as scratch:
        options.scratch, options.loop = scratch, f"{scratch}/loop"
        subprocess.run(["cc", "-O2", "-x", "c", "-o", options.loop, "-"], input=LOOP, text=True, check=True)
        options.steps = 100_000
        options.steps = int(options.steps * options.work * os.cpu_count() / work(options)[0])
        print(f"load {os.getloadavg()[0]:.1f}, {os.cpu_count()} processors\n")
        print("| Hz | tool | the workload's CPU | the tool's CPU | bytes a second |\n|---|---|---|---|---|")
        tools = ["laggard"] + (["perf"] if shutil.which("perf") else [])
        for hz in (99, 1000):
            runs = {tool: [] for tool in ["alone", *tools]}
            for _ in range(options.repeat):
                for tool, done in runs.items():
                    done.append(run_under(tool, hz, options))
            for tool in tools:
                ratios = [100 * (ours[0] / alone[0] - 1) for ours, alone in zip(runs[tool], runs["alone"])]
                own, size = (statistics.median(run[i] for run in runs[tool]) for i in (1, 2))
                print(f"| {hz} | {tool} | {statistics.median(ratios):+.2f} % ({min(ratios):+.2f} to {max(ratios):+.2f}) | "
                      f"{own:.2f} % of one processor | {size:.0f} |", flush=True)
        print(f"\nload {os.getloadavg()[0]:.1f}")


main()
