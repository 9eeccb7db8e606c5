#!/usr/bin/env python3
"""The shipped incident through real time-series servers: loaded into Prometheus and VictoriaMetrics under node_exporter's
names, imported again, diagnosed. Every sample has to come back as it was, and the verdict has to be the same.

usage: run.py LAGGARD RECORDING prometheus|victoria-metrics    exit status 77: the server is not installed
"""
import base64
import collections
import csv
import json
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

DISK = {
    "rd_ios": ("node_disk_reads_completed_total", 1),
    "rd_merges": ("node_disk_reads_merged_total", 1),
    "rd_sectors": ("node_disk_read_bytes_total", 512),
    "rd_ms": ("node_disk_read_time_seconds_total", 0.001),
    "wr_ios": ("node_disk_writes_completed_total", 1),
    "wr_merges": ("node_disk_writes_merged_total", 1),
    "wr_sectors": ("node_disk_written_bytes_total", 512),
    "wr_ms": ("node_disk_write_time_seconds_total", 0.001),
    "in_flight": ("node_disk_io_now", 1),
    "io_ms": ("node_disk_io_time_seconds_total", 0.001),
    "weighted_ms": ("node_disk_io_time_weighted_seconds_total", 0.001),
}
NET = {
    "rx_bytes": ("node_network_receive_bytes_total", 1),
    "rx_packets": ("node_network_receive_packets_total", 1),
    "rx_errors": ("node_network_receive_errs_total", 1),
    "rx_drop": ("node_network_receive_drop_total", 1),
    "tx_bytes": ("node_network_transmit_bytes_total", 1),
    "tx_packets": ("node_network_transmit_packets_total", 1),
    "tx_errors": ("node_network_transmit_errs_total", 1),
    "tx_drop": ("node_network_transmit_drop_total", 1),
}
NAMES = {("disk", counter): name for counter, name in DISK.items()}
NAMES.update({("net", counter): name for counter, name in NET.items()})
FROM, TO = "2026-11-20T19:21:00Z", "2026-11-20T19:27:00Z"

failures = 0


def expect(condition, what):
    global failures
    if not condition:
        failures += 1
        print("FAILED:", what)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def fetch(url, data=None, credentials=None):
    request = urllib.request.Request(url, data=data)
    if credentials:
        request.add_header("Authorization", "Basic " + base64.b64encode(credentials.encode()).decode())
    with urllib.request.urlopen(request, timeout=30) as answer:
        return answer.read()


def wait_for(url, server, log, credentials=None):
    for _ in range(300):
        if server.poll() is not None:
            sys.exit(f"the server ended with {server.returncode}:\n{log.read_text()}")
        try:
            return fetch(url, credentials=credentials)
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
    sys.exit(f"the server does not answer at {url}:\n{log.read_text()}")


class Laggard:
    def __init__(self, program, folder):
        self.program, self.folder = program, folder

    def run(self, *words, status=0):
        done = subprocess.run([self.program, *map(str, words)], cwd=self.folder, capture_output=True, text=True)
        expect(done.returncode == status, f"{words}: status {done.returncode}\n{done.stdout}{done.stderr}")
        return done

    def import_from(self, url, recording, *more):
        done = self.run("import", "prometheus", url, "--out", recording, "--from", FROM, "--to", TO, "--json", *more)
        return json.loads(done.stdout)

    def exported(self, recording):
        """Lines of the samples; their order within a time is that of the first import."""
        return self.run("export", recording).stdout.splitlines()

    def verdict(self, recording):
        """What of the incidents does not depend on where the numbers came from."""
        diagnosis = json.loads(self.run("diagnose", recording, "--json", "-").stdout)
        return [{key: incident.get(key) for key in
                 ("since", "faulty_since", "until", "state", "blame", "components", "cause", "resource", "rule", "persistence")}
                for incident in diagnosis["incidents"]]


def milliseconds(seconds):
    """1795202494.842123 -> 1795202494842"""
    whole, _, fraction = seconds.partition(".")
    return int(whole) * 1000 + int((fraction + "000")[:3])


def read_rows(laggard, recording):
    """Disks and interfaces of a recording, with times in the milliseconds that the servers keep."""
    for row in csv.DictReader(laggard.exported(recording)):
        if (row["kind"], row["counter"]) in NAMES:
            yield milliseconds(row["time"]), row["host"], row["kind"], row["device"], row["counter"], int(row["value"])


def exposition(rows, open_metrics):
    """The rows in the text form that both servers load, metric by metric; OpenMetrics has seconds, the other milliseconds."""
    families = collections.defaultdict(list)
    for ms, host, kind, device, counter, value in rows:
        metric, unit = NAMES[kind, counter]
        number = value * unit if unit >= 1 else f"{value // 1000}.{value % 1000:03}"
        stamp = f"{ms // 1000}.{ms % 1000:03}" if open_metrics else ms
        families[metric].append(f'{metric}{{instance="{host}:9100",job="node",device="{device}"}} {number} {stamp}\n')
    # A sample that is no number: what a recording rule leaves of an idle disk.
    families["node_disk_reads_completed_total"].append(
        f'node_disk_reads_completed_total{{instance="s1:9100",job="node",device="idle"}} NaN '
        f'{"1795202500.000" if open_metrics else 1795202500000}\n')
    for metric in sorted(families):
        if open_metrics:
            counter = metric.endswith("_total")
            yield f"# TYPE {metric.removesuffix('_total')} {'counter' if counter else 'gauge'}\n"
        yield from families[metric]
    if open_metrics:
        yield "# EOF\n"


def start(argv, folder, servers):
    log = folder / "server.log"
    server = subprocess.Popen(argv, cwd=folder, stdout=log.open("w"), stderr=subprocess.STDOUT)
    servers.append(server)
    return server, log


def start_prometheus(folder, rows, servers):
    text = folder / "incident.om"
    text.write_text("".join(exposition(rows, True)))
    subprocess.run(["promtool", "tsdb", "create-blocks-from", "openmetrics", text, folder / "data"], check=True,
                   stdout=subprocess.DEVNULL)
    (folder / "prometheus.yml").write_text("{}")
    port = free_port()
    # Few samples a query: an import has to ask for small stretches.
    server, log = start(["prometheus", f"--web.listen-address=127.0.0.1:{port}", "--config.file=prometheus.yml",
                         "--storage.tsdb.path=data", "--storage.tsdb.retention.time=100y", "--query.max-samples=20000",
                         "--log.level=warn"], folder, servers)
    url = f"http://127.0.0.1:{port}"
    wait_for(url + "/-/ready", server, log)
    return url, None


def start_victoria_metrics(folder, rows, servers):
    port = free_port()
    server, log = start(["victoria-metrics", f"-httpListenAddr=127.0.0.1:{port}", "-storageDataPath=data",
                         "-retentionPeriod=100y", "-httpAuth.username=reader", "-httpAuth.password=s3cret",
                         "-loggerLevel=WARN"], folder, servers)
    url, credentials = f"http://127.0.0.1:{port}", "reader:s3cret"
    wait_for(url + "/health", server, log, credentials)
    fetch(url + "/api/v1/import/prometheus", "".join(exposition(rows, False)).encode(), credentials)
    fetch(url + "/internal/force_flush", credentials=credentials)
    return f"http://{credentials}@127.0.0.1:{port}", url


def main():
    program, recording, name = sys.argv[1:4]
    wanted = {"prometheus": ("prometheus", "promtool"), "victoria-metrics": ("victoria-metrics",)}[name]
    for executable in wanted:
        if shutil.which(executable) is None:
            print(f"skipped: {executable} is not installed (package {name})")
            sys.exit(77)
    servers = []
    with tempfile.TemporaryDirectory(prefix="laggard-servers-") as scratch:
        folder = pathlib.Path(scratch)
        laggard = Laggard(pathlib.Path(program).resolve(), folder)
        try:
            check(laggard, folder, pathlib.Path(recording).resolve(), name, servers)
        finally:
            for server in servers:
                server.kill()
                server.wait()
    if failures:
        sys.exit(1)
    print("every sample came back, and the verdict is the same")


def check(laggard, folder, recording, name, servers):
    rows = list(read_rows(laggard, recording))
    # The twin: the same samples, never in a server.
    with (folder / "twin.csv").open("w") as out:
        out.write("time,host,kind,device,counter,value\n")
        out.writelines(f"{ms // 1000}.{ms % 1000:03},{host},{kind},{device},{counter},{value}\n"
                       for ms, host, kind, device, counter, value in rows)
    laggard.run("import", "csv", "twin.csv", "--out", "TWIN")
    twin = laggard.verdict("TWIN")
    truth = [(incident["blame"]["name"], incident["cause"]) for incident in twin]
    expect(truth == [("s2", "disk-busy")], f"the incident itself: {truth}")

    begin = start_prometheus if name == "prometheus" else start_victoria_metrics
    url, locked = begin(folder, rows, servers)
    first = laggard.import_from(url, "REC")
    expect(first["new"] == len(rows), f"{len(rows)} samples went in, {first['new']} came out")
    expect(sorted(laggard.exported("REC")) == sorted(laggard.exported("TWIN")), "the samples are not those that went in")
    again = laggard.import_from(url, "REC")
    expect((again["new"], again["already_there"]) == (0, len(rows)), f"the second import: {again}")
    expect(laggard.verdict("REC") == twin, f"another verdict: {laggard.verdict('REC')} instead of {twin}")

    # Where a server has no raw samples, its values at steps still name the same server.
    steps = laggard.import_from(url, "STEPS", "--step", "1s", "--match", 'job="node"')
    expect(steps["new"] > 0 and not steps["errors"], f"at steps: {steps}")
    blamed = [(incident["blame"]["name"], incident["cause"]) for incident in laggard.verdict("STEPS")]
    expect(blamed == truth, f"at steps: {blamed}")

    if locked:
        refused = laggard.run("import", "prometheus", locked, "--out", "NONE", "--from", FROM, "--to", TO, status=2)
        expect("answers 401" in refused.stderr, refused.stderr)
        expect(not (folder / "NONE").exists(), "a refused import leaves a recording behind")


if __name__ == "__main__":
    main()
