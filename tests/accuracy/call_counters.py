"""What system calls tell of a run of the bench, in little: the counters that S's five metrics follow from, second by second.

A run is packed into a file NAME.calls.json.xz of its truth.json, its system.toml and what each counter grew by from sample to
sample, of times in µs; unpacked it is a recording of these counters. So a campaign of hundreds of runs fits into a repository.
"""
import csv
import io
import json
import lzma
import subprocess

from campaign_runs import read_run, write_packed

ENDING = ".calls.json.xz"
STORAGE = ["dreads", "dread_ns", "dwrites", "dwrite_ns", "direct_dwrites", "direct_dwrite_ns"]
MESSAGES = ["messages", "message_ns"]
NS_PER_US = 1000


def exported(laggard, recording, counters):
    """Rows of time, host, kind, device, counter and value; none where the recording has no such calls."""
    words = [str(laggard), "export", str(recording), "--counter", ",".join(counters)]
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode != 0 and "there is no counter" in done.stderr:
        return []
    done.check_returncode()
    return list(csv.reader(io.StringIO(done.stdout)))[1:]


def unit_of(counter):
    """What a packed growth is counted in."""
    return NS_PER_US if counter.endswith("_ns") else 1


def growths(rows):
    """{(host, kind, device, counter): [[time, value], [seconds since the one before, growth], ...]} with as few numbers as do."""
    series, last = {}, {}
    for time, *name, value in rows:
        key, now = tuple(name), (int(time), int(value) // unit_of(name[-1]))
        before = last.get(key, (0, 0))
        step = [now[0] - before[0], now[1] - before[1]]
        series.setdefault(key, []).append(step[1] if step[0] == 1 else step)
        last[key] = now
    return series


def pack(laggard, run, target):
    """Writes a run as one file, the same bytes for the same run. Returns its size."""
    rows = exported(laggard, run.folder, STORAGE) + exported(laggard, run.folder, MESSAGES)
    text = json.dumps({"truth": run.truth, "system": run.system.read_text(),
                       "series": [[*key, steps] for key, steps in sorted(growths(rows).items())]}, separators=(",", ":"))
    return write_packed(target, text.encode())


def samples(series):
    for *name, steps in series:
        time = value = 0
        for step in steps:
            seconds, growth = step if isinstance(step, list) else (1, step)
            time, value = time + seconds, value + growth
            yield [time, *name, value * unit_of(name[-1])]


def unpack(laggard, packed, folder):
    """Makes a run of it: truth.json, system.toml and the recording."""
    kept = json.loads(lzma.decompress(packed.read_bytes()))
    folder.mkdir(parents=True)
    (folder / "truth.json").write_text(json.dumps(kept["truth"]))
    (folder / "system.toml").write_text(kept["system"])
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(["time", "host", "kind", "device", "counter", "value"])
    rows.writerows(sorted(samples(kept["series"]), key=lambda row: row[0]))
    subprocess.run([str(laggard), "import", "csv", "-", "--out", str(folder)], input=text.getvalue(), text=True, check=True,
                   capture_output=True)
    return read_run(packed.name.removesuffix(ENDING), folder)


def folders_in(places):
    """Finished runs that are not packed."""
    truths = [truth for place in places for truth in [*place.glob("truth.json"), *place.glob("*/truth.json")]]
    return [read_run(truth.parent.name, truth.parent) for truth in truths if (truth.parent / "events").is_dir()]


def packed_in(places):
    return [packed for place in places for packed in ([place] if place.is_file() else place.glob("*" + ENDING))]


def runs_in(laggard, places, scratch, apart=()):
    """All finished runs of files and folders but those apart, in the order of their names; those that are not packed come as
    recordings of their counters, too, so that packing changes nothing."""
    scratch.mkdir()
    others = {place.resolve() for place in apart}
    packed = {path.name: path for path in packed_in(places) if path.resolve() not in others}
    for run in folders_in(places):
        path = scratch / (run.name + ENDING)
        if path.name not in packed and run.folder.resolve() not in others:
            pack(laggard, run, path)
            packed[path.name] = path
    return [unpack(laggard, path, scratch / name.removesuffix(ENDING)) for name, path in sorted(packed.items())]
