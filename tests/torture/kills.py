"""Kills, at any moment: what was promised to be on the disk is there, what is run again ends as if nobody had been killed, and no
file is there by half."""
import calendar
import json
import os
import re
import shutil
import signal
import sqlite3
import time

import truth
from damages import read_everything
from receiver import Receiver
from trial import parse_line

# What a killed program may leave behind beside its results: recognisable by its name, and taken away or used by the next run.
LEFT_BEHIND = re.compile(r"(\.new|\.tmp|\.part|\.partial|~|-wal|-shm|-journal|\.lock)$|^\.|\.new-|\.tmp[.-]|\.new\.")
ENDS = (signal.SIGKILL,) * 6 + (signal.SIGTERM,) * 2 + (signal.SIGINT,) * 2


def wait_for_change(trial, process, watched):
    """Until something in the watched folder is made, written or renamed, for the first time or a later one: results are written
    in a small part of the time, and that is when a kill hurts. Ends with the program, too."""
    def look():
        seen = []
        for path in sorted(watched.rglob("*")):
            try:
                seen.append((path, path.lstat().st_mtime_ns, path.lstat().st_size))
            except FileNotFoundError:
                pass
        return seen

    before, left = look(), trial.rng.choice((1, 1, 2, 3, 5))
    while left and os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
        now = look()
        left -= now != before
        before = now


def disturb(trial, process, seconds, watched=None, most_s=20):
    """Lets it run for so long or until it writes, perhaps stopped for a while, and ends it by a signal. Gives the signal and the
    end."""
    rng = trial.rng
    if watched and rng.random() < 0.5:
        wait_for_change(trial, process, watched)
        time.sleep(rng.choice((0, 0.001, 0.005)) * rng.random())
    elif rng.random() < 0.15:
        time.sleep(seconds / 2)
        os.kill(process.pid, signal.SIGSTOP)
        time.sleep(rng.random() * 0.2)
        os.kill(process.pid, signal.SIGCONT)
        time.sleep(seconds / 2)
    else:
        time.sleep(seconds)
    end = rng.choice(ENDS)
    trial.kill(process, end)
    return end, trial.finish(process, patience=most_s, sent=(end,))


def undisturbed_seconds(trial, key, run):
    """How long a command takes; measured once by each worker."""
    if key not in _durations:
        began = time.monotonic()
        run()
        _durations[key] = time.monotonic() - began
    return _durations[key]


_durations = {}


def judge_names(trial, folder, expected):
    """Names in a folder of results that nobody would recognise."""
    odd = [str(path.relative_to(folder)) for path in folder.rglob("*")
           if path.is_file() and str(path.relative_to(folder)) not in expected and not LEFT_BEHIND.search(path.name)]
    if odd:
        trial.find("half file", "something unrecognisable is left behind", odd)


# The recorder.

def recorder(trial, _):
    """Recorders of two hosts into one folder, killed and started again, sometimes after a reboot of the machine."""
    rng = trial.rng
    machines = [truth.LiveMachine(trial.folder / host, host) for host in ("live1", "live2")[:rng.choice((1, 2))]]
    recording = trial.folder / "rec"
    flush_s = rng.choice((0.1, 0.2, 0.5))
    seen, ends = set(), []
    try:
        for _ in range(rng.choice((1, 2, 3))):
            running = [trial.start("record", "metrics", "--out", recording, "--root", machine.root, "--interval", "100ms", "--flush",
                                   f"{int(flush_s * 1000)}ms") for machine in machines]
            pause = rng.uniform(0.05, 1.5)
            if rng.random() < 0.3 and pause > 0.5:
                time.sleep(pause / 2)
                if any(recording.glob("metrics/*.lgd")):
                    seen |= trial.run("export", recording).lines()
                pause /= 2
            time.sleep(pause)
            for machine, process in zip(machines, running):
                end, ended = disturb(trial, process, rng.choice((0, rng.random() * 0.1)))
                ends.append((machine.host, time.time(), ended))
                if end != signal.SIGKILL and ended.status not in (0, -end):
                    trial.find("other", f"a recorder that is told to end ends with {ended.status}", ended.short())
            if rng.random() < 0.3:
                for machine in machines:
                    machine.reboot(f"boot-{rng.random()}")
        judge_recorded(trial, recording, machines, seen, ends, flush_s)
    finally:
        for machine in machines:
            machine.close()


def judge_recorded(trial, recording, machines, seen, ends, flush_s):
    if not any(recording.glob("metrics/*.lgd")):
        return  # Killed before the first flush.
    exported = trial.run("export", recording)
    lines = exported.lines()
    rows = dict(filter(None, map(parse_line, lines)))
    for machine in machines:
        for sentence in truth.judge(machine.host, machine.began, rows)[:1]:
            trial.find("wrong value", "a recorder's value is not the machine's", sentence)
    if seen - lines:
        trial.find("silent loss", "what a reader had seen is gone after a kill", f"{len(seen - lines)} values")
    times = {machine.host: sorted({key[0] / 1e9 for key in rows if key[1] == machine.host}) for machine in machines}
    # Two intervals and a busy machine's delay, beside what a flush may lose.
    for host, at, ended in ends:
        promised = at - flush_s - 0.2 - truth.LiveMachine.SLACK_S
        began = at - ended.seconds + truth.LiveMachine.SLACK_S
        if promised > began and not any(began <= t <= at for t in times[host]):
            trial.find("silent loss", "a kill cost more than a flush", f"{host}: nothing from {began} to {promised}")
    info = trial.run("info", "--json", "--verify", recording)
    if info.status == 0:
        said = json.loads(info.out)
        named = [(gap["host"], parse_iso(gap["from"]), parse_iso(gap["to"])) for gap in said["gaps"]]
        for host, of in times.items():
            for a, b in zip(of, of[1:]):
                if b - a > 0.45 and not any(gap[0] == host and gap[1] <= a + 0.2 and gap[2] >= b - 0.2 for gap in named):
                    trial.find("silent loss", "a gap between samples is not named", f"{host}: {a} to {b}; {named}")
    judge_names(trial, recording, {str(path.relative_to(recording)) for path in recording.glob("metrics/*.lgd")})


def parse_iso(text):
    """2026-11-23T19:27:57.100536Z, to nanoseconds, as Unix seconds."""
    whole, _, fraction = text.rstrip("Z").partition(".")
    return calendar.timegm(time.strptime(whole, "%Y-%m-%dT%H:%M:%S")) + (float("0." + fraction) if fraction else 0.0)


# Importers.

def importer(trial, words, intact):
    recording = trial.folder / "rec"
    took = undisturbed_seconds(trial, words[1], lambda: trial.run(*words, "--out", trial.folder / "once"))
    shutil.rmtree(trial.folder / "once", ignore_errors=True)
    for _ in range(trial.rng.choice((1, 1, 2, 3))):
        disturb(trial, trial.start(*words, "--out", recording), trial.rng.random() * 1.1 * took, trial.folder)
    if any(recording.glob("metrics/*.lgd")) and trial.rng.random() < 0.5:
        between = trial.run("export", recording)
        false = between.lines() - intact
        if false:
            trial.find("wrong value", "a killed import has values that were not imported", f"{len(false)}: {min(false)}")
    again = trial.run(*words, "--out", recording)
    if again.status != 0:
        trial.find("other", "an import that was killed cannot be run again", again.short())
        return
    exported = trial.run("export", recording)
    lines = exported.lines()
    if lines - intact:
        trial.find("wrong value", "an import run again has values that were not imported", min(lines - intact))
    if intact - lines:
        trial.find("silent loss", "an import that was killed is not made whole by running it again", f"{len(intact - lines)} values")
    if len(lines) != exported.out.count(b"\n") - 1:
        trial.find("wrong value", "an import run again has samples twice", f"{exported.out.count(10) - 1 - len(lines)}")
    judge_names(trial, recording, {str(path.relative_to(recording)) for path in recording.glob("metrics/*.lgd")})


def import_csv(trial, _):
    csv, recording = trial.rng.choice(((trial.pool.csv, trial.pool.plain), (trial.pool.day_csv, trial.pool.two_days)))
    importer(trial, ["import", "csv", csv], trial.pool.export_of(recording))


def import_sysstat(trial, _):
    if not trial.pool.sa.exists():
        trial.skipped = "sysstat's sadc is not installed"
        return
    words = ["import", "sysstat", trial.pool.sa, "--host", "fs1"]
    whole = trial.folder / "whole"
    trial.run(*words, "--out", whole)
    importer(trial, words, trial.run("export", whole).lines())


# Commands that write one file.

def one_file(trial, name):
    """A file of results is the old one or the new one, and the command can be run again."""
    words, shared = FILES[name](trial)
    out = trial.folder / "out"
    for folder in ("whole", "out"):
        (trial.folder / folder).mkdir(exist_ok=True)
    key = (name,)
    reference = _references.get(key)
    began = time.monotonic()
    if reference is None or shared:
        made = trial.run(*[str(word).replace("OUT", str(trial.folder / "whole" / "result")) for word in words])
        _durations[name] = time.monotonic() - began
        if made.status not in (0, 1):
            trial.find("other", "cannot be made at all", made.short())
            return
        reference = _references[key] = (trial.folder / "whole" / "result").read_bytes()
    old = b"what was there before\n" * 1000
    here = [str(word).replace("OUT", str(out / "result")) for word in words]
    with_old = trial.rng.random() < 0.6 and name not in ("resume", "discover")
    if with_old:
        (out / "result").write_bytes(old)
    for _ in range(trial.rng.choice((1, 2))):
        disturb(trial, trial.start(*here), trial.rng.random() * 1.1 * _durations[name], out)
        there = (out / "result").read_bytes() if (out / "result").exists() else None
        allowed = (reference, old) if with_old else (reference, None)
        if name != "resume" and there not in allowed:
            trial.find("half file", "a kill leaves a file that is neither the old nor the new one",
                       f"{len(there) if there is not None else None} bytes of {len(reference)}")
            break
    again = trial.run(*here)
    if name == "discover" and (out / "result").exists() and again.status == 2:
        again = trial.run(*here, "--force")
    if again.status not in (0, 1):
        trial.find("other", "cannot be run again after a kill", again.short())
    elif (out / "result").read_bytes() != reference:
        trial.find("wrong value", "another result after a kill", f"{(out / 'result').stat().st_size} bytes of {len(reference)}")
    judge_names(trial, out, {"result"})
    if name == "resume":
        (trial.folder / "judged").write_bytes(again.out)


_references = {}


def commands(*words):
    return lambda trial: ([trial.pool.plain if word == "REC" else word for word in words], False)


FILES = {
    "html": commands("diagnose", "REC", "--html", "OUT"),
    "json": commands("diagnose", "REC", "--json", "OUT"),
    "resume": commands("diagnose", "REC", "--resume", "OUT", "--json", "-"),
    "history": commands("diagnose", "REC", "--history", "OUT"),
    "thresholds": commands("train", "REC", "--preset", "quick", "--out", "OUT"),
    "training page": lambda trial: (["train", trial.pool.plain, "--preset", "quick", "--out", trial.folder / "t.toml", "--html", "OUT"], False),
    "export": commands("export", "REC", "--out", "OUT"),
    "export of a metric": commands("export", "REC", "--metric", "rd_sec", "--out", "OUT"),
    "discover": commands("system", "discover", "REC", "-o", "OUT"),
    "system check": lambda trial: (["system", "check", trial.pool.system, "--json", "OUT"], False),
}


# The others.

def sender(trial, _):
    """Killed senders, run again to the end: the server has every sample once or twice, and each right."""
    took = undisturbed_seconds(trial, "send", lambda: _reference_samples(trial))
    whole = _references["send"]
    server = Receiver(trial.rng.choice((0, 0, 0.01)))
    try:
        position = trial.folder / "position.json"
        words = ["send", trial.pool.two_days, "--to", server.url, "--position", position, "--batch", trial.rng.choice((50, 300, 2000))]
        for _ in range(trial.rng.choice((1, 2, 3))):
            disturb(trial, trial.start(*words), trial.rng.random() * 1.5 * took, trial.folder)
            if position.exists():
                try:
                    json.loads(position.read_text())
                except ValueError:
                    trial.find("half file", "a killed sender leaves half a file of positions", position.read_text()[:100])
        again = trial.run(*words)
        if again.status != 0:
            trial.find("other", "a sender cannot be run again after a kill", again.short())
        elif whole.keys() - server.taken.keys():
            trial.find("silent loss", "samples never reached the server", f"{len(whole.keys() - server.taken.keys())} of {len(whole)}")
        if server.conflicts or server.broken or any(whole.get(key) != value for key, value in server.taken.items()):
            trial.find("wrong value", "the server got what is not in the recording", (server.conflicts + server.broken)[:1])
        judge_names(trial, trial.folder, {"position.json"})
    finally:
        server.close()


def _reference_samples(trial):
    server = Receiver()
    trial.run("send", trial.pool.two_days, "--to", server.url, "--position", trial.folder / "whole.json.new")
    _references["send"] = dict(server.taken)
    server.close()
    expected = {(host, device, ms) for ns, host, _, device, _ in trial.pool.day_plan.rows() for ms in [ns // 10 ** 6]}
    got = {(dict(labels)["instance"], dict(labels)["device"], ms) for labels, ms in _references["send"]}
    if expected != got or len(_references["send"]) != len(trial.pool.day_plan.rows()):
        trial.find("silent loss", "an undisturbed sender does not send everything", f"{len(got)} of {len(expected)}")


def ledger(trial, _):
    """A decision whose command returned is there for ever; one whose command was killed is there or not."""
    recording = trial.folder / "rec"
    shutil.copytree(trial.pool.plain, recording)
    kept, tried = [], []
    took = undisturbed_seconds(trial, "ledger", lambda: trial.run("incident", "note", "fs1", recording, "--why", "first"))
    for i in range(6):
        words = ["incident", trial.rng.choice(("note", "exclude", "repair")), f"fs{i % 3 + 1}/sda", recording, "--why", f"decision {i}"]
        if trial.rng.random() < 0.5:
            if trial.run(*words).status == 0:
                kept.append(f"decision {i}")
            else:
                trial.find("other", "no decision can be added after a kill", trial._log[-1].short())
        else:
            _, ended = disturb(trial, trial.start(*words), trial.rng.random() * 1.2 * took, recording)
            (kept if ended.status == 0 else tried).append(f"decision {i}")
    trial.run("diagnose", recording)
    base = sqlite3.connect(recording / "ledger.lgl")
    try:
        there = [why for (why,) in base.execute("select why from decision")]
    except sqlite3.DatabaseError as error:
        trial.find("half file", "a kill leaves a ledger that cannot be read", error)
        return
    finally:
        base.close()
    if set(kept) - set(there):
        trial.find("silent loss", "a decision that was kept is gone", set(kept) - set(there))
    if set(there) - set(kept) - set(tried) - {"first"} or len(set(there)) != len(there):
        trial.find("wrong value", "the ledger has decisions that nobody made", there)


def recovery(trial, _):
    """A killed recovery leaves nothing that passes for the whole, and can be run again into another folder."""
    source = trial.folder / "rec"
    shutil.copytree(trial.pool.plain, source)
    victim = sorted(source.glob("metrics/*.lgd"))[0]
    victim.write_bytes(bytes(1024) + victim.read_bytes()[1024:])
    took = undisturbed_seconds(trial, "recover", lambda: trial.run("info", "--recover", trial.folder / "once", source))
    out = trial.folder / "out"
    _, ended = disturb(trial, trial.start("info", "--recover", out, source), trial.rng.random() * 1.1 * took, trial.folder)
    intact = trial.pool.export_of(trial.pool.plain)
    if ended.status != 0 and any(out.glob("metrics/*.lgd")):
        saved = trial.run("export", out)
        if saved.lines() - intact:
            trial.find("wrong value", "a killed recovery has values that were never there", len(saved.lines() - intact))
    again = trial.run("info", "--recover", out, source)
    if again.status != 0:
        again = trial.run("info", "--recover", trial.folder / "other", source)
    if again.status != 0:
        trial.find("other", "a recovery cannot be run again after a kill", again.short())


def killed_then_read(trial, _):
    """A recording whose recorder is killed is read by every command beside a recorder that goes on."""
    machine = truth.LiveMachine(trial.folder / "root", "live1")
    words = ["record", "metrics", "--out", trial.folder / "rec", "--root", machine.root, "--interval", "100ms", "--flush", "100ms"]
    try:
        process = trial.start(*words)
        time.sleep(trial.rng.uniform(0.5, 1.2))
        trial.kill(process)
        trial.finish(process, sent=(signal.SIGKILL,))
        if not any((trial.folder / "rec").glob("metrics/*.lgd")):
            return
        copy = trial.folder / "copy"
        shutil.copytree(trial.folder / "rec", copy)
        before = trial.run("export", copy).lines()
        rows = dict(filter(None, map(parse_line, before)))
        for sentence in truth.judge("live1", machine.began, rows)[:1]:
            trial.find("wrong value", "a killed recorder's value is not the machine's", sentence)
        (trial.folder / "out").mkdir()
        read_everything(trial, trial.folder / "rec", before, sound=True)
    finally:
        machine.close()


CASES = ([(recorder, "recorder")] * 6 + [(import_csv, "import csv")] * 3 + [(import_sysstat, "import sysstat"), (sender, "send"),
         (sender, "send"), (ledger, "incident"), (recovery, "info --recover"), (killed_then_read, "read after a kill")] +
         [(one_file, name) for name in FILES] + [(one_file, "resume"), (one_file, "json")])


def run(trial):
    case, trial.label = CASES[trial.seed % len(CASES)]
    case(trial, trial.label)
