"""Every command under every limit of resources: it does all of its work, or it says in a sentence why it cannot."""
import math
import os
import resource
import shutil
import signal
import subprocess

import truth
from receiver import Receiver
from trial import parse_line

M, K = 1 << 20, 1 << 10


def ladder(low, high, steps):
    return [int(low * math.exp(math.log(high / low) * i / (steps - 1))) for i in range(steps)]


LIMITS = (
    [("AS", value) for value in ladder(20 * M, 800 * M, 24)] +
    [("DATA", value) for value in ladder(M, 256 * M, 16)] +
    [("STACK", value) for value in ladder(16 * K, 8 * M, 10)] +
    [("FSIZE", value) for value in (0, 1, 100, 512, K, 2 * K, 5000, 10_000, 20_000, 40_000, 100_000, M)] +
    [("NOFILE", value) for value in (*range(0, 24), 32)] +
    [("NPROC", value) for value in (0, 1, 2)] +
    [("CPU", value) for value in (0, 1)] + [("CORE", 0), ("MEMLOCK", 0), ("RTTIME", 0), ("MSGQUEUE", 0)] +
    [("disk", value) for value in (4 * K, 8 * K, 12 * K, 16 * K, 24 * K, 32 * K, 48 * K, 64 * K, 128 * K, 512 * K)] +
    [("inodes", value) for value in range(2, 9)] +
    [("stdout full", 1), ("stdout closed", 1), ("stdout a closed pipe", 1), ("stderr full", 2), ("stderr closed", 2), ("stdin closed", 0),
     ("all closed", 3)])

READ_ENOUGH = 141  # How a program ends whose standard output nobody reads any more, as a shell shows SIGPIPE.

OLD = b"what was there before\n" * 100


class Command:
    """Words with OUT for the folder of results, the files and recordings that it makes there, and what its output is held against."""

    def __init__(self, *words, files=(), recording=None, prints=False, prepare=None):
        self.words, self.files, self.recording, self.prints, self.prepare = words, files, recording, prints, prepare


def copy_plain(trial, out):
    shutil.copytree(trial.pool.plain, out / "rec")
    for path in out.rglob("*"):
        path.chmod(0o777)


COMMANDS = {
    "record": Command("record", "metrics", "--out", "OUT/rec", "--root", "ROOT", "--interval", "100ms", "--flush", "100ms", "--duration",
                      "300ms", recording="live"),
    "import csv": Command("import", "csv", "CSV", "--out", "OUT/rec", recording="plain"),
    "import sysstat": Command("import", "sysstat", "SA", "--out", "OUT/rec", recording="sysstat"),
    "train": Command("train", "REC", "--preset", "quick", "--out", "OUT/t.toml", "--html", "OUT/t.html", files=("t.toml", "t.html")),
    "diagnose": Command("diagnose", "REC", prints=True),
    "diagnose --html": Command("diagnose", "REC", "--html", "OUT/d.html", "--json", "OUT/d.json", files=("d.html", "d.json")),
    "diagnose --json -": Command("diagnose", "REC", "--check", "--json", "-", prints=True),
    "diagnose --history": Command("diagnose", "REC", "--history", "OUT/h.csv", files=("h.csv",)),
    "diagnose --resume": Command("diagnose", "REC", "--json", "-", "--resume", "OUT/tape", prints=True),
    "diagnose --threads": Command("diagnose", "REC", "--threads", "8", "--json", "OUT/d.json", files=("d.json",)),
    "export of a killed recorder": Command("export", "WAL", prints=True),
    "export": Command("export", "REC", prints=True),
    "export --out": Command("export", "REC", "--out", "OUT/e.csv", files=("e.csv",)),
    "info": Command("info", "REC", "--devices", "--verify", prints=True),
    "info --json": Command("info", "REC", "--json", prints=True),
    "info --recover": Command("info", "--recover", "OUT/rec", "REC", recording="plain"),
    "send": Command("send", "REC", "--to", "URL", "--position", "OUT/p.json", "--give-up", "2s"),
    "system discover": Command("system", "discover", "REC", prints=True),
    "system discover -o": Command("system", "discover", "REC", "-o", "OUT/s.toml", files=("s.toml",)),
    "system check": Command("system", "check", "SYSTEM", "REC", "--json", "-", prints=True),
    "incident list": Command("incident", "list", "REC", prints=True),
    "incident note": Command("incident", "note", "fs1/sda", "OUT/rec", "--why", "a note", prepare=copy_plain),
}
MATRIX = [(name, limit, value) for name in COMMANDS for limit, value in LIMITS]
# Neighbouring seeds try unlike things, and as many as there are try each once.
STRIDE = next(step for step in range(int(len(MATRIX) * 0.618), 0, -1) if math.gcd(step, len(MATRIX)) == 1)


def words_of(trial, command, out, url):
    pool = trial.pool
    places = {"REC": pool.plain, "WAL": pool.wal, "CSV": pool.csv, "SA": pool.sa, "SYSTEM": pool.system, "URL": url,
              "ROOT": pool.folder / "roots/live1"}
    return [places.get(word, word.replace("OUT", str(out))) for word in command.words]


def mount_small(out, limit, value):
    options = f"size={value},mode=777" if limit == "disk" else f"nr_inodes={value},mode=777"
    return subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(out)], check=False, stderr=subprocess.DEVNULL).returncode == 0


def surroundings(limit, value):
    """Arguments of Popen that set the limit; signals that may end the program."""
    if hasattr(resource, f"RLIMIT_{limit}"):
        number = getattr(resource, f"RLIMIT_{limit}")

        def apply():
            resource.setrlimit(number, (value, max(value, 1) if limit == "CPU" else value))
        how = {"preexec_fn": apply}
        if limit == "NPROC":
            how |= {"user": 65534, "group": 65534, "extra_groups": []}
        return how, (signal.SIGXCPU, signal.SIGKILL) if limit == "CPU" else ()
    if limit in ("stdout full", "stderr full"):
        return {limit.split()[0]: os.open("/dev/full", os.O_WRONLY)}, ()
    if limit == "stdout a closed pipe":
        reading, writing = os.pipe()
        os.close(reading)
        return {"stdout": writing}, (signal.SIGPIPE,)
    closed = {"stdout closed": (1,), "stderr closed": (2,), "stdin closed": (0,), "all closed": (0, 1, 2)}.get(limit, ())
    return {"preexec_fn": lambda: [os.close(fd) for fd in closed]}, ()


def starts_at_all(trial, how):
    """Whether the loader gets as far as main() under the limit; what it says and does is not ours."""
    try:
        return trial.run("--version", judge=False, **{key: value for key, value in how.items() if key != "stdout"}).status == 0
    except (OSError, subprocess.SubprocessError):
        return False


def run(trial):
    name, limit, value = MATRIX[trial.seed * STRIDE % len(MATRIX)]
    command = COMMANDS[name]
    trial.label, trial.note = f"{name} under {limit}", f"{limit} {value}:"
    trial.folder.chmod(0o755)
    out = trial.folder / "out"
    out.mkdir()
    out.chmod(0o777)
    small = limit in ("disk", "inodes")
    if (limit in ("disk", "inodes", "NPROC") and os.getuid() != 0) or (small and not mount_small(out, limit, value)):
        trial.skipped = "needs root"
        return
    if name == "import sysstat" and not trial.pool.sa.exists():
        trial.skipped = "sysstat's sadc is not installed"
        return
    server = Receiver() if name == "send" else None
    try:
        squeeze(trial, command, limit, value, out, server)
    except OSError as error:
        if not small:
            raise
        trial.skipped = f"the disk is too small to prepare the trial ({error.strerror})"
    finally:
        if server:
            server.close()
        if small:
            subprocess.run(["umount", str(out)], check=False)


def squeeze(trial, command, limit, value, out, server):
    reference = reference_of(trial, command)
    how, sent = surroundings(limit, value)
    if hasattr(resource, f"RLIMIT_{limit}") and not starts_at_all(trial, how):
        return
    if command.prepare:
        command.prepare(trial, out)
    old = trial.rng.random() < 0.5 and limit not in ("disk", "inodes") and "discover" not in command.words
    for name in command.files if old else ():
        (out / name).write_bytes(OLD)
        (out / name).chmod(0o666)
    trial.events = 1
    hears = limit not in ("stderr full", "stderr closed", "all closed")
    ends = (READ_ENOUGH,) if limit == "stdout a closed pipe" else ()
    ended = trial.run(*words_of(trial, command, out, server and server.url), sent=sent, hears=hears, ends=ends, **how)
    for handle in ("stdout", "stderr"):
        if isinstance(how.get(handle), int):
            os.close(how[handle])
    if ended.status == 2 and hears and not ("\n" + ended.said()).count("\nlaggard: "):
        trial.find("other", "fails without a sentence", ended.short())
    if "bad_alloc" in ended.said() or "std::" in ended.said() or "what():" in ended.said():
        trial.find("other", "an exception's name for a sentence", ended.short())
    judge_results(trial, command, limit, value, out, ended, reference, server, OLD if old else None)


def judge_results(trial, command, limit, value, out, ended, reference, server, old):
    done = ended.status in (0, 1, READ_ENOUGH)  # Where nobody reads what is printed, all else is done.
    for name in command.files:
        there = (out / name).read_bytes() if (out / name).exists() else None
        if done and there != reference["files"][name]:
            trial.find("silent loss", "says that all is well and has not written its file", f"{name}: {ended.short()}")
        elif there not in (reference["files"][name], old):
            trial.find("half file", "leaves half a file", f"{name}, {len(there or b'')} bytes; {ended.short()}")
    if command.prints and ended.status in (0, 1):
        if limit.startswith(("stdout", "all")):
            trial.find("silent loss", "says that all is well where nothing could be printed", ended.short())
        elif ended.out != reference["out"]:
            trial.find("silent loss", "says that all is well and has not printed all", f"{len(ended.out)} bytes of {len(reference['out'])}")
    if command.recording:
        judge_recording(trial, command, value, out / "rec", ended, reference)
    if server is not None:
        false = [key for key, shown in server.taken.items() if reference["taken"].get(key) != shown]
        if false or server.broken:
            trial.find("wrong value", "the server got what is not in the recording", (false + server.broken)[0])
        if done and len(server.taken) != len(reference["taken"]):
            trial.find("silent loss", "says that all is well and has not sent all", f"{len(server.taken)} of {len(reference['taken'])}")


def judge_recording(trial, command, value, recording, ended, reference):
    if not any(recording.glob("metrics/*.lgd")):
        if ended.status == 0:
            trial.find("silent loss", "says that all is well and has left no recording", ended.short())
        return
    exported = trial.run("export", recording)
    if command.recording == "live":
        rows = filter(None, map(parse_line, exported.lines()))
        false = [key for key, shown in rows if truth.tick_of(key[1], key[3], key[4], shown) is None]
        lost = ended.status == 0 and not exported.lines()
    else:
        false = exported.lines() - reference["lines"]
        lost = ended.status == 0 and reference["lines"] - exported.lines()
    if false:
        trial.find("wrong value", "leaves values that were never there", f"{min(false)}")
    if lost:
        trial.find("silent loss", "says that all is well and has not kept all", ended.short())


def reference_of(trial, command):
    """What the command makes without limits; made once by each worker."""
    if command in _references:
        return _references[command]
    out = trial.folder / "reference"
    out.mkdir()
    server = Receiver() if "send" in command.words else None
    if command.prepare:
        command.prepare(trial, out)
    made = trial.run(*words_of(trial, command, out, server and server.url))
    if made.status not in (0, 1):
        trial.find("other", "cannot be done without limits", made.short())
    _references[command] = {
        "out": made.out, "files": {name: (out / name).read_bytes() for name in command.files},
        "lines": trial.run("export", out / "rec").lines() if command.recording else set(),
        "taken": dict(server.taken) if server else {}}
    if server:
        server.close()
    return _references[command]


_references = {}
