"""Hostile places and names: planted links for temporary files and locks, many writers of one file, names that would command a
terminal."""
import csv
import os
import re
import shutil
import threading

import truth
from trial import PATIENCE_S

WRITERS = 72
VICTIM = b"root:x:0:0:root:/root:/bin/bash\n"
NAMES = ("\x1b[2J\x1b]0;owned\x07", "a\nFORGED: all is well", "a\rFORGED", "nul\0byte", "\x9b2J", "\u202egnp.exe", "../../../etc/x", "/etc/passwd",
         "..", "a,b\"c'd", "-rf", "$(id)", "`id`", "%s%n%n", "<script>alert(1)</script>", "</script><script>alert(1)</script>", "x" * 3000, "a|b*?[c",
         "\u0085next", "\x7fdel", "fs[1-99999999]", "k=v;{}", "é\u0301", "\u2028line")


def outputs_of(trial):
    """Words with OUT for the file that a command writes."""
    pool = trial.pool
    return {
        "html": ["diagnose", pool.plain, "--html", "OUT"], "json": ["diagnose", pool.plain, "--json", "OUT"],
        "history": ["diagnose", pool.plain, "--history", "OUT"], "train": ["train", pool.plain, "--preset", "quick", "--out", "OUT"],
        "export": ["export", pool.plain, "--out", "OUT"], "discover": ["system", "discover", pool.plain, "-o", "OUT", "--force"],
        "system check": ["system", "check", pool.system, "--json", "OUT"],
        "send": ["send", pool.plain, "--to", "http://127.0.0.1:9", "--position", "OUT", "--give-up", "1s"],
        "resume": ["diagnose", pool.plain, "--resume", "OUT"]}


def placed(words, out):
    return [str(out) if word == "OUT" else word for word in words]


def planted(trial):
    """Links to someone's file where a temporary file or a lock would be made: the file they point to stays as it is."""
    name, words = trial.rng.choice(sorted(outputs_of(trial).items()))
    trial.label = f"planted for {name}"
    victim, out = trial.folder / "victim", trial.folder / "out" / "result"
    out.parent.mkdir()
    victim.write_bytes(VICTIM)
    kind = trial.rng.choice(("link", "link", "dangling", "hard", "fifo", "folder"))
    names = [out.name + suffix for suffix in (".new", ".tmp", "~", ".part", "-journal", "-wal", ".lock")]
    for temporary in [out.parent / name for name in names]:
        if kind == "link":
            temporary.symlink_to(victim)
        elif kind == "dangling":
            temporary.symlink_to(trial.folder / "made")
        elif kind == "hard":
            os.link(victim, temporary)
        elif kind == "fifo":
            os.mkfifo(temporary)
        else:
            temporary.mkdir()
    trial.run(*placed(words, out))
    judge_victim(trial, victim, kind)


def judge_victim(trial, victim, kind):
    if victim.read_bytes() != VICTIM:
        trial.find("other", f"writes through a planted {kind}", f"{victim.read_bytes()[:60]!r}")
    if (trial.folder / "made").exists():
        trial.find("other", "makes a file through a planted link", (trial.folder / "made").stat().st_size)


def planted_in_a_recording(trial):
    """The same in a folder of recordings."""
    trial.label = "planted in a recording"
    recording, victim = trial.folder / "rec", trial.folder / "victim"
    shutil.copytree(trial.pool.plain, recording)
    victim.write_bytes(VICTIM)
    victim.chmod(0o644)
    mode = victim.stat().st_mode
    target = trial.rng.choice((victim, trial.folder / "made"))
    for name in ("metrics/.fs1.lock", "metrics/.live1.lock", "ledger.lgl-journal", "ledger.lgl", "sent-127.0.0.1-9.json.new", "laggard.new"):
        (recording / name).symlink_to(target)
    for name in trial.rng.sample(("metrics/fs4-20231114T221320Z.lgd", "metrics/fs4-20231114T221320Z.lgd-wal",
                                  "metrics/fs4-20231114T221320Z.lgd-journal"), 1):
        (recording / name).symlink_to(target)
    text = trial.folder / "more.csv"
    text.write_text(f"{truth.HEADER}\n1700000000,fs4,disk,sda,rd_ios,5\n1700000001,fs1,disk,sdx,rd_ios,6\n")
    trial.run("import", "csv", text, "--out", recording)
    trial.run("record", "metrics", "--out", recording, "--root", trial.pool.folder / "roots/live1", "--interval", "100ms", "--duration", "200ms")
    trial.run("incident", "note", "fs1", recording, "--why", "a note")
    trial.run("send", recording, "--to", "http://127.0.0.1:9", "--give-up", "1s")
    for command in (["diagnose", recording], ["info", recording], ["export", recording]):
        trial.run(*command)
    judge_victim(trial, victim, "link")
    if victim.stat().st_mode != mode:
        trial.find("other", "changes the mode of a planted link's file", oct(victim.stat().st_mode))


def many_writers(trial):
    """Whoever reads the file meanwhile sees all of one writer's, and so it is in the end."""
    pool = trial.pool
    name, words = trial.rng.choice([(name, words) for name, words in sorted(outputs_of(trial).items()) if name not in ("send", "resume")])
    trial.label = f"many writers of {name}"
    others = [pool.two_days if word == pool.plain else word for word in words]
    whole = []
    for i, these in enumerate((words, others)):
        trial.run(*placed(these, trial.folder / f"whole{i}"))
        whole.append((trial.folder / f"whole{i}").read_bytes())
    out = trial.folder / "out" / "result"
    out.parent.mkdir()
    over, torn = threading.Event(), []

    def look():
        while not over.is_set():
            try:
                if (seen := out.read_bytes()) not in whole:
                    torn.append(len(seen))
            except FileNotFoundError:
                pass

    reader = threading.Thread(target=look)
    reader.start()
    writers = [trial.start(*placed((words, others)[i % 2], out)) for i in range(WRITERS)]
    ended = [trial.finish(writer, patience=6 * PATIENCE_S) for writer in writers]
    over.set()
    reader.join()
    trial.events = WRITERS
    if torn:
        trial.find("half file", "a reader sees half a file while it is written", f"{len(torn)} times, {torn[0]} bytes")
    if out.read_bytes() not in whole:
        trial.find("half file", "writers leave a mixture", f"{out.stat().st_size} bytes; whole are {[len(one) for one in whole]}")
    failed = [one for one in ended if one.status not in (0, 1)]
    if failed:
        trial.find("other", "one of many writers fails", f"{len(failed)} of {WRITERS}: {failed[0].short()}")
    if left := [path.name for path in out.parent.iterdir() if path != out]:
        trial.find("other", "many writers leave temporary files", left)


def many_importers(trial):
    """Into one recording: each has it for itself or says that it has not; in the end nothing is missing, nothing there twice."""
    trial.label = "many importers"
    recording = trial.folder / "rec"
    words = ["import", "csv", trial.pool.day_csv, "--out", recording]
    ended = [trial.finish(importer, patience=6 * PATIENCE_S) for importer in [trial.start(*words) for _ in range(12)]]
    trial.events = len(ended)
    trial.run(*words)
    lines = trial.run("export", recording)
    if lines.lines() != trial.pool.export_of(trial.pool.two_days) or lines.out.count(b"\n") - 1 != len(lines.lines()):
        trial.find("silent loss", "many importers leave another recording than one",
                   f"{len(lines.lines())} values, {lines.out.count(10) - 1} lines")
    if not any(one.status == 0 for one in ended):
        trial.find("other", "of many importers none succeeds", ended[0].short())


def many_decisions(trial):
    trial.label = "many decisions"
    recording = trial.folder / "rec"
    shutil.copytree(trial.pool.plain, recording)
    noters = [trial.start("incident", "note", f"fs{i % 3 + 1}", recording, "--why", f"decision {i}.") for i in range(24)]
    ended = [trial.finish(noter, patience=6 * PATIENCE_S) for noter in noters]
    trial.events = len(ended)
    there = trial.run("incident", "list", recording).out.decode("utf-8", "replace")
    lost = [i for i, one in enumerate(ended) if one.status == 0 and f"decision {i}." not in there]
    if lost:
        trial.find("silent loss", "a decision that was kept is not there", f"{lost}; {there[-200:]!r}")
    if failed := [one for one in ended if one.status != 0]:
        trial.find("other", "a decision among many is refused", f"{len(failed)}: {failed[0].short()}")


def judge_text(trial, ended):
    """Beside the control bytes that every trial looks for: lines that names made."""
    if re.search(rb"^FORGED", ended.out + b"\n" + ended.err, re.MULTILINE):
        trial.find("other", f"{ended.argv[1]} prints a line that a name made", ended.argv)


def hostile_names(trial):
    """Imported, recorded and as paths, and through all commands. What `export` prints is data, and comes back as it was."""
    trial.label = "hostile names"
    host, device, counter = (trial.rng.choice(NAMES) for _ in range(3))
    text, recording = trial.folder / "names.csv", trial.folder / trial.rng.choice(("rec", "re\x1b[2Jc", "r\nFORGED", "r\x9b"))
    with text.open("w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(truth.HEADER.split(","))
        for i in range(80):
            for h in (host, "fs1", "fs2"):
                for d in (device, "sda"):
                    writer.writerow((1_700_000_000 + i, h, "disk", d, "rd_ios", 100 * i))
                    writer.writerow((1_700_000_000 + i, h, "disk", d, counter, i + 0.5))
    words = ["import", "csv", text, "--out", recording]
    if host.startswith("\n") or "\n" in host + device + counter:  # A field of this format has no line end: refused, and harmlessly.
        judge_text(trial, trial.run(*words))
        with text.open("a") as out:
            out.write(f"1700000000,{host},disk,{device},rd_ios,5\n")
        judge_text(trial, trial.run(*words))
        return
    judge_text(trial, trial.run(*words))
    everything(trial, recording)
    exported = trial.run("export", recording, judge=False)
    again = trial.folder / "again.csv"
    again.write_bytes(exported.out)
    if exported.status == 0 and exported.out.count(b"\n") > 1:
        copy = trial.folder / "copy"
        judge_text(trial, trial.run("import", "csv", again, "--out", copy))
        if sorted(trial.run("export", copy, judge=False).lines()) != sorted(exported.lines()):
            trial.find("wrong value", "what export prints is not what it was made of when imported", repr((host, device, counter)))


def everything(trial, recording):
    system = trial.folder / "system.toml"
    for words in (["info", recording, "--devices", "--verify"], ["info", recording, "--json"], ["diagnose", recording],
                  ["diagnose", recording, "--json", "-"], ["diagnose", recording, "--html", trial.folder / "d.html"],
                  ["diagnose", recording, "--history", "-"], ["system", "discover", recording, "-o", system], ["system", "check", system, recording],
                  ["incident", "note", "fs1", recording, "--why", "\x1b[2J a\nFORGED note", "--by", "\x1b[31m"], ["incident", "list", recording],
                  ["train", recording, "--preset", "quick", "--out", trial.folder / "t.toml"], ["info", "--recover", trial.folder / "saved", recording],
                  ["send", recording, "--to", "http://127.0.0.1:9", "--give-up", "1s"],
                  ["info", trial.folder / "no\x1b[2Jwhere"], ["diagnose", recording, "--system", trial.folder / "no\nFORGED"]):
        judge_text(trial, trial.run(*words))
    page = trial.folder / "d.html"
    if page.exists() and b"<script>alert" in page.read_bytes():
        trial.find("other", "the page runs what a name says", "")


def hostile_machine(trial):
    """Names that a machine's own files have: the kernel's devices, its host name."""
    trial.label = "hostile machine"
    root = trial.folder / "root"
    for folder in ("proc/net", "proc/sys/kernel/random", "sys/block"):
        (root / folder).mkdir(parents=True)
    name = trial.rng.choice([name for name in NAMES if not re.search(r"[\s/]", name)]).encode().replace(b"\x9b", b"\xc2\x9b")
    raw = trial.rng.choice((b"", b"\xff\xfe", b"\x9b2J", b"\x1b[8m"))
    (root / "proc/diskstats").write_bytes(b"   8 0 " + raw + name + b" 1 2 3 4 5 6 7 8 9 10 11\n   8 1 sdb 1 2 3 4 5 6 7 8 9 10 11\n")
    (root / "proc/net/dev").write_bytes(b"x\ny\n" + raw + name + b": 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\n")
    (root / "proc/sys/kernel/hostname").write_bytes(raw + name + b"\n")
    (root / "proc/sys/kernel/random/boot_id").write_bytes(raw + b"boot\n")
    recording = trial.folder / "rec"
    judge_text(trial, trial.run("record", "metrics", "--out", recording, "--root", root, "--interval", "100ms", "--duration", "300ms"))
    if any(recording.glob("metrics/*.lgd")):
        everything(trial, recording)


def hostile_text(trial):
    """Side files that say something wrong about hostile names: the sentences about them."""
    trial.label = "hostile side file"
    name = trial.rng.choice(NAMES).replace("\0", "\x01")
    path = trial.folder / "side"
    path.write_bytes(trial.rng.choice((
        f"[[servers]]\n{name} = 5\n", f'[[servers]]\nname = "{name}"\n', f"[[servers]]\nname = '{name}['\n", f"{name}\n", f'"{name}" = "x"\n',
        f"time,host,kind,device,counter,{name}\n1,a,b,c,d,e\n", f"{truth.HEADER}\n{name},fs1,disk,sda,rd_ios,5\n",
        f"{truth.HEADER}\n5,fs1,{name},sda,rd_ios,5\n", f"{truth.HEADER}\n5,fs1,disk,sda,rd_ios,{name}\n", f'{{"schema":"{name}"}}')).encode())
    for words in (["system", "check", path], ["diagnose", trial.pool.plain, "--system", path], ["diagnose", trial.pool.plain, "--thresholds", path],
                  ["diagnose", trial.pool.plain, "--rules", path], ["diagnose", trial.pool.plain, "--resume", path],
                  ["diagnose", trial.pool.plain, "--ledger", path], ["import", "csv", path, "--out", trial.folder / "rec"],
                  ["import", "sysstat", path, "--out", trial.folder / "rec"], ["import", "ceph", path, "--osds", path, "--out", trial.folder / "rec"],
                  ["system", "import", "lustre", f"oss1={path}"], ["system", "import", "ceph", path], ["system", "import", "gpfs", path],
                  ["send", trial.pool.plain, "--to", "http://127.0.0.1:9", "--position", path, "--give-up", "1s"],
                  ["diagnose", trial.pool.plain, "--metric", name.replace("\0", "")], ["export", trial.pool.plain, "--metric", name],
                  ["diagnose", trial.pool.plain, "--set", f"{name}=1"], [name], ["export", trial.pool.plain, "--from", name]):
        judge_text(trial, trial.run(*words))


CASES = (planted, hostile_names, planted_in_a_recording, hostile_text, hostile_machine, planted, hostile_names, many_writers, hostile_text,
         many_decisions, hostile_machine, many_importers)


def run(trial):
    trial.events = 1
    CASES[trial.seed % len(CASES)](trial)
