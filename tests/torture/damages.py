"""Damages of recordings and of what lies beside them, and what every command makes of them: nothing that is read may be wrong,
what is missing must be named, nothing may be changed by looking."""
import hashlib
import json
import os
import pathlib
import re
import shutil
import signal
import sqlite3
import stat
import time

import truth
from trial import PATIENCE_S, parse_line

from kinds_of_damage import *

def fingerprint(folder):
    """{name: what it is and holds}"""
    found = {}
    for base, folders, files in os.walk(folder):
        for name in folders + files:
            path = pathlib.Path(base, name)
            seen = path.lstat()
            content = ""
            if stat.S_ISLNK(seen.st_mode):
                content = os.readlink(path)
            elif stat.S_ISREG(seen.st_mode) and seen.st_size < 1 << 30:
                content = hashlib.sha1(path.read_bytes()).hexdigest()
            found[str(path.relative_to(folder))] = (stat.filemode(seen.st_mode), seen.st_size if not stat.S_ISDIR(seen.st_mode) else 0, content)
    return found


def changed(before, after):
    return sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name))


# What the metrics are computed from that are judged without being asked for. A verdict misses nothing when others are lost.
JUDGED = {b"rd_ios", b"wr_ios", b"rd_sectors", b"wr_sectors", b"rd_ms", b"wr_ms", b"dc_ms", b"in_flight", b"rx_bytes", b"tx_bytes"}


def judged(lines, coverage):
    """The values that a verdict depends on: not those of components that it says it cannot compare."""
    not_compared = " ".join(coverage.get("not_comparable", []))

    def counts(line):
        _, host, _, device, counter, _ = line.split(b",")
        return counter in JUDGED and f"{host.decode()}/{device.decode()}" not in re.split("[^\\w/]+", not_compared)
    return set(filter(counts, lines))


def hosts_of(lines):
    return {line.split(b",", 2)[1].decode() for line in lines}


class Judge:
    """Holds what the commands say of a damaged recording against what was in it."""

    def __init__(self, trial, recording, intact):
        self.trial, self.recording, self.intact = trial, recording, intact

    def missing_from(self, lines, whose):
        """Finds wrong values, and gives the lines that are not there any more."""
        false = [line for line in lines - self.intact if not self.trial.pool.is_true(line)]
        if false:
            example = false[0].decode("utf-8", "replace")
            self.trial.find("wrong value", f"{whose} gives values that were never there", f"{len(false)}, such as {example}")
        return self.intact - lines

    def expect_named(self, lost, text, whose):
        """A loss is named by the host it is of, which is part of its files' names too."""
        silent = [host for host in sorted(hosts_of(lost)) if host not in text.replace(str(self.recording), "")]
        if silent:
            self.trial.find("silent loss", f"{whose} does not name what is lost", f"{len(lost)} values of {silent}; it says {text[-300:]!r}")


def json_of(trial, ended, whose):
    try:
        return json.loads(ended.out)
    except ValueError:
        trial.find("other", f"{whose} is no JSON", ended.short())
        return {}


def judge_check(trial, judge, lost, how):
    """`diagnose --check` must not pass where values that it judges are lost, and must end as its verdict says, for a reason."""
    checked = trial.run("diagnose", judge.recording, "--check", "--json", "-", ends=(NOT_JUDGED,), **how)
    if checked.status not in ENDS.values():
        return
    said = json_of(trial, checked, "diagnose --json")
    coverage = said.get("coverage", {})
    unjudged = judged(lost, coverage)
    # That a recorder was stopped says nothing of what is lost.
    losses = [sentence for sentence in coverage.get("missing", []) if not sentence.endswith("(recorder stopped)")]
    judge.expect_named(unjudged, " ".join(losses), "diagnose --json")
    if unjudged and checked.status == 0:
        trial.find("silent loss", "diagnose --check passes where values are lost", f"{len(unjudged)}; coverage {coverage.get('missing')}")
    if checked.status != ENDS.get(said.get("verdict")):
        trial.find("other", f"diagnose --check ends with {checked.status} and says {said.get('verdict')}", coverage)
    if checked.status == NOT_JUDGED and not said.get("not_judged"):
        trial.find("other", "diagnose --check does not say why nothing was judged", coverage)
    if coverage.get("partial") and checked.status == ENDS["well"]:
        trial.find("other", "diagnose --check passes where it says that files are damaged", coverage)


def read_everything(trial, recording, intact, before=(), sound=False):
    """Runs every reading command on a damaged recording. `sound`: nothing may be lost at all."""
    judge = Judge(trial, recording, intact)
    look = fingerprint(recording)
    how = {"before": list(before)} if before else {}
    exported = trial.run("export", recording, **how)
    lost = judge.missing_from(exported.lines(), "export")
    if exported.status == 0:
        judge.expect_named(lost, exported.said(), "export")
    if lost and sound:
        trial.find("silent loss", "values of a sound recording are not read", f"{len(lost)}; {exported.short()}")
    trial.run("info", recording, **how)
    verified = trial.run("info", "--verify", "--json", recording, **how)
    if verified.status == 0:
        judge.expect_named(lost, verified.said() + " ".join(json_of(trial, verified, "info --json").get("notices", [])), "info --verify")
    judge_check(trial, judge, lost, how)
    out = trial.folder / "out" / "saved"
    saved = trial.run("info", "--recover", out, "--json", recording, **how)
    if saved.status == 0:
        said = json_of(trial, saved, "info --recover --json")
        rescued = trial.run("export", out, **how)
        still = judge.missing_from(rescued.lines(), "info --recover") if rescued.status == 0 else intact
        if rescued.status != 0 and intact and (said.get("values") or not said.get("damaged_files")):
            trial.find("half file", "what info --recover saved cannot be read", rescued.short())
        if still and not said.get("lost") and not said.get("damaged_files"):
            trial.find("silent loss", "info --recover does not say that something is lost", f"{len(still)} values")
        if len(lost) < len(still):
            judge.expect_named(still - lost, " ".join(said.get("lost", [])) + saved.said(), "info --recover, which saves less than is read,")
    elif saved.status == 2 and out.exists() and any(out.rglob("*.lgd")):
        trial.find("half file", "info --recover fails and leaves a recording behind", saved.short())
    difference = changed(look, fingerprint(recording))
    if difference:
        kinds = sorted({name.rpartition(".lgd")[2] or "itself" for name in difference})
        trial.find("other", f"looking changes the recording ({', '.join(kinds)})", difference)


def copy_of(trial, *recordings):
    """A recording of copies, below a folder that everybody may write to."""
    trial.folder.chmod(0o755)
    (trial.folder / "out").mkdir()
    (trial.folder / "out").chmod(0o777)
    recording = trial.folder / "rec"
    intact = set()
    for source in recordings:
        shutil.copytree(source, recording, dirs_exist_ok=True, ignore=shutil.ignore_patterns("*.lock"))
        intact |= trial.pool.export_of(source)
    return recording, intact


def damage_one_file(trial, damage):
    pool = trial.pool
    recording, intact = copy_of(trial, *trial.rng.choice(((pool.plain,), (pool.two_days,), (pool.closed,), (pool.plain, pool.closed))))
    for _ in range(1 if damage in (renamed_host, renamed_day, renamed_to_nonsense) else trial.rng.choice((1, 1, 1, 2))):
        files = [path for path in sorted(recording.glob("metrics/*.lgd")) if path.is_file()]
        try:
            damage(trial, trial.rng.choice(files))
        except sqlite3.DatabaseError:
            pass  # Damaged twice, and the first time so that SQLite cannot do it again.
    read_everything(trial, recording, intact)


def damage_with_log(trial, damage):
    pool = trial.pool
    sources = ((pool.again,),) if damage is old_file_under_new_log else ((pool.wal,), (pool.wal, pool.plain), (pool.again,))
    recording, intact = copy_of(trial, *trial.rng.choice(sources))
    path = trial.rng.choice(sorted(recording.glob("metrics/live*.lgd")))
    damage(trial, path)
    if damage is stale_log_beside_finished_file:
        intact |= {line for line in pool.export_of(pool.closed) if hosts_of([line]) == {path.name.split("-")[0]}}
    read_everything(trial, recording, intact, sound=damage in (index_removed, index_garbage, index_one_bit))


def denied_access(trial, damage):
    pool = trial.pool
    recording, intact = copy_of(trial, *trial.rng.choice(((pool.wal,), (pool.wal, pool.plain), (pool.plain,))))
    try:
        before = damage(trial, recording)
        sound = damage in (index_of_someone_else, folder_read_only, read_only_mount)
        read_everything(trial, recording, intact, before, sound=sound)
    finally:
        if damage is read_only_mount:
            os.system(f"umount '{recording}' 2>/dev/null")


def copied_live(trial, _):
    """A file and its log are copied one after the other while the recorder writes, as backups do."""
    machine = truth.LiveMachine(trial.folder / "root", "live1")
    try:
        recorder = trial.start("record", "metrics", "--out", trial.folder / "REC", "--root", machine.root, "--interval", "100ms",
                               "--flush", "100ms")
        deadline = time.monotonic() + PATIENCE_S  # A busy machine may take seconds to start it.
        while time.monotonic() < deadline and not any((trial.folder / "REC/metrics").glob("live1*.lgd")):
            time.sleep(0.05)
        time.sleep(0.4 + trial.rng.random())
        copy = trial.folder / "copy" / "metrics"
        copy.mkdir(parents=True)
        names = sorted((trial.folder / "REC/metrics").glob("live1*.lgd*"))
        trial.rng.shuffle(names)
        for name in names[trial.rng.choice((0, 0, 1)):]:
            shutil.copyfile(name, copy / name.name)
            time.sleep(trial.rng.choice((0, 0.15)))
        trial.kill(recorder, signal.SIGTERM)
        trial.finish(recorder)
        for recording in (copy.parent, trial.folder / "REC"):
            exported = trial.run("export", recording)
            rows = dict(filter(None, map(parse_line, exported.lines())))
            for sentence in truth.judge("live1", machine.began, rows)[:1]:
                trial.find("wrong value", "export of a copy of a file that was being written", sentence)
            trial.run("info", "--verify", recording)
            trial.run("diagnose", recording, "--check", ends=(NOT_JUDGED,))
    finally:
        machine.close()


def beside(trial, _):
    """A damaged file beside the recording: the answer is that of the intact one, or a refusal."""
    recording, _ = copy_of(trial, trial.pool.plain)
    which = trial.rng.choice(("ledger", "journal", "thresholds", "system", "position"))
    trial.label = f"damaged {which}"
    words, path = _beside_words(trial, which, recording)
    if which == "ledger":
        for subject in ("fs1/sda", "fs2"):
            trial.run("incident", "note", subject, recording, "--why", "a note")
    sound = trial.run(*words) if which in ("ledger", "journal") else None
    trial.rng.choice((emptied, one_byte, cut_anywhere, one_bit, ten_bits, inserted_bytes, appended_bytes, zero_tail, header_overwritten,
                      text_instead, a_folder, a_fifo, a_loop, a_device,
                      *(hot_journal_planted, journal_of_another_kind) * (which == "ledger")))(trial, path)
    ended = trial.run(*words)
    if sound and ended.status in (0, 1) and ended.out != sound.out:
        trial.find("wrong value", "another answer than from the undamaged file", ended.short())


def _beside_words(trial, which, recording):
    path = trial.folder / f"damaged.{which}"
    if which == "ledger":
        return ["incident", "list", recording], recording / "ledger.lgl"
    if which == "position":
        path.write_text(json.dumps({"schema": "laggard.position/1", "server": "http://127.0.0.1:9", "streams": [
            {"host": "fs1", "kind": "disk", "acknowledged_ms": 1_700_000_000_000}]}))
        return ["send", recording, "--to", "http://127.0.0.1:9", "--position", path, "--give-up", "1s"], path
    shutil.copyfile({"journal": trial.pool.journal, "thresholds": trial.pool.thresholds, "system": trial.pool.system}[which], path)
    if which == "journal":
        return ["diagnose", trial.pool.plain, "--resume", path, "--json", "-"], path
    return ["diagnose", recording, f"--{which}", path, "--json", "-"], path


CASES = ([(damage_one_file, damage) for damage in ONE_FILE] + [(damage_with_log, damage) for damage in WITH_LOG] +
         [(denied_access, damage) for damage in ACCESS] + [(copied_live, copied_live), (beside, beside), (beside, beside)])


def run(trial):
    case, damage = CASES[trial.seed % len(CASES)]
    trial.label = damage.__name__.replace("_", " ")
    try:
        case(trial, damage)
    except Skip as why:
        trial.skipped = str(why)
    trial.events = 1
