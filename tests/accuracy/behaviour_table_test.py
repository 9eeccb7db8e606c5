#!/usr/bin/env python3
"""How the table of behaviour is made, on made-up results and on made-up runs.

usage: tests/accuracy/behaviour_table_test.py LAGGARD
"""
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import behaviour_table  # noqa: E402
import bench_witnesses  # noqa: E402
import syscall_table_test as made_up  # noqa: E402

SERVERS = made_up.SERVERS
made_up.SECONDS = 240
FUNCTIONS = ["tcp_sendmsg", "copy_user", "ext4_file_read_iter", "schedule"]


def evidence(server, detector, source="behaviour"):
    return {"component": server, "detector": detector, "source": source}


def incident(*said, status="open", state="confirmed"):
    return {"components": [e["component"] for e in said], "state": state, "status": status, "evidence": list(said)}


class Named(unittest.TestCase):
    DIAGNOSIS = {"incidents": [incident(evidence("s1", "samples"), evidence("s1/sda", "cdf", "metrics")),
                               incident(evidence("s2", "programs")), incident(evidence("s3", "unlike-peers")),
                               incident(evidence("s4", "samples"), status="explained"),
                               incident(evidence("s5", "call-time"), state="suspected"),
                               incident(evidence("s6", "kernel-calls"))]}

    def test_by_which_comparison(self):
        named = {kind: behaviour_table.named_by(self.DIAGNOSIS, kind) for kind in behaviour_table.COLUMNS}
        self.assertEqual(named, {"samples": {"s1"}, "calls": set(), "call-time": {"s5"}, "combined": {"s1", "s5"},
                                 "programs": {"s2"}, "kernel-calls": {"s6"}, "any": {"s1", "s2", "s5", "s6"}})

    def test_the_rows(self):
        runs = [made_up.run_of("a", "ddr", "disk-hog", ["s1"]), made_up.run_of("b", "ddr", "disk-hog", ["s2"]),
                made_up.run_of("c", "ddr")]
        lines = list(behaviour_table.table(runs, {"x": {"a": {"s1"}, "b": {"s1"}, "c": set()}, "y": {"c": {"s3"}}}))
        self.assertEqual([line.split(" | ") for line in lines[2:]], [
            ["| disk-hog", "2", "1 of 2 (1–99 %) / 1 of 2 (1–99 %)", "– / – |"],
            ["| none", "1", "– / 0 of 1 (0–98 %)", "– / 1 of 1 (2–100 %) |"],
            ["| all", "3", "1 of 2 (1–99 %) / 1 of 3 (1–91 %)", "– / 1 of 1 (2–100 %) |"]])


def make_run(folder, workload, fault="none", servers=()):
    """As of system calls, where nobody is slow; those that are sick run another program all the time."""
    start = made_up.make_run(folder, workload, fault, servers, times=1)
    chance = random.Random(folder.name)
    for server in range(1, SERVERS + 1):
        lines = []
        for tenth in range(10 * made_up.SECONDS):
            now = start + tenth / 10
            if chance.random() < 0.5:
                lines.append(f"glusterfsd 77 [000] {now:.6f}: 10101010 cpu-clock: ffff {chance.choice(FUNCTIONS)} ([kernel.kallsyms])\n")
            if f"s{server}" in servers and tenth % 5 == 0:
                lines.append(f"socat 99 [000] {now:.6f}: 10101010 cpu-clock: ffff tcp_rcv_established ([kernel.kallsyms])\n")
        text = folder / f"s{server}.perf"
        text.write_text("".join(lines))
        subprocess.run([made_up.LAGGARD, "import", "perf", text, "--host", f"s{server}", "--start", lines[0].split()[3][:-1],
                        "--out", folder], check=True, capture_output=True)


class FromRuns(unittest.TestCase):
    def test_the_table(self):
        with tempfile.TemporaryDirectory() as name:
            runs = pathlib.Path(name)
            for i in (1, 2):
                make_run(runs / f"ddr-none-{i}", "ddr")
            make_run(runs / "ddr-read-network-hog", "ddr", "read-network-hog", ["s2"])
            done = subprocess.run([sys.executable, behaviour_table.__file__, made_up.LAGGARD, runs, "--preset", "quick"],
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            tables = [table.splitlines() for table in done.stdout.split("\n\n")[1::2]]
            self.assertEqual(tables[0], tables[1], "there is no postmark")
            self.assertEqual(tables[0][0], "| fault | runs | trained, samples | trained, combined | trained, programs | trained, any | "
                                           "untrained, samples | untrained, combined | untrained, programs | untrained, any |")
            found, nobody = "1 of 1 (2–100 %) / 0 of 1 (0–98 %)", "– / 0 of 2 (0–84 %)"
            self.assertEqual(tables[0][2:4], ["| " + " | ".join(["read-network-hog", "1"] + 8 * [found]) + " |",
                                              "| " + " | ".join(["none", "2"] + 8 * [nobody]) + " |"])
            weights = runs / "weights"
            weights.write_text("# Nobody looks at these.\nsocat 0\n*;[kernel];tcp_rcv_established 0\n")
            done = subprocess.run([sys.executable, behaviour_table.__file__, made_up.LAGGARD, runs, "--preset", "quick", "--code-weights", weights],
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            missed = "0 of 1 (0–98 %) / 0 of 1 (0–98 %)"
            self.assertEqual(done.stdout.split("\n\n")[1].splitlines()[2], "| " + " | ".join(["read-network-hog", "1"] + 8 * [missed]) + " |")
            weights.write_text("spread\nsocat much\n")
            done = subprocess.run([made_up.LAGGARD, "diagnose", runs / "ddr-none-1", "--code-weights", weights], capture_output=True, text=True)
            self.assertEqual(done.returncode, 2)
            self.assertIn("weights:2: is no PATTERN WEIGHT, such as 'tcp_* 2'", done.stderr)
            done = subprocess.run([sys.executable, bench_witnesses.__file__, made_up.LAGGARD, runs, "--preset", "quick"],
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            lines = done.stdout.splitlines()
            self.assertEqual(lines[0], "| fault | runs | and system calls | and samples | all but metrics |")
            self.assertEqual(lines[2].split(" | ")[2:], [missed, found, f"{found} |"])
            row = next(line for line in lines if line.startswith("| ddr-read-network-hog |")).split(" | ")
            self.assertEqual(row[2], "–")
            self.assertRegex(row[3], "^[0-9]+ s [a-z-]+$")
            self.assertEqual(row[-1], "behaviour |")

    def test_without_samples_one_sentence(self):
        with tempfile.TemporaryDirectory() as name:
            done = subprocess.run([sys.executable, behaviour_table.__file__, made_up.LAGGARD, name], capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr),
                             (1, f"{name}: holds no run with samples (laggard-lab bench --samples)\n"))


if __name__ == "__main__":
    made_up.LAGGARD = pathlib.Path(sys.argv[1]).resolve()
    unittest.main(argv=sys.argv[:1])
