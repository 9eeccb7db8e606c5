#!/usr/bin/env python3
"""What counting calls costs a program, beside uftrace and gprof. Needs a C compiler; uftrace where there is one.

    bench/record_calls.py LIBRARY [--postmark postmark-1.53.c] [--repeat 7] [--pairs 20e6]

First a program that does nothing but call an empty function, in nanoseconds a call with its return; then PostMark, compiled from the
source that is named (`apt-get source postmark`), in CPU time, and that of all that a tool starts besides. LIBRARY is
liblaggard-calls.so. Variants take turns; figures are medians of differences to the plain program of the same turn.
"""
import argparse
import os
import shutil
import statistics
import subprocess
import tempfile

PAIRS = r"""
#include <stdlib.h>
__attribute__((noinline)) void called(void) { __asm__ volatile(""); }
__attribute__((no_instrument_function)) int main(int argc, char **argv) {
  for (long i = 0; i < atol(argv[1]); ++i) called();
  return 0;
}
"""
POSTMARK = "set location {folder}\nset size 500 9770\nset number 2000\nset transactions {n}\nset seed 7\nrun\nquit\n"


def cpu_of(words, environment, text):
    before = os.times()
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, input=text.encode(),
                   env={**os.environ, **environment})
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def variants(program, runtime):
    """{name: command and environment}"""
    preload = {"LD_PRELOAD": runtime}
    result = {"plain": ([f"{program}.plain"], {}), "empty hooks": ([f"{program}.hooks"], {}),
              "laggard, switched off": ([f"{program}.hooks"], preload),
              "laggard": ([f"{program}.hooks"], {**preload, "LAGGARD_CALLS": "on"}), "gprof": ([f"{program}.gprof"], {})}
    if shutil.which("uftrace"):
        result["uftrace"] = (["uftrace", "record", "--no-pager", "-d", f"{program}.data", f"{program}.hooks"], {})
    return result


def measured(program, options, arguments, text):
    """{variant: seconds of CPU, turn by turn}"""
    every = variants(program, options.runtime)
    seconds = {name: [] for name in every}
    for _ in range(options.repeat):
        for name, (words, environment) in every.items():
            seconds[name].append(cpu_of([*words, *arguments], environment, text))
    return seconds


def compiled(source, program):
    for suffix, flags in (("plain", []), ("hooks", ["-finstrument-functions"]), ("gprof", ["-pg"])):
        subprocess.run(["cc", "-O2", "-w", *flags, "-o", f"{program}.{suffix}", source], check=True)


def differences(seconds, name):
    return [ours - plain for ours, plain in zip(seconds[name], seconds["plain"])]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runtime", metavar="LIBRARY", type=os.path.abspath)
    parser.add_argument("--postmark", type=os.path.abspath)
    parser.add_argument("--transactions", type=int, default=30_000)
    parser.add_argument("--repeat", type=int, default=7)
    parser.add_argument("--pairs", type=float, default=20e6)
    options = parser.parse_args()
    print(f"load {os.getloadavg()[0]:.1f}, {os.cpu_count()} processors\n")
    with tempfile.TemporaryDirectory(dir="/dev/shm") as scratch:
        os.chdir(scratch)
        with open("pairs.c", "w", encoding="utf-8") as file:
            file.write(PAIRS)
        compiled("pairs.c", f"{scratch}/pairs")
        seconds = measured(f"{scratch}/pairs", options, [str(int(options.pairs))], "")
        print("| variant | ns a call and its return |\n|---|---|")
        for name in list(seconds)[1:]:
            each = [1e9 * more / options.pairs for more in differences(seconds, name)]
            print(f"| {name} | {statistics.median(each):.1f} ({min(each):.1f} to {max(each):.1f}) |")
        if options.postmark is None:
            return
        compiled(options.postmark, f"{scratch}/postmark")
        os.mkdir("files")
        seconds = measured(f"{scratch}/postmark", options, [], POSTMARK.format(folder=f"{scratch}/files", n=options.transactions))
        print(f"\n| variant | PostMark's CPU, {statistics.median(seconds['plain']):.2f} s plain |\n|---|---|")
        for name in list(seconds)[1:]:
            share = [100 * more / plain for more, plain in zip(differences(seconds, name), seconds["plain"])]
            print(f"| {name} | {statistics.median(share):+.1f} % ({min(share):+.1f} to {max(share):+.1f}) |")


main()
