"""What an operator with a dashboard would do: per metric, alarm whoever is far off its peers for some samples in a row.

A member x is off when |x - median| > 3 x 1.4826 MAD of all members at that second, in the metric's bad direction, and
by at least the metric's noise floor (that of laggard's catalogue, so that a link that is idle on all but one server
alarms nobody). It is alarmed when it is off for `run_length` successive seconds. Per metric that is the smallest number
that alarms nobody on the fault-free runs it is chosen on, of 3 to 60; a metric that alarms even at 60 is not used.

Metrics: those that laggard judges by default, from `laggard export`.
"""
import collections
import csv
import io
import statistics
import subprocess

BOTH, UP, DOWN = 0, 1, -1
FACTOR = 3 * 1.4826
LEAST_RUN, MOST_RUN = 3, 60
LEAST_MEMBERS = 4
#          metric: bad direction, noise floor
METRICS = {"rd_sec": (BOTH, 128), "wr_sec": (BOTH, 128), "await": (UP, 1), "rxbyt": (BOTH, 32768), "txbyt": (BOTH, 32768),
           "cwnd": (DOWN, 0), "rtt": (UP, 0), "retransmits": (UP, 0.5), "throttled": (UP, 0), "run-wait": (UP, 0),
           "page-waits": (UP, 0), "stopped": (UP, 0), "carrier": (UP, 0)}
LEAST_PACKETS = 100  # As laggard's retransmits: one lost packet of an idle server is no share.


def exported(laggard, recording, *options):
    said = subprocess.run([laggard, "export", recording, *options], check=True, capture_output=True, text=True)
    yield from csv.DictReader(io.StringIO(said.stdout))


def server_of(truth, row):
    """(member, server) of a row: its disk, interface or daemon, or one of the two ends of its connections."""
    ips = {ip: server for server, ip in truth["server_ip"].items()}
    if row["kind"] != "tcp":
        return ("", row["host"]) if row["host"] in truth["server_ip"] else None
    local, peer = (end.rsplit(":", 1)[0] for end in row["device"].split(">"))
    if row["host"] in truth["server_ip"]:
        return ("out", ips[local]) if local in ips and peer not in ips else None
    return ("in", ips[peer]) if peer in ips else None


def retransmits(laggard, run):
    """Retransmitted segments per second in per cent of the packets on the server's interface, {(end, server): {second: %}}."""
    packets = {"out": collections.defaultdict(dict), "in": collections.defaultdict(dict)}
    for end, metric in (("out", "txpck"), ("in", "rxpck")):
        for row in exported(laggard, run.folder, "--metric", metric):
            packets[end][row["host"]][int(float(row["time"]))] = float(row["value"])
    last, sums = {}, collections.defaultdict(lambda: collections.defaultdict(float))
    for row in exported(laggard, run.folder, "--counter", "retrans"):
        member = server_of(run.truth, row)
        if member is None:
            continue
        series, value, second = (row["host"], row["device"]), float(row["value"]), int(float(row["time"]))
        sums[member][second] += max(0.0, value - last.get(series, value))
        last[series] = value
    return {(end, server): {second: 100 * count / max(packets[end][server].get(second, 0), LEAST_PACKETS)
                            for second, count in seconds.items()} for (end, server), seconds in sums.items()}


def series_of(laggard, run, metric):
    """{(end, server): {second: value}}; of connections the mean."""
    if metric == "retransmits":
        return retransmits(laggard, run)
    values = collections.defaultdict(lambda: collections.defaultdict(list))
    for row in exported(laggard, run.folder, "--metric", metric):
        member = server_of(run.truth, row)
        if member is not None:
            values[member][int(float(row["time"]))].append(float(row["value"]))
    return {member: {second: statistics.fmean(some) for second, some in seconds.items()} for member, seconds in values.items()}


def off(values, direction, floor):
    """Which of {member: value} are off."""
    middle = statistics.median(values.values())
    limit = max(floor, FACTOR * statistics.median(abs(value - middle) for value in values.values()))
    return {member for member, value in values.items()
            if (abs(value - middle) if direction == BOTH else direction * (value - middle)) > limit}


def rows_in_a_row(series, direction, floor):
    """{server: [(number of successive seconds off so far, second)]}, per end by itself."""
    found = collections.defaultdict(list)
    for end in {end for end, _ in series}:
        members = {server: seconds for (one, server), seconds in series.items() if one == end}
        length, before = collections.Counter(), None
        for second in sorted({second for seconds in members.values() for second in seconds}):
            values = {server: seconds[second] for server, seconds in members.items() if second in seconds}
            who = off(values, direction, floor) if len(values) >= LEAST_MEMBERS else set()
            if before is not None and second != before + 1:
                length.clear()
            before = second
            length = collections.Counter({server: length[server] + 1 for server in who})
            for server in who:
                found[server].append((length[server], second))
    return dict(found)


def looked_at(laggard, run):
    """{metric: {server: [(length, second)]}}: all that the rule needs to know of a run."""
    return {metric: rows_in_a_row(series_of(laggard, run, metric), *how) for metric, how in METRICS.items()}


def run_lengths(controls):
    """Per metric, of what was looked at in fault-free runs; None for a metric that alarms at any length."""
    lengths = {}
    for metric in METRICS:
        longest = max((length for run in controls for rows in run[metric].values() for length, _ in rows), default=0)
        lengths[metric] = max(LEAST_RUN, longest + 1) if longest < MOST_RUN else None
    return lengths


def alarmed(looked, lengths):
    """{server: second of its first alarm}."""
    named = {}
    for metric, rows_of in looked.items():
        if lengths[metric] is None:
            continue
        for server, rows in rows_of.items():
            times = [second for length, second in rows if length >= lengths[metric]]
            if times:
                named[server] = min(times[0], named.get(server, times[0]))
    return named
