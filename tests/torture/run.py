#!/usr/bin/env python3
"""laggard under torture: kills, damages, limits, lying servers and hostile names and places, by the thousand, against machines
whose every counter is known (truth.py). docs/torture.md says what is done and has the figures.

usage: run.py LAGGARD [SECONDS] [--seed N] [--only kills,damages,limits,servers,outputs] [--trial KIND:SEED] [--keep DIR]
Without SECONDS the whole campaign. Ends with 1 when anything was found; every failure names the command that repeats it."""
import argparse
import collections
import importlib
import itertools
import multiprocessing
import os
import pathlib
import queue
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback

import limits
import pool
import trial as trials

# Trials of a whole campaign; a kill trial kills several times.
WHOLE = {"kills": 700, "damages": 1200, "limits": len(limits.MATRIX), "servers": 200, "outputs": 120}
WORKERS = 2


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("laggard")
    parser.add_argument("seconds", nargs="?", type=float)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default=",".join(WHOLE))
    parser.add_argument("--trial")
    parser.add_argument("--keep", default="build/torture")
    options = parser.parse_args()
    unknown = set(options.only.split(",")) - set(WHOLE)
    if unknown:
        parser.error(f"{', '.join(sorted(unknown))}: no kind of trial; there are {', '.join(WHOLE)}")
    own_mounts()
    os.nice(10)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # So that the scratch folder goes, too.
    keep = pathlib.Path(options.keep).resolve()
    scratch = pathlib.Path(tempfile.mkdtemp(prefix="laggard-torture-"))
    scratch.chmod(0o755)
    try:
        laggard = scratch / "laggard"  # Where everybody can reach it, and no build replaces it meanwhile.
        shutil.copyfile(options.laggard, laggard)
        laggard.chmod(0o755)
        recordings = pool.build(laggard, scratch / "pool")
        campaign = Campaign(laggard, scratch, recordings, keep, options)
        return campaign.run()
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def own_mounts():
    """A mount namespace of its own, for small disks and read-only folders; all of them end with it."""
    if os.getuid() == 0 and "LAGGARD_TORTURE_MOUNTS" not in os.environ and shutil.which("unshare"):
        if subprocess.run(["unshare", "-m", "true"], stderr=subprocess.DEVNULL, check=False).returncode == 0:
            os.environ["LAGGARD_TORTURE_MOUNTS"] = "own"
            os.execvp("unshare", ["unshare", "-m", "--propagation", "private", sys.executable, *sys.argv])


class Campaign:
    def __init__(self, laggard, scratch, recordings, keep, options):
        self.laggard, self.scratch, self.pool, self.keep, self.options = laggard, scratch, recordings, keep, options
        self.kinds = [options.trial.partition(":")[0]] if options.trial else options.only.split(",")
        self.done = {kind: collections.Counter() for kind in WHOLE}
        self.groups = {}  # (category, what): [count, command, folder, detail]
        self.skipped = collections.Counter()

    def schedule(self):
        """Kinds in turn, each as often as its share of the whole campaign wants, so that any budget has some of all."""
        if self.options.trial:
            kind, _, seed = self.options.trial.partition(":")
            yield kind, int(seed)
            return
        first = self.options.seed * 1_000_000
        turns = [(i / WHOLE[kind], kind, first + i) for kind in self.kinds for i in range(WHOLE[kind])]
        for _, kind, seed in sorted(turns):
            yield kind, seed
        if self.options.seconds:
            for i in itertools.count(max(WHOLE.values())):
                for kind in self.kinds:
                    yield kind, first + i

    def run(self):
        todo, results = multiprocessing.Queue(4), multiprocessing.Queue()
        workers = [multiprocessing.Process(target=work, args=(self, todo, results), daemon=True) for _ in range(WORKERS)]
        for worker in workers:
            worker.start()
        began, running, handed = time.monotonic(), 0, 0
        try:
            for kind, seed in self.schedule():
                if self.options.seconds and time.monotonic() - began > self.options.seconds:
                    break
                while running >= 2 * WORKERS:
                    self.count(self.next_of(results, workers))
                    running -= 1
                todo.put((kind, seed))
                running += 1
                handed += 1
                if sys.stderr.isatty():
                    print(f"\r{handed} trials, {len(self.groups)} kinds of failures ", end="", file=sys.stderr)
            while running:
                self.count(self.next_of(results, workers))
                running -= 1
        finally:
            for _ in workers:
                todo.put(None)
            for worker in workers:
                worker.join(timeout=60)
        self.report(time.monotonic() - began)
        return 1 if self.groups else 0

    @staticmethod
    def next_of(results, workers):
        while True:
            try:
                return results.get(timeout=5)
            except queue.Empty:
                if not all(worker.is_alive() for worker in workers):
                    raise SystemExit("torture: a worker died") from None

    def count(self, result):
        kind, seed, label, events, skipped, findings, folder = result
        if skipped:
            self.skipped[f"{label}: {skipped}"] += 1
            return
        counts = self.done[kind]
        counts["trials"] += 1
        counts["attacks"] += events
        for category in {finding.category for finding in findings}:
            counts[category] += 1
        for finding in findings:
            command = f"./dev torture --trial {kind}:{seed}"
            group = self.groups.setdefault((finding.category, kind, finding.what), [0, command, folder, finding.detail])
            group[0] += 1

    def report(self, seconds):
        columns = ("trials", "attacks", *trials.CATEGORIES)
        plural = {"wrong value": "wrong values", "silent loss": "silent losses", "crash": "crashes", "hang": "hangs", "half file": "half files"}
        if sys.stderr.isatty():
            print("\r\033[K", end="", file=sys.stderr)
        print("| kind | " + " | ".join(plural.get(column, column) for column in columns) + " |")
        print("|---|" + "---|" * len(columns))
        for kind, counts in self.done.items():
            if kind in self.kinds:
                print(f"| {kind} | " + " | ".join(f"{counts[column]:,}" for column in columns) + " |")
        print(f"\nseed {self.options.seed}, {seconds:.0f} s, {os.cpu_count()} cores")
        for (category, kind, what), (count, command, folder, detail) in sorted(self.groups.items()):
            print(f"\n{category}: {what} ({count} times)\n  {command}   # kept in {folder}\n  {' '.join(detail.split())[:300]}")
        for why, count in sorted(self.skipped.items()):
            print(f"skipped {count}: {why}")


def work(campaign, todo, results):
    # Ctrl-C is the parent's. Not SIG_IGN, which the programs under test would inherit and rightly heed.
    signal.signal(signal.SIGINT, lambda *_: None)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    parent = os.getppid()
    while True:
        try:
            job = todo.get(timeout=5)
        except queue.Empty:
            if os.getppid() != parent:
                return  # Killed: nobody waits for results.
            continue
        if job is None:
            return
        kind, seed = job
        folder = campaign.scratch / f"{kind}-{seed}"
        folder.mkdir()
        trial = trials.Trial(kind, seed, campaign.laggard, folder, campaign.pool)
        try:
            importlib.import_module(kind).run(trial)
        except trials.Hung:
            pass
        except Exception:  # pylint: disable=broad-except
            trial.find("other", "the trial itself failed", traceback.format_exc())
        finally:
            trial.end()
        kept = ""
        if trial.findings or campaign.options.trial:
            kept = campaign.keep / folder.name
            keep_folder(trial, folder, kept)
        remove(folder)
        results.put((kind, seed, trial.label, trial.events, trial.skipped, trial.findings, str(kept)))


def keep_folder(trial, folder, kept):
    shutil.rmtree(kept, ignore_errors=True)
    kept.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(["cp", "-a", "--sparse=always", folder, kept], check=False, stderr=subprocess.DEVNULL)
    kept.mkdir(exist_ok=True)
    (kept / "trial.log").write_text(trial.log())


def remove(folder):
    for path in [folder, *folder.rglob("*")]:
        if path.is_dir() and not path.is_symlink():
            path.chmod(0o700)
    shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
