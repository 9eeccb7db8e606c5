#!/usr/bin/env python3
"""Outputs of the real program: whole or not at all, and never lost without a word.

usage: tests/outputs.py LAGGARD EXAMPLE        laggard-lab lies beside LAGGARD

Standard output that is full, closed or no longer read, of every command; many writers of one file; writers that are killed
or run out of room; links, pipes and files that somebody has planted; modes and owners; outputs that are inputs.
"""
import os
import random
import resource
import signal
import stat
import subprocess
import sys
import tempfile
import time
from pathlib import Path

laggard, example = (os.path.realpath(path) for path in sys.argv[1:3])
lab = os.path.join(os.path.dirname(laggard), "laggard-lab")
root = os.geteuid() == 0
failures = []


def check(holds, what):
    if not holds:
        failures.append(what)
        print("FAILED:", what)


def run(*words, **options):
    """Of laggard, or of laggard-lab when that is the first word."""
    options = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | options
    command = [lab, *words[1:]] if words[0] == "laggard-lab" else [laggard, *words]
    return subprocess.run([*map(str, command)], text=True, timeout=120, **options)


def is_temporary(name):
    return name.startswith(".laggard-") and name.endswith(".new")


def standard_output(folder):
    """Every command that prints: one sentence and status 2, or, where nobody reads any more, silence and 141."""
    (folder / "good.csv").write_text("time,host,kind,device,counter,value\n1795202494,fs1,disk,sda,rd_ios,5\n")
    (folder / "none.osds").write_text("[]\n")
    run("system", "discover", example, "-o", folder / "system.toml")
    run("laggard-lab", "simulate", "--servers", 3, "--clients", 1, "--duration", "60s", "--fault", "none", "-o", folder / "run")
    tree = '{"nodes":[{"id":-2,"name":"fs1","type":"host","children":[0]},{"id":0,"name":"osd.0","type":"osd"}]}'
    (folder / "tree").write_text(tree)
    commands = [
        ["--help"], ["--version"], ["diagnose", "--help"], ["diagnose", "--constants"],
        ["laggard-lab", "simulate", "--constants"], ["info", example], ["info", example, "--json"], ["info", example, "--devices"],
        ["info", "--recover", "NEW", example], ["info", "--recover", "NEW", example, "--json"],
        ["export", example], ["export", example, "--metric", "await"],
        ["diagnose", example], ["diagnose", example, "--json", "-"], ["diagnose", example, "--html", "-"],
        ["diagnose", example, "--history", "-"], ["diagnose", example, "--json", "/dev/stdout"],
        ["diagnose", example, "--html", folder / "page.html"],
        ["train", example, "--out", folder / "thresholds.toml", "--html", folder / "training.html"],
        ["incident", "list", example], ["incident", "list", example, "--json"],
        ["incident", "note", "s2", example, "--why", "a test", "--ledger", folder / "ledger.lgl"],
        ["system", "discover", example], ["system", "discover", example, "-o", folder / "found.toml", "--force"],
        ["system", "check", folder / "system.toml"], ["system", "check", folder / "system.toml", "--json", "-"],
        ["system", "import", "ceph", folder / "tree"],
        ["import", "csv", folder / "good.csv", "--out", folder / "rec"],
        ["import", "csv", folder / "good.csv", "--out", folder / "rec", "--json"],
        ["demo", "--html", folder / "demo.html"],
        ["laggard-lab", "simulate", "--servers", 3, "--clients", 1, "--duration", "60s", "--fault", "none", "-o", "NEW"],
        ["laggard-lab", "simulate", "--scale", "surveyor", "--duration", "1h", "-o", "NEW"],
        ["laggard-lab", "campaign", "--clusters", "pvfs:3/3", "--iterations", 1, "--training", 1, "--workloads", "ddw", "--faults",
         "none", "--json", "-"],
    ]
    for number, words in enumerate(commands):
        name = " ".join(map(str, words)).replace(str(folder) + "/", "").replace(example, "REC")
        program = "laggard-lab" if words[0] == "laggard-lab" else "laggard"
        for where in ("full", "closed", "pipe"):
            new = folder / f"new-{number}-{where}"
            full = [new if word == "NEW" else word for word in words]
            if where == "full":
                with open("/dev/full", "w") as full_device:
                    done = run(*full, stdout=full_device)
                said = f"{program}: cannot write to standard output: No space left on device\n"
            elif where == "closed":
                done = run(*full, stdout=None, preexec_fn=lambda: os.close(1))
                said = f"{program}: cannot write to standard output: Bad file descriptor\n"
            else:
                reading, writing = os.pipe()
                os.close(reading)
                done = run(*full, stdout=writing)
                os.close(writing)
                said = ""
            if "/dev/stdout" in words:
                said = said.replace("cannot write to standard output", "/dev/stdout: cannot write")
            status = 141 if where == "pipe" else 2
            check(done.returncode == status, f"{name}, {where}: status {done.returncode} instead of {status}: {done.stderr}")
            check(done.stderr.endswith(said) and done.stderr.count("\n") - said.count("\n") <= 1,
                  f"{name}, {where}: says {done.stderr!r}")
    for made in ("page.html", "thresholds.toml", "training.html", "found.toml"):
        check((folder / made).exists(), f"{made} is not written when standard output cannot be")


def closed_descriptors(folder):
    """No file of a recording gets the number of a standard descriptor, or a message would be written into it."""
    (folder / "bad.csv").write_text("time,host,kind,device,counter,value\n1795202494,fs1,disk,sda,rd_ios,5\nbad\n")

    def close_all():
        for descriptor in (0, 1, 2):
            os.close(descriptor)

    done = subprocess.run([laggard, "import", "csv", "bad.csv", "--out", "rec"], cwd=folder, preexec_fn=close_all, timeout=60)
    check(done.returncode == 2, f"with all standard descriptors closed: status {done.returncode}")
    sound = run("info", "--verify", folder / "rec")
    check(sound.returncode == 0 and "notice" not in sound.stdout, f"a recording was written over: {sound.stdout}{sound.stderr}")


def many_writers(folder):
    page = folder / "report.html"
    run("diagnose", example, "--html", page)
    whole = page.read_bytes()
    words = [laggard, "diagnose", example, "--html", page]
    writers = [subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) for _ in range(72)]
    for writer in writers:
        said = writer.communicate()[1]
        check(writer.returncode == 0, f"one of many writers: status {writer.returncode}: {said}")
    check(page.read_bytes() == whole, "many writers make another page")
    check(os.listdir(folder) == ["report.html"], f"many writers leave {os.listdir(folder)}")


def killed_writers(folder):
    out = folder / "samples.csv"
    start = time.time()
    run("export", example, "--out", out)
    took = time.time() - start
    whole = out.read_bytes()
    out.write_text("old\n")
    times = random.Random(21)
    replaced = 0
    for _ in range(100):
        writer = subprocess.Popen([laggard, "export", example, "--out", out], stdin=subprocess.DEVNULL)
        time.sleep(times.uniform(0, 1.2 * took))
        writer.send_signal(signal.SIGKILL)
        writer.wait()
        content = out.read_bytes()
        check(content in (b"old\n", whole), f"a killed writer leaves {len(content)} of {len(whole)} bytes")
        replaced += content == whole
        if content == whole:
            out.write_text("old\n")
    left = [name for name in os.listdir(folder) if name != "samples.csv"]
    check(all(map(is_temporary, left)), f"killed writers leave {left}")
    long_ago = time.time() - 3600
    for name in left:
        os.utime(folder / name, (long_ago, long_ago))
    run("export", example, "--out", out)
    check(os.listdir(folder) == ["samples.csv"], f"what killed writers left is not removed: {os.listdir(folder)}")
    print(f"{replaced} of 100 writers were killed too late, {len(left)} left something behind")


def no_room(folder):
    def small():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1024, 1024))

    outputs = {"csv": ["export", example, "--out"], "html": ["diagnose", example, "--html"],
               "json": ["diagnose", example, "--json"]}
    for suffix, words in outputs.items():
        out = folder / f"out.{suffix}"
        out.write_text("old\n")
        done = run(*words, out, preexec_fn=small)
        check(done.returncode == 2 and "File too large" in done.stderr, f"{suffix}: status {done.returncode}: {done.stderr}")
        check(out.read_text() == "old\n", f"{suffix}: without room the old file is gone")
    if root and subprocess.run(["unshare", "-m", "true"], capture_output=True).returncode == 0:
        script = ('mount -t tmpfs -o size=256k none "$1" && cd "$1" && echo old >out.csv && "$2" export "$3" --out out.csv;'
                  'echo "status $?"; ls -A; cat out.csv')
        (folder / "small").mkdir()
        done = subprocess.run(["unshare", "-m", "sh", "-c", script, "sh", folder / "small", laggard, example],
                              capture_output=True, text=True, timeout=60)
        check(done.stdout == "status 2\nout.csv\nold\n", f"on a full disk: {done.stdout}{done.stderr}")
        check(done.stderr == "laggard: out.csv: cannot write: No space left on device\n", f"a full disk is said as {done.stderr}")
    check(not any(map(is_temporary, os.listdir(folder))), f"without room, {os.listdir(folder)} is left behind")


def planted(folder):
    """What somebody else may do in a folder that root writes to."""
    victim = folder / "victim"
    victim.write_text("precious\n")
    (folder / "report.html.new").symlink_to("victim")
    run("diagnose", example, "--html", folder / "report.html")
    check(victim.read_text() == "precious\n", "a planted report.html.new was followed")
    (folder / "good.csv").write_text("time,host,kind,device,counter,value\n1795202494,A,disk,sda,rd_ios,5\n")
    words = ["import", "csv", folder / "good.csv", "--out", folder / "rec"]
    metrics = folder / "rec/metrics"
    metrics.mkdir(parents=True)
    lock = metrics / ".A.lock"

    def link():
        lock.symlink_to(victim)
        return "is a link"

    def dangling():
        lock.symlink_to(folder / "created")
        return "is a link"

    def pipe():
        os.mkfifo(lock)
        return "is no file"

    def second_name():
        os.link(victim, lock)
        return "is a second name of another file"

    def foreign():
        lock.write_text("precious\n")
        os.chown(lock, 65534, 65534)
        return "belongs to user 65534"

    for plant in [link, dangling, pipe, second_name] + [foreign] * root:
        reason = plant()
        done = run(*words)
        said = f"laggard: {lock}: stands where the lock should be and {reason}; remove it\n"
        check(done.returncode == 2 and done.stderr.startswith(said), f"{plant.__name__}: {done.returncode} {done.stderr}")
        check(victim.read_text() == "precious\n" and not (folder / "created").exists(), f"{plant.__name__}: was written through")
        check(os.path.lexists(lock), f"{plant.__name__}: was removed")
        lock.unlink()
    lock.write_text("4711\n")  # Of a laggard that was killed.
    check(run(*words).returncode == 0, "a lock that was left behind keeps others out")
    check(not lock.exists(), "a lock stays")
    for beside in ("-wal", "-shm", "-journal"):
        for file in list(metrics.iterdir()):
            file.unlink()
        (metrics / f"A-20261120T192134Z.lgd{beside}").symlink_to(victim)
        run(*words)
        check(victim.read_text() == "precious\n", f"a planted {beside} was followed")


def kept_as_they_are(folder):
    page = folder / "report.html"
    words = ["diagnose", example, "--html"]
    for mode in (0o600, 0o640):
        page.write_text("old")
        page.chmod(mode)
        if root:
            os.chown(page, 65534, 12)
        run(*words, page)
        now = page.stat()
        check(stat.S_IMODE(now.st_mode) == mode, f"mode {mode:o} became {stat.S_IMODE(now.st_mode):o}")
        check(not root or (now.st_uid, now.st_gid) == (65534, 12), f"owner became {now.st_uid}:{now.st_gid}")
        check(now.st_size > 1000, "the page is not written")
    (folder / "latest.html").symlink_to("report.html")
    (folder / "dangling.html").symlink_to("new.html")
    for link in ("latest.html", "dangling.html"):
        check(run(*words, folder / link).returncode == 0, f"{link} cannot be written")
        check((folder / link).is_symlink() and (folder / link).stat().st_size > 1000, f"{link} is no link any more")
    for mask, mode in ((0o077, 0o600), (0o002, 0o664)):
        for name, command in (("csv", ["export", example, "--out"]), ("html", words)):
            out = folder / f"masked-{mask:o}.{name}"
            run(*command, out, preexec_fn=lambda mask=mask: os.umask(mask))
            check(stat.S_IMODE(out.stat().st_mode) == mode, f"umask {mask:o}: {name} has mode {out.stat().st_mode:o}")
    run("diagnose", example, "--resume", folder / "journal", preexec_fn=lambda: os.umask(0o077))
    check(stat.S_IMODE((folder / "journal").stat().st_mode) == 0o600, "a journal does not heed the umask")
    os.mkfifo(folder / "pipe")
    piped = run("diagnose", example, "--resume", folder / "pipe")
    check("pipe: is no file, which a checkpoint has to be" in piped.stderr, f"a pipe as a checkpoint: {piped.stderr}")
    check(run("export", example, "--out", "/dev/null").returncode == 0, "/dev/null cannot be written")
    check(stat.S_ISCHR(os.stat("/dev/null").st_mode), "/dev/null is no device any more")
    both = folder / "both"
    with open(both, "w") as out:
        run("diagnose", example, "--json", "/dev/stdout", stdout=out)
    text = both.read_text()
    check("laggard.diagnosis/1" in text and text.index("{") > 100, "text and JSON on one descriptor write over each other")
    missing = run(*words, folder / "nowhere/report.html")
    check(missing.returncode == 2 and "there is no folder" in missing.stderr, f"a missing folder: {missing.stderr}")


def inputs(folder):
    run("system", "discover", example, "-o", folder / "system.toml")
    run("train", example, "--out", folder / "thresholds.toml")
    run("laggard-lab", "simulate", "--servers", 3, "--clients", 1, "--duration", "60s", "--fault", "none", "-o", folder / "run")
    run("incident", "note", "s2", example, "--why", "a test", "--ledger", folder / "decisions")
    (folder / "tree").write_text("{}")
    (folder / "same").symlink_to("system.toml")
    recording = next((folder / "run/metrics").glob("*.lgd"))
    kept = {path: path.read_bytes() for path in (folder / "system.toml", folder / "thresholds.toml", folder / "decisions",
                                                 folder / "run/truth.json", folder / "tree", recording)}
    refused = [
        ["export", folder / "run", "--out", recording],
        ["export", folder / "run", "--out", str(recording) + "-wal"],
        ["export", example, "--out", folder / "decisions"],
        ["diagnose", example, "--system", folder / "system.toml", "--html", folder / "system.toml"],
        ["diagnose", example, "--system", folder / "system.toml", "--json", folder / "same"],
        ["diagnose", example, "--thresholds", folder / "thresholds.toml", "--history", folder / "thresholds.toml"],
        ["diagnose", example, "--ledger", folder / "decisions", "--html", folder / "decisions"],
        ["diagnose", example, "--html", folder / "page", "--json", folder / "page"],
        ["diagnose", example, "--html", folder / "page", "--resume", folder / "page"],
        ["train", example, "--system", folder / "system.toml", "--out", folder / "system.toml"],
        ["train", example, "--out", folder / "page", "--html", folder / "../" / folder.name / "page"],
        ["system", "check", folder / "system.toml", "--json", folder / "system.toml"],
        ["system", "import", "ceph", f"h={folder}/tree", "-o", folder / "tree", "--force"],
        ["system", "discover", example, "-o", recording, "--force"],
        ["laggard-lab", "score", folder / "run", "--json", folder / "run/truth.json"],
    ]
    for words in refused:
        done = run(*words)
        name = " ".join(map(str, words))
        check(done.returncode == 2 and done.stderr.count("\n") == 1 and done.stdout == "", f"{name}: {done.stdout}{done.stderr}")
        check("name" in done.stderr, f"{name}: says {done.stderr}")
        for path, content in kept.items():
            check(path.read_bytes() == content, f"{name}: {path} was overwritten")
    check(not (folder / "page").exists(), "something was written before it was refused")
    twice = run("diagnose", example, "--html", "/dev/null", "--json", "/dev/null")
    check(twice.returncode == 0, f"/dev/null twice: {twice.stderr}")


for part in (standard_output, closed_descriptors, many_writers, killed_writers, no_room, planted, kept_as_they_are, inputs):
    start = time.time()
    with tempfile.TemporaryDirectory(prefix="laggard-outputs-") as name:
        part(Path(name))
    print(f"{part.__name__}: {time.time() - start:.1f} s")
if failures:
    sys.exit(f"{len(failures)} failures")
