#!/usr/bin/env python3
"""How a campaign of the catalogue is scored and packed, on made-up runs and on the shipped example.

usage: tests/accuracy/catalogue_test.py LAGGARD
"""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import catalogue  # noqa: E402
import dashboard  # noqa: E402
from campaign_runs import Run, campaign, half_of, judged, outcome_of, pack, tuned_kinds  # noqa: E402

EXAMPLE = pathlib.Path(__file__).resolve().parents[2] / "examples/ddr-disk-busy-s2"
LAGGARD = None
START = 1_000_000_000


def fault(kind, servers=(), causes=(), **more):
    return {"fault": kind, "strength": "strong", "servers": list(servers), "clients": [], "causes": list(causes), **more}


def run_of(*faults, name="ddw-x", lost=(0.5, 0.4), clients=()):
    return Run(name, pathlib.Path("/nowhere"),
               {"faults": list(faults), "faulty_servers": [s for f in faults for s in f["servers"]], "faulty_clients": list(clients),
                "fault_start": START if faults else None, "workload": "ddw", "workload_start": START - 30,
                "throughput": {"lost_median": lost[0], "lost_mean": lost[1]}})


def incident(server, cause, state="confirmed", status="open", faulty="2001-09-09T01:47:10Z", blame=None, components=None):
    return {"components": components or [f"{server}/sda"], "blame": blame or {"kind": "disk", "name": f"{server}/sda"},
            "cause": cause, "state": state, "status": status, "faulty_since": faulty}


def said(*incidents):
    return {"incidents": list(incidents)}


class Judged(unittest.TestCase):
    def test_right_server_cause_and_time(self):
        outcome = judged(run_of(fault("disk-slow", ["s3"], ["slow-disk", "disk-busy"])), said(incident("s3", "disk-busy")))
        self.assertTrue(outcome.right)
        self.assertEqual((outcome.cause, outcome.wrong, outcome.seconds), ("right", set(), 30))

    def test_every_sick_server_has_to_be_found(self):
        run = run_of(fault("disk-slow", ["s3", "s4"], ["slow-disk"]))
        one = judged(run, said(incident("s3", "unknown")))
        self.assertFalse(one.right)
        self.assertEqual((one.found, one.cause), ({"s3"}, "unknown"))
        self.assertTrue(judged(run, said(incident("s3", "unknown"), incident("s4", "slow-disk"))).right)

    def test_one_wrong_cause_is_wrong(self):
        run = run_of(fault("disk-slow", ["s3"], ["slow-disk"]))
        self.assertEqual(judged(run, said(incident("s3", "slow-disk"), incident("s3", "packet-loss"))).cause, "wrong")

    def test_suspected_explained_and_excluded_do_not_convict(self):
        run = run_of(fault("disk-slow", ["s3"], ["slow-disk"]))
        outcome = judged(run, said(incident("s3", "slow-disk", status="explained"), incident("s5", "x", state="suspected"),
                                   incident("s6", "x", status="excluded")))
        self.assertFalse(outcome.right)
        self.assertEqual((outcome.found, outcome.wrong, outcome.suspected, outcome.cause), (set(), set(), {"s5"}, None))

    def test_a_blamed_switch_stands_for_its_servers(self):
        run = run_of(fault("switch-rate", ["s7", "s8", "s9"], ["slow-link"], switch="sw2"))
        blamed = incident("s7", "slow-link", blame={"kind": "switch", "name": "sw2"}, components=["s7/eth0", "s8/eth0"])
        self.assertTrue(judged(run, said(blamed)).right)
        blamed["blame"]["name"] = "sw1"
        self.assertFalse(judged(run, said(blamed)).right)

    def test_a_client_has_no_sick_server(self):
        run = run_of(fault("slow-client"), clients=["c2"])
        self.assertTrue(judged(run, said()).right)
        self.assertTrue(judged(run, said(incident("c2", "slow-link", blame={"kind": "client", "name": "c2"}))).right)
        wrong = judged(run, said(incident("s1", "slow-link")))
        self.assertFalse(wrong.right)
        self.assertEqual(wrong.wrong, {"s1"})

    def test_what_cannot_be_said_of_a_run_is_not_zero(self):
        self.assertIsNone(run_of(fault("disk-slow", ["s1"]), lost=(None, None)).lost)
        self.assertEqual(run_of(fault("disk-slow", ["s1"]), lost=(None, 0.2)).lost, 0.2)
        self.assertIsNone(outcome_of(run_of(fault("disk-slow", ["s1"])), {"s1": None}).seconds)


class Halves(unittest.TestCase):
    KINDS = ["none", "d", "b", "a", "c"]

    def test_every_other_kind(self):
        self.assertEqual(tuned_kinds(self.KINDS), {"a", "c"})

    def test_what_has_a_tuned_kind_is_not_reported(self):
        tuned, controls = tuned_kinds(self.KINDS), [run_of(name="y"), run_of(name="x")]
        halves = [half_of(run_of(*[fault(kind, ["s1"]) for kind in kinds]), controls, tuned) for kinds in ("b", "ab", "bd", "c")]
        self.assertEqual(halves, ["reported", "tuned", "reported", "tuned"])
        self.assertEqual([half_of(control, controls, tuned) for control in controls], ["reported", "tuned"])


class Tables(unittest.TestCase):
    def test_interval_of_clopper_and_pearson(self):
        for k, n, low, high in [(0, 10, 0, 0.3085), (10, 10, 0.6915, 1), (5, 10, 0.1871, 0.8129), (12, 12, 0.7354, 1)]:
            self.assertAlmostEqual(catalogue.interval(k, n)[0], low, 4)
            self.assertAlmostEqual(catalogue.interval(k, n)[1], high, 4)

    def test_a_missed_run_counts_against_the_cause(self):
        runs = [run_of(fault("disk-slow", ["s3"], ["slow-disk"]), name=str(i)) for i in range(2)] + [run_of(name="well")]
        results = {"0": {"untrained": judged(runs[0], said(incident("s3", "slow-disk")))}, "1": {"untrained": judged(runs[1], said())},
                   "well": {"untrained": judged(runs[2], said(incident("s1", "x")))}}
        line = next(line for line in catalogue.costly_table(runs, results) if "untrained" in line)
        self.assertEqual(line, "| untrained | 1 of 2 (1–99 %) | 1 of 2 (1–99 %) | 1 of 2 (1–99 %) | 0 of 2 (0–84 %) | 30 | 1 of 1 | "
                               "1 of 1 (2–100 %) |")
        counted = [line for line in catalogue.curve(runs, results, "throughput lost", catalogue.loss_bins()) if "33 % and more" in line]
        self.assertEqual(counted, ["| 33 % and more | 2 | 1 | – | – | – | – |"])


class Dashboard(unittest.TestCase):
    def test_off_in_the_bad_direction_beyond_three_mads_and_the_floor(self):
        values = {"s1": 10, "s2": 11, "s3": 12, "s4": 11, "s5": 30, "s6": 0}
        self.assertEqual(dashboard.off(values, dashboard.UP, 0), {"s5"})
        self.assertEqual(dashboard.off(values, dashboard.DOWN, 0), {"s6"})
        self.assertEqual(dashboard.off(values, dashboard.BOTH, 0), {"s5", "s6"})
        self.assertEqual(dashboard.off(values, dashboard.UP, 20), set())

    def test_alarms_after_so_many_seconds_in_a_row(self):
        series = {("", f"s{i}"): {t: 100.0 if i == 1 and t not in (3, 9) else 1.0 for t in range(12)} for i in range(1, 6)}
        rows = {metric: {} for metric in dashboard.METRICS} | {"await": dashboard.rows_in_a_row(series, dashboard.UP, 1)}
        lengths = {metric: 3 for metric in dashboard.METRICS}
        self.assertEqual(dashboard.alarmed(rows, lengths), {"s1": 2})
        self.assertEqual(dashboard.alarmed(rows, lengths | {"await": 4}), {"s1": 7})
        self.assertEqual(dashboard.alarmed(rows, lengths | {"await": None}), {})
        self.assertEqual(dashboard.run_lengths([rows])["await"], 6)

    def test_a_missing_second_breaks_a_row(self):
        series = {("", f"s{i}"): {t: 100.0 if i == 1 else 1.0 for t in (0, 1, 3, 4)} for i in range(1, 6)}
        self.assertEqual(dashboard.rows_in_a_row(series, dashboard.UP, 1), {"s1": [(1, 0), (2, 1), (1, 3), (2, 4)]})


def diagnosed(folder):
    done = subprocess.run([LAGGARD, "diagnose", folder, "--system", folder / "system.toml", "--json", "-"], check=True,
                          capture_output=True, text=True)
    return json.loads(done.stdout)


class Packed(unittest.TestCase):
    def test_a_packed_run_gets_the_same_verdict(self):
        truth = run_of(fault("disk-busy", ["s2"], ["disk-busy"])).truth
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            shutil.copytree(EXAMPLE, folder / "made/ddr-disk-busy")
            (folder / "made/ddr-disk-busy/truth.json").write_text(json.dumps(truth))
            subprocess.run([LAGGARD, "system", "discover", EXAMPLE, "-o", folder / "made/ddr-disk-busy/system.toml"], check=True,
                           capture_output=True)
            (folder / "made/ddr-disk-busy/s1.sa").write_bytes(b"x" * 100)
            with campaign(folder / "made") as runs:
                sizes = [pack(run, folder / f"{run.name}.run.tar.xz") for run in runs]
                again = pack(runs[0], folder / "again")
                whole = diagnosed(runs[0].folder)
            self.assertEqual((folder / "again").read_bytes(), (folder / "ddr-disk-busy.run.tar.xz").read_bytes())
            self.assertEqual(sizes, [again])
            with campaign(folder) as runs:
                self.assertEqual([run.name for run in runs], ["ddr-disk-busy"])
                self.assertFalse((runs[0].folder / "s1.sa").exists())
                self.assertEqual(diagnosed(runs[0].folder), whole)
                self.assertTrue(judged(runs[0], whole).right)


if __name__ == "__main__":
    LAGGARD = pathlib.Path(sys.argv[1]).resolve()
    unittest.main(argv=sys.argv[:1])
