"""One trial: its seed, its folder, what it ran and what it found. A trial judges every program that it runs: a signal that
nobody sent, exit status 3 or a sanitizer's text is a crash, and what does not end in time hangs."""
import dataclasses
import os
import pathlib
import random
import re
import signal
import subprocess
import tempfile
import threading
import time

CATEGORIES = ("wrong value", "silent loss", "crash", "hang", "half file", "other")
PATIENCE_S = 20  # A trial takes tenths of a second; a machine may be busy with others.
SANITIZER = re.compile(rb"(Address|Leak|Thread|UndefinedBehavior)Sanitizer|: runtime error: |terminate called|internal error|LAGGARD_CHECK")
CONTROL = re.compile(rb"[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]")
MOST_OUTPUT = 64 << 20


@dataclasses.dataclass
class Finding:
    """`what` names the failure without the particulars of the trial, so that like ones can be counted together."""
    category: str
    what: str
    detail: str


@dataclasses.dataclass
class Ended:
    argv: list
    status: int  # Negative: the signal that ended it.
    out: bytes
    err: bytes
    hung: bool = False
    most_memory_kb: int = 0
    seconds: float = 0.0

    def lines(self):
        return set(self.out.split(b"\n")[1:]) - {b""}

    def said(self):
        return self.err.decode("utf-8", "replace").strip()

    def short(self):
        return f"status {self.status}, {self.said()[-300:]!r}"


class Hung(Exception):
    """Ends a trial: what hangs once hangs again, and others wait for their turn."""


class Trial:
    def __init__(self, kind, seed, laggard, folder, pool):
        self.kind, self.seed, self.laggard, self.folder, self.pool = kind, seed, str(laggard), pathlib.Path(folder), pool
        self.rng = random.Random(f"{kind}:{seed}")
        self.findings = []
        self.label = kind  # Which of the kind's cases this seed is.
        self.events = 0    # Kills, damages, limits: what the campaign counts.
        self.note = ""     # Particulars that every finding of the trial carries.
        self.skipped = ""  # Why the trial could not be made here.
        self._log, self._running = [], {}  # Popen objects are kept: one that is forgotten is waited for behind our back.

    def find(self, category, what, detail=""):
        assert category in CATEGORIES
        self.findings.append(Finding(category, f"{self.label}: {what}", " ".join(filter(None, (self.note, str(detail))))))

    def start(self, *words, **how):
        """Starts laggard; the caller ends it with `finish`."""
        argv = how.pop("before", []) + [self.laggard, *map(str, words)]
        output = tempfile.TemporaryFile(dir=self.folder)
        how.setdefault("stdin", subprocess.DEVNULL)
        how.setdefault("cwd", self.folder)
        how.setdefault("stderr", subprocess.PIPE)  # A limit on the sizes of files is none on what is said.
        process = subprocess.Popen(argv, stdout=how.pop("stdout", output), **how)
        process.output, process.began, process.said = output, time.monotonic(), []
        process.listener = threading.Thread(target=listen, args=(process,), daemon=True)
        process.listener.start()
        self._running[process.pid] = process
        return process

    def finish(self, process, patience=PATIENCE_S, sent=(), judge=True, hears=True, ends=()):
        """Waits for a started program and judges its end. `sent`: signals that it may die of; `hears`: whether we
        can hear what it says; `ends`: exit statuses that are right here besides 0, 1 and 2."""
        hung, usage = False, None
        deadline = time.monotonic() + patience
        pause = 0.001
        while usage is None:
            pid, status, rusage = os.wait4(process.pid, os.WNOHANG)
            if pid:
                process.returncode = os.waitstatus_to_exitcode(status)
                usage = rusage
            elif time.monotonic() > deadline and not hung:
                hung = True
                os.kill(process.pid, signal.SIGKILL)
            else:
                time.sleep(pause)
                pause = min(pause * 1.5, 0.02)
        self._running.pop(process.pid)
        seconds = time.monotonic() - process.began
        process.listener.join(timeout=5)
        process.output.seek(0)
        out = process.output.read(MOST_OUTPUT)
        process.output.close()
        ended = Ended(process.args, process.returncode, out, b"".join(process.said), hung, usage.ru_maxrss, seconds)
        self._log.append(ended)
        if judge:
            self.judge_end(ended, sent, hears, ends)
        if hung:
            raise Hung
        return ended

    def judge_end(self, ended, sent=(), hears=True, ends=()):
        command = " ".join(word for word in ended.argv[ended.argv.index(self.laggard) + 1:][:2] if not word.startswith(("/", "-")))
        if ended.hung:
            self.find("hang", f"{command} does not end", ended.argv)
        elif ended.status < 0 and -ended.status not in sent:
            self.find("crash", f"{command} dies of {signal.Signals(-ended.status).name}", f"{ended.argv} {ended.short()}")
        elif ended.status == 3 or SANITIZER.search(ended.err):
            self.find("crash", f"{command} ends with status {ended.status}", f"{ended.argv} {ended.short()}")
        elif ended.status not in (0, 1, 2, *ends) and ended.status > 0:
            self.find("other", f"{command} ends with status {ended.status}", f"{ended.argv} {ended.short()}")
        elif ended.status == 2 and hears and not ended.err.strip():
            self.find("other", f"{command} fails without a sentence", ended.argv)
        if (control := CONTROL.search(ended.err)) or (control := CONTROL.search(ended.out)):
            self.find("other", f"{command} prints a control byte", f"{ended.argv} {control[0]!r}")

    def kill(self, process, number=signal.SIGKILL):
        """Sends a signal to a started program, and counts it when the program was still running."""
        if os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
            self.events += 1
        os.kill(process.pid, number)  # Not Popen's own, which would take the resource usage from us.

    def run(self, *words, patience=PATIENCE_S, sent=(), judge=True, hears=True, ends=(), **how):
        return self.finish(self.start(*words, **how), patience, sent, judge, hears, ends)

    def end(self):
        """Ends what a trial that ended early has left running."""
        for pid in self._running:
            try:
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
            except (ProcessLookupError, ChildProcessError):
                pass
        self._running.clear()

    def log(self):
        """What was run, for the folder of a failed trial."""
        text = ""
        for ended in self._log:
            text += f"$ {' '.join(map(str, ended.argv))}\nstatus {ended.status} after {ended.seconds:.2f} s\n"
            text += ended.err.decode("utf-8", "backslashreplace")[:4000] + "\n"
        for finding in self.findings:
            text += f"{finding.category}: {finding.what}: {finding.detail}\n"
        return text


def listen(process):
    """Keeps the beginning of what a program says on standard error, and takes the rest, so that it never waits for us."""
    if process.stderr is None:
        return
    kept = 0
    with process.stderr:
        while data := process.stderr.read1(65536):
            if kept < MOST_OUTPUT:
                process.said.append(data)
                kept += len(data)


def parse_line(line):
    """A line of `laggard export` as ((ns, host, kind, device, counter), value); None when it is none. Names of a known machine
    need no quotes."""
    fields = line.decode("utf-8", "replace").split(",")
    if len(fields) != 6:
        return None
    whole, _, fraction = fields[0].partition(".")
    try:
        return (int(whole) * 10 ** 9 + int((fraction + "0" * 9)[:9]), *fields[1:5]), int(fields[5])
    except ValueError:
        return None
