"""The recordings, texts and files that trials copy: made once for a campaign, of known machines."""
import json
import pathlib
import shutil
import signal
import subprocess
import time

import trial
import truth

MIDNIGHT_MS = 1_700_006_400_000  # 2023-11-15T00:00:00Z
HOSTS = ("fs1", "fs2", "fs3")
LIVE = ("live1", "live2")


class Pool:
    """Where what is. `plain` and `two_days` were imported and are finished; the recorders of `wal` were killed, and left their
    write-ahead logs; `closed` is `wal` as later recorders finished it, and `again` is that as others, killed too, went on with it."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.plain, self.two_days, self.wal, self.closed, self.again = (
            self.folder / name for name in ("plain", "two_days", "wal", "closed", "again"))
        self.csv, self.day_csv, self.sa = self.folder / "plain.csv", self.folder / "days.csv", self.folder / "sa"
        self.system, self.thresholds, self.journal = (self.folder / name for name in ("system.toml", "thresholds.toml", "judged.tape"))
        self.plan = truth.Plan(HOSTS, 120)
        self.day_plan = truth.Plan(HOSTS[:2], 60, start_ms=MIDNIGHT_MS - 30_000)
        self._exports = {}

    def export_of(self, recording):
        """Lines of an intact recording's export."""
        if recording not in self._exports:
            self._exports[recording] = set((self.folder / f"{recording.name}.export").read_bytes().split(b"\n")[1:]) - {b""}
        return self._exports[recording]

    def is_true(self, line):
        """Whether a line of an export is one that some recording of the pool may hold."""
        parsed = trial.parse_line(line)
        if parsed is None:
            return False
        key, shown = parsed
        if key[1] in LIVE:
            began = json.loads((self.folder / "began.json").read_text())[key[1]]
            return not truth.judge(key[1], began, {key: shown})
        return self.plan.is_true(key, shown) or self.day_plan.is_true(key, shown)


def build(laggard, folder):
    """Makes the pool with the program under test; what fails here fails the campaign."""
    pool = Pool(folder)
    pool.folder.mkdir(parents=True)

    def run(*words, status=(0,)):
        done = subprocess.run([laggard, *map(str, words)], capture_output=True, cwd=folder, timeout=120, check=False)
        if done.returncode not in status:
            raise SystemExit(f"torture: {words}: status {done.returncode}: {done.stderr.decode()}")
        return done.stdout

    pool.plan.write_csv(pool.csv)
    pool.day_plan.write_csv(pool.day_csv)
    run("import", "csv", pool.csv, "--out", pool.plain)
    run("import", "csv", pool.day_csv, "--out", pool.two_days)
    _record_live(laggard, pool)
    run("system", "discover", pool.plain, "-o", pool.system)
    run("train", pool.plain, "--out", pool.thresholds, "--preset", "quick")
    run("diagnose", pool.plain, "--resume", pool.journal)
    _collect_sa(pool)
    for recording, plan in ((pool.plain, pool.plan), (pool.two_days, pool.day_plan), (pool.wal, None), (pool.closed, None), (pool.again, None)):
        copy = pool.folder / "copy"
        shutil.copytree(recording, copy)
        (pool.folder / f"{recording.name}.export").write_bytes(run("export", copy))
        shutil.rmtree(copy)
        rows = dict(filter(None, map(trial.parse_line, pool.export_of(recording))))
        if plan and rows != plan.rows():
            raise SystemExit(f"torture: the undamaged {recording.name} does not read as it was imported")
    false = [line for line in pool.export_of(pool.again) if not pool.is_true(line)]
    if false or not pool.export_of(pool.wal) < pool.export_of(pool.closed) < pool.export_of(pool.again):
        raise SystemExit(f"torture: the recorder recorded what was not there: {false[:3]}")
    return pool


def _record_live(laggard, pool):
    """Two recorders into one folder, killed when both have a write-ahead log; then once more, to their end."""
    machines = [truth.LiveMachine(pool.folder / "roots" / host, host) for host in LIVE]
    (pool.folder / "began.json").write_text(json.dumps({machine.host: machine.began for machine in machines}))

    def record(out, *more):
        return [subprocess.Popen([laggard, "record", "metrics", "--out", out, "--root", machine.root, "--interval", "100ms", "--flush",
                                  "500ms", *more], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for machine in machines]

    def record_until_killed(out, seconds):
        recorders, began = record(out), time.monotonic()
        while time.monotonic() < began + 20:
            time.sleep(0.2)
            if time.monotonic() > began + seconds and len(list(out.glob("metrics/*-wal"))) == len(LIVE):
                break
        for process in recorders:
            process.send_signal(signal.SIGKILL)
            process.wait()

    record_until_killed(pool.wal, 3)
    shutil.copytree(pool.wal, pool.closed)
    for process in record(pool.closed, "--duration", "1s"):
        process.wait()
    shutil.copytree(pool.closed, pool.again)
    record_until_killed(pool.again, 1.5)
    for machine in machines:
        machine.close()


def _collect_sa(pool):
    """A file of this machine's own sadc, where it is installed."""
    for sadc in ("/usr/lib/sysstat/sadc", "/usr/lib64/sa/sadc"):
        if pathlib.Path(sadc).exists():
            subprocess.run([sadc, "-S", "DISK", "1", "4", str(pool.sa)], check=False, timeout=60, stdout=subprocess.DEVNULL)
