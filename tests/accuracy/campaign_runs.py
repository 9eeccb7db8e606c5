"""Runs of a campaign on the bench: found, packed, unpacked, split into halves, and held against what was said of them.

How right is counted:
  server   the sick servers of a run are those of its truth; a fault of a switch has all servers of that switch. A run is right
           when every one of them is confirmed, or their switch is blamed. A fault of a client has no sick server: to name the
           client, or nobody, is right.
  wrong    a server or client is confirmed (suspected) that is not sick.
  cause    of the confirmed incidents that are about sick servers: wrong when one names a cause that no fault of the run may
           be called and that is not `unknown`; else right when one is right; else unknown. A missed run has no cause.
An incident names the hosts of its components. What is explained or excluded does not count.
"""
import contextlib
import dataclasses
import datetime
import io
import json
import lzma
import pathlib
import tarfile
import tempfile

KEPT = ["truth.json", "system.toml", "metrics"]
KEPT_OF_CEPH = ["ceph-said.jsonl", "ceph-exported.jsonl"]  # Where the file system was that.
ENDING = ".run.tar.xz"
SECOND_HALF = "reported"
FIRST_HALF = "tuned"


@dataclasses.dataclass
class Run:
    name: str
    folder: pathlib.Path
    truth: dict

    @property
    def kinds(self):
        return [fault["fault"] for fault in self.truth["faults"]]

    @property
    def is_control(self):
        return not self.kinds

    @property
    def sick(self):
        return set(self.truth["faulty_servers"])

    @property
    def clients(self):
        return set(self.truth["faulty_clients"])

    @property
    def causes(self):
        return {cause for fault in self.truth["faults"] for cause in fault["causes"]}

    @property
    def strength(self):
        return "+".join(dict.fromkeys(fault["strength"] for fault in self.truth["faults"])) or "–"

    @property
    def lost(self):
        """The larger share of throughput that was lost, by median and by mean; None where nothing was moved before."""
        known = [share for share in (self.truth["throughput"]["lost_median"], self.truth["throughput"]["lost_mean"])
                 if share is not None]
        return max(known, default=None)

    @property
    def system(self):
        return self.folder / "system.toml"


def read_run(name, folder):
    return Run(name, folder, json.loads((folder / "truth.json").read_text()))


def pack(run, target):
    """Writes what `diagnose` reads of a run and its truth as one file, the same bytes for the same run. Returns its size."""
    def bare(member):
        member.mtime, member.uid, member.gid, member.uname, member.gname, member.mode = 0, 0, 0, "", "", 0o644
        if member.isdir():
            member.mode = 0o755
        return member

    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for part in KEPT + [name for name in KEPT_OF_CEPH if (run.folder / name).exists()]:
            path = run.folder / part
            tar.add(path, part, recursive=False, filter=bare)
            for inside in sorted(path.iterdir()) if path.is_dir() else []:
                if not inside.name.endswith((".lock", "-wal", "-shm", "-journal")):
                    tar.add(inside, f"{part}/{inside.name}", filter=bare)
    return write_packed(target, raw.getvalue())


def write_packed(target, raw):
    """As a whole or not at all. Returns the size."""
    target.parent.mkdir(parents=True, exist_ok=True)
    half = target.with_name(target.name + ".half")
    half.write_bytes(lzma.compress(raw, preset=9 | lzma.PRESET_EXTREME))
    half.rename(target)
    return target.stat().st_size


def unpack(packed, folder):
    with tarfile.open(packed, "r:xz") as tar:
        for member in tar.getmembers():
            parts = pathlib.PurePosixPath(member.name).parts
            if parts[0] not in KEPT + KEPT_OF_CEPH or ".." in parts or not (member.isfile() or member.isdir()):
                raise ValueError(f"{packed}: {member.name} does not belong into a packed run")
        tar.extractall(folder)


@contextlib.contextmanager
def campaign(folder):
    """All finished runs in a folder, packed or not, in the order in which they were made."""
    with tempfile.TemporaryDirectory() as name:
        runs = [read_run(truth.parent.name, truth.parent) for truth in folder.glob("*/truth.json")]
        known = {run.name for run in runs}
        for packed in sorted(folder.glob("*" + ENDING)):
            run = packed.name[:-len(ENDING)]
            if run in known:
                continue
            unpack(packed, pathlib.Path(name) / run)
            runs.append(read_run(run, pathlib.Path(name) / run))
        yield sorted(runs, key=lambda run: (run.truth["workload_start"], run.name))


def tuned_kinds(catalogue):
    """Every other kind in alphabetical order, the first one included. No result plays a part."""
    return set(sorted(kind for kind in catalogue if kind != "none")[::2])


def half_of(run, controls, tuned):
    """A run of several kinds is of the tuned half when one of them is; of the controls every other one, in order of name."""
    if run.is_control:
        return FIRST_HALF if sorted(control.name for control in controls).index(run.name) % 2 == 0 else SECOND_HALF
    return FIRST_HALF if set(run.kinds) & tuned else SECOND_HALF


@dataclasses.dataclass
class Outcome:
    """What one method said of one run."""
    named: dict  # Host to the time at which it became faulty, in Unix seconds; None where that is not known.
    found: set
    wrong: set
    suspected: set  # Wrongly, and not confirmed.
    cause: str | None
    said: str
    sick: set
    seconds: float | None  # From the fault to the first sick server that was faulty.

    @property
    def right(self):
        return self.sick <= self.found and not (not self.sick and self.wrong)


def unix_time(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp() if text else None


def hosts_of(incident):
    hosts = {host_of(component) for component in incident["components"]}
    if incident["blame"]["kind"] in ("server", "client"):
        hosts.add(incident["blame"]["name"])
    return hosts


def host_of(component):
    return component.split("/")[0]


def live(diagnosis):
    """Incidents that nothing accounts for."""
    return [i for i in diagnosis["incidents"] if i["status"] not in ("explained", "excluded")]


def confirmed(diagnosis):
    return [i for i in live(diagnosis) if i["state"] == "confirmed"]


def counts(judged):
    """(runs that are right, runs with a fault; runs with somebody wrong, runs). \\param judged  pairs of a run and the servers that
    are named: right is a run where all that are sick are among these, wrong one where a healthy one is among them."""
    sick = [(run, servers) for run, servers in judged if run.sick]
    return (sum(run.sick <= servers for run, servers in sick), len(sick),
            sum(bool(servers - run.sick) for run, servers in judged), len(judged))


def switch_blamed(run, incidents):
    switches = {fault.get("switch") for fault in run.truth["faults"]} - {None}
    return any(i["blame"]["kind"] == "switch" and i["blame"]["name"] in switches for i in incidents)


def cause_of(run, incidents):
    causes = [i["cause"] for i in incidents if hosts_of(i) & run.sick]
    if not causes:
        return None
    if any(cause not in run.causes and cause != "unknown" for cause in causes):
        return "wrong"
    return "right" if any(cause in run.causes for cause in causes) else "unknown"


def outcome_of(run, named, wrong_suspects=frozenset(), cause=None, said=""):
    """Of who was named, and when."""
    found = set(named) & run.sick
    start = run.truth["fault_start"]
    times = [named[host] - start for host in found if named[host] is not None and start is not None]
    return Outcome(named, found, set(named) - run.sick - run.clients, set(wrong_suspects), cause, said, run.sick,
                   min(times, default=None))


def judged(run, diagnosis):
    sure = confirmed(diagnosis)
    named = {}
    for incident in sure:
        at = unix_time(incident["faulty_since"])
        for host in hosts_of(incident):
            named[host] = min((t for t in (named.get(host), at) if t is not None), default=None)
    if switch_blamed(run, sure):
        for host in run.sick:
            named.setdefault(host, None)
    suspects = {host for i in live(diagnosis) if i["state"] == "suspected" for host in hosts_of(i)}
    said = ", ".join(f"{i['blame']['name']} {i['cause']}" for i in sure)
    return outcome_of(run, named, suspects - set(named) - run.sick - run.clients, cause_of(run, sure), said)
