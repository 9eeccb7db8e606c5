#!/usr/bin/env python3
"""How the table of system calls is made, on made-up results and on made-up runs.

usage: tests/accuracy/syscall_table_test.py LAGGARD
"""
import itertools
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import syscall_table  # noqa: E402
from campaign_runs import Run  # noqa: E402

LAGGARD = None
SERVERS = 5
OFFSETS = [-0.0002, 0, 0, 0, 0.0002]  # Whoever is sick, the median of the others is that of all.
SECONDS = 120
START = 1_700_000_000
APART = itertools.count(step=10 * SECONDS)  # No two runs are of the same time.


def truth_of(workload, fault="none", servers=()):
    faults = [{"fault": fault, "servers": list(servers), "causes": []}] if servers else []
    return {"workload": workload, "fault": fault, "faulty_servers": list(servers), "faulty_clients": [], "faults": faults,
            "fault_start": None}


def run_of(name, workload, fault="none", servers=()):
    return Run(name, pathlib.Path("/nowhere"), truth_of(workload, fault, servers))


class Papers(unittest.TestCase):
    def test_what_the_paper_shows_and_what_it_does_not(self):
        self.assertEqual(syscall_table.papers("disk-busy", "dread", "postmark"), (0.9, 0.1))
        self.assertEqual(syscall_table.papers("read-network-hog", "dwrite-direct", "ddw"), (0.2, 0))
        self.assertEqual(syscall_table.papers("disk-hog", "dread", "ddw"), (0, 0))
        self.assertEqual(syscall_table.papers("send-pktloss", "nsread", "ddw"), (0, 0))
        for unknown in (("link-rate", "dread", "ddr"), ("disk-hog", "dread", "mixed"), ("disk-hog", "all", "ddr")):
            self.assertIsNone(syscall_table.papers(*unknown))
        self.assertEqual(syscall_table.mean_of_paper("dread", 0), f"{5.9 / 30:.2g}")


class Counted(unittest.TestCase):
    RUNS = [run_of("a", "ddr", "disk-hog", ["s1"]), run_of("b", "ddr", "disk-hog", ["s1", "s2"]), run_of("c", "ddr")]

    def test_all_faulty_servers_and_no_healthy_one(self):
        said = {"a": {"dread": {"s1", "s3"}}, "b": {"dread": {"s1"}}, "c": {"dread": {"s4"}}}
        self.assertEqual(syscall_table.counts(self.RUNS, said, "dread"), (1, 2, 2, 3))
        self.assertEqual(syscall_table.counts(self.RUNS, said, "nsread"), (0, 2, 0, 3), "what was not judged names nobody")
        self.assertEqual(syscall_table.counts(self.RUNS, {"b": {"dread": {"s2", "s1"}}}, "dread"), (1, 1, 0, 1))

    def test_a_row_for_what_names_anybody_here_or_in_the_paper(self):
        said = {"a": {"ncread": {"s1"}}, "b": {}, "c": {}}
        lines = list(syscall_table.table(self.RUNS, said))
        self.assertEqual(lines, ["| fault | metric | ddr |", "|---|---|---|",
                                 "| disk-hog | dread | 0 / 0 of 2 (1 / 0) |", "| disk-hog | ncread | 0.5 / 0 of 2 (0 / 0) |",
                                 "| disk-hog | all | 0 / 0 of 2 |", "| none | all | – / 0 of 1 |"])

    def test_whom_an_incident_names(self):
        evidence = [{"component": "s1/storage-calls", "metric": "dread", "detector": "deviation"},
                    {"component": "s2/tcp-out", "metric": "nsread", "detector": "deviation"},
                    {"component": "s3/storage-calls", "metric": "dread", "detector": "cdf"}]
        incidents = [{"components": ["s4/storage-calls"], "state": "confirmed", "status": "open", "evidence": evidence},
                     {"components": ["s5/tcp-in"], "state": "suspected", "status": "open", "evidence": []},
                     {"components": ["s6/tcp-in"], "state": "confirmed", "status": "explained", "evidence": []}]
        self.assertEqual(syscall_table.named_by_s({"incidents": incidents}, "dread"), {"s1"})
        self.assertEqual(syscall_table.named_by_s({"incidents": incidents}, "all"), {"s1", "s2"})
        self.assertEqual(syscall_table.named_by_peers({"incidents": incidents}), {"s4"})

    def test_one_incident_of_both_witnesses(self):
        def incident(server, *sources, state="confirmed"):
            return {"components": [f"{server}/sda"], "state": state, "status": "open", "evidence": [{"source": s} for s in sources]}

        def said(*incidents):
            return {"incidents": list(incidents)}

        one = said(incident("s1", "metrics", "syscalls"))
        apart = said(incident("s1", "metrics"), incident("s1", "syscalls"))
        runs = [*self.RUNS, run_of("d", "ddr", "disk-busy", ["s2"])]
        diagnoses = [one, apart, said(incident("s4", "metrics")), said(incident("s2", "metrics", "syscalls", state="suspected"))]
        self.assertEqual([line.split(" | ")[1:] for line in list(syscall_table.with_metrics(runs, diagnoses))[2:]], [
            ["2", "1 of 2 (1–99 %)", "1 of 2 (1–99 %)", "0 of 2 (0–84 %) |"],  # Of two that are sick one was named.
            ["1", "0 of 1 (0–98 %)", "0 of 1 (0–98 %)", "0 of 1 (0–98 %) |"],
            ["1", "–", "–", "1 of 1 (2–100 %) |"],
            ["4", "1 of 3 (1–91 %)", "1 of 3 (1–91 %)", "1 of 4 (1–81 %) |"]])


def make_run(folder, workload, fault="none", servers=(), times=5):
    """Servers that read, or write, four times a second; one that is sick takes so many times as long in the middle. Returns when
    it begins."""
    folder.mkdir(parents=True)
    start = START + next(APART)
    (folder / "truth.json").write_text(json.dumps(truth_of(workload, fault, servers) | {"workload_start": start, "fault_start": start + 40}))
    (folder / "system.toml").write_text(f'[[servers]]\nname = "s[1-{SERVERS}]"\n')
    call = "pread64" if workload == "ddr" else "pwrite64"
    for server in range(1, SERVERS + 1):
        lines = []
        for i in range(4 * SECONDS):
            took = 0.004 + 0.0001 * (i // 4 % 7) + OFFSETS[server - 1]
            took *= times if f"s{server}" in servers and 160 <= i < 320 else 1
            lines.append(f'77 {start + i / 4:.6f} {call}(3</data/brick/f>, ""..., 65536, 0) = 65536 <{took:.6f}>\n')
        trace = folder / f"s{server}.trace"
        trace.write_text("".join(lines))
        subprocess.run([LAGGARD, "import", "strace", trace, "--host", f"s{server}", "--out", folder], check=True,
                       capture_output=True)
    return start


class FromRuns(unittest.TestCase):
    def test_the_table(self):
        with tempfile.TemporaryDirectory() as name:
            runs, apart = pathlib.Path(name) / "runs", pathlib.Path(name) / "apart"
            for workload in ("ddr", "ddw"):
                make_run(apart / workload, workload)
                make_run(runs / f"{workload}-none", workload)
            make_run(runs / "ddr-disk-hog", "ddr", "disk-hog", ["s2"])
            make_run(runs / "ddw-mild", "ddw", "disk-busy", ["s5"], times=1.2)
            (runs / "not-finished").mkdir()
            done = subprocess.run([sys.executable, syscall_table.__file__, LAGGARD, runs, "--train", apart / "ddr", apart / "ddw",
                                   "--preset", "quick", "--factors", "1,10"], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            table, peers, totals, factors, trained = done.stdout.split("\n\n")[1::2] + [done.stdout.splitlines()[-1]]
            self.assertEqual(table.splitlines()[2:], [
                "| disk-hog | dread | 1 / 0 of 1 (1 / 0) | – |", "| disk-hog | all | 1 / 0 of 1 | – |",
                "| disk-busy | dwrite | – | 1 / 0 of 1 (0.4 / 0) |",
                "| disk-busy | dwrite-direct | – | 0 / 0 of 1 (0.4 / 0) |", "| disk-busy | all | – | 1 / 0 of 1 |",
                "| none | all | – / 0 of 1 | – / 0 of 1 |"])
            self.assertIn("| disk-hog | dread | 1 / 0 of 1 (1 / 0) | – |", peers)
            self.assertIn("| dread | 1 of 2 (1–99 %) | 0 of 2 (0–84 %) | 1 of 2 (1–99 %) | 0 of 2 (0–84 %) | 0.2 | 0.0067 |", totals)
            self.assertIn("| without a fault, all | – | 0 of 2 (0–84 %) | – | 0 of 2 (0–84 %) | – | – |", totals)
            self.assertEqual([line.split(" | ")[0] for line in factors.splitlines()[2:]], ["| 1", "| 10"])
            self.assertIn("| 1 / 0 |", factors.splitlines()[2])
            self.assertEqual(factors.splitlines()[3].split(" | ")[6], "0.5 / 0", "ten times the threshold hides what is mild")
            self.assertEqual(trained, "Trained on 2 runs without a fault: ddr (ddr), ddw (ddw).")

    def test_a_run_that_is_trained_on_is_judged_by_the_others(self):
        with tempfile.TemporaryDirectory() as name:
            runs = pathlib.Path(name)
            for i in (1, 2):
                make_run(runs / f"ddr-{i}", "ddr")
            done = subprocess.run([sys.executable, syscall_table.__file__, LAGGARD, runs, "--preset", "quick", "--factors", "1"],
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("| none | all | – / 0 of 2 |", done.stdout)
            self.assertIn("Trained on 2 runs", done.stdout)

    def test_packed_runs_are_the_same_runs(self):
        def table_of(folder):
            done = subprocess.run([sys.executable, syscall_table.__file__, LAGGARD, folder, "--preset", "quick", "--factors", "1"],
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            return done.stdout

        with tempfile.TemporaryDirectory() as name:
            runs, packed = pathlib.Path(name) / "runs", pathlib.Path(name) / "packed"
            packed.mkdir()
            for i in (1, 2):
                make_run(runs / f"ddr-{i}", "ddr")
            make_run(runs / "ddr-disk-hog", "ddr", "disk-hog", ["s2"])
            done = subprocess.run([sys.executable, syscall_table.__file__, LAGGARD, runs, "--pack", packed], capture_output=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(len(list(packed.iterdir())), 3)
            self.assertIn("| disk-hog | dread | 1 / 0 of 1 (1 / 0) |", table_of(packed))
            self.assertEqual(table_of(packed), table_of(runs))

    def test_without_anything_to_train_on_one_sentence(self):
        with tempfile.TemporaryDirectory() as name:
            done = subprocess.run([sys.executable, syscall_table.__file__, LAGGARD, name], capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr), (1, f"{name}: holds no run with system calls\n"))


if __name__ == "__main__":
    LAGGARD = pathlib.Path(sys.argv[1]).resolve()
    unittest.main(argv=sys.argv[:1])
