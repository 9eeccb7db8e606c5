#!/usr/bin/env python3
"""Silence is not health: what the real program says where it could not judge, or was given something else than it seems.

usage: tests/silence.py LAGGARD [-v] [NAME...]

Recordings are made from examples/ddr-disk-busy-s2 (s2 becomes sick in it), and from a short trace where there is one, by
moving times, leaving hosts out, cutting them short or damaging files.
"""
import json
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

LAGGARD = Path(sys.argv.pop(1)).resolve()
ROOT = Path(__file__).resolve().parent.parent
EXAMPLE = ROOT / "examples/ddr-disk-busy-s2"
SHORT = ROOT.parent / "shared/traces/ddw-disk-busy-s7/samples.csv.xz"  # 93 s, sick and hard to see
HEADER = "time,host,kind,device,counter,value\n"
SERVERS = [f"s{i}" for i in range(1, 10)]
DAY = 86400
folder = Path(tempfile.mkdtemp())


def laggard(*words):
    done = subprocess.run([LAGGARD, *map(str, words)], capture_output=True, text=True, timeout=240)
    return done.returncode, done.stdout, done.stderr


def rows_of_example():
    """(seconds, host, rest of the line)"""
    out = laggard("export", EXAMPLE)[1]
    for line in out.splitlines()[1:]:
        time, host, rest = line.split(",", 2)
        yield float(time), host, rest


ROWS = list(rows_of_example())
START = ROWS[0][0]


def recording(name, rows):
    """The recording of these rows; made once."""
    path = folder / name
    if not path.exists():
        csv = folder / f"{name}.csv"
        csv.write_text(HEADER + "".join(f"{time:.3f},{host},{rest}\n" for time, host, rest in rows))
        status, _, err = laggard("import", "csv", csv, "--out", path)
        assert status == 0, err
    return path


def moved(name, shifts, keep=lambda host: True):
    return recording(name, ((time + shifts.get(host, 0), host, rest) for time, host, rest in ROWS if keep(host)))


def await_of(disks, seconds=300, start=1795202494, times_slower=None):
    """Await and throughput of disks (host, device), equal but for those that are slower."""
    for t in range(seconds):
        for n, (host, device) in enumerate(disks):
            slower = (times_slower or {}).get((host, device), 1)
            yield start + t, host, f"disk,{device},await,{(5 + (t + n) % 3) * slower}"
            yield start + t, host, f"disk,{device},rd_sec,{2000 + 10 * ((t + 3 * n) % 7)}"


class Silence(unittest.TestCase):
    def diagnose(self, *words):
        status, out, err = laggard("diagnose", *words, "--check")
        self.assertIn(status, (0, 1, 4), err)
        shown = json.loads(laggard("diagnose", *words, "--json", "-")[1])
        self.assertEqual(shown["verdict"], {0: "well", 1: "sick", 4: "not_judged"}[status])
        self.assertNotIn("1970", out + json.dumps(shown))
        return status, " ".join(out.split()), shown

    def not_judged(self, why, *words):
        status, out, shown = self.diagnose(*words)
        self.assertEqual(status, 4, out)
        self.assertNotIn("No component differs persistently", out)
        self.assertIn(why, shown["not_judged"])
        self.assertIn(why, out)
        return out, shown

    def test_what_is_judged_is_judged_as_ever(self):
        status, out, shown = self.diagnose(EXAMPLE)
        self.assertEqual(status, 1)
        self.assertIn("s2 is sick: disk-busy", out)
        self.assertEqual(shown["coverage"]["judged"]["components"], {"judged": 36, "there": 36})
        self.assertEqual(shown["coverage"]["judged"]["hosts"], {"judged": 9, "there": 9})
        self.assertIsNone(shown["not_judged"])
        status, out, shown = self.diagnose(EXAMPLE, "--to", "2026-11-20T19:22:36Z")
        self.assertEqual((status, shown["verdict"]), (0, "well"), out)

    def test_one_disk(self):
        self.not_judged("no peer group has three members", recording("one", await_of([("fs1", "sda")])))

    def test_two_peers(self):
        self.not_judged("no peer group has three members", recording("two", await_of([("fs1", "sda"), ("fs2", "sda")])))

    def test_a_window_that_is_longer_than_the_recording(self):
        out, shown = self.not_judged("no window of 16m40s is complete in 4m3", EXAMPLE, "--window", "1000")
        self.assertTrue(shown["from"].startswith("2026-11-20T19:21:34"), shown["from"])
        self.not_judged("no window of 15m is complete", EXAMPLE, "--preset", "production")

    @unittest.skipUnless(SHORT.exists(), "skipped: no recording in ../shared/traces")
    def test_one_window_cannot_convict(self):
        short = folder / "short"
        self.assertEqual(laggard("import", "csv", SHORT, "--out", short)[0], 0)
        self.not_judged("a verdict takes 3", short, "--preset", "lab")
        self.not_judged("no window of 15m is complete", short, "--preset", "production")

    def test_nobody_did_anything(self):
        rows = [(time, f"fs{n}", f"disk,sda,rd_sec,{0 if time > 1795202560 else 5000}")
                for time in range(1795202494, 1795202794) for n in range(1, 5)]
        rows += [(time, host, rest.replace("rd_sec", "wr_sec").rsplit(",", 1)[0] + ",0") for time, host, rest in list(rows)]
        status, out, shown = self.diagnose(recording("idle", rows), "--from", "2026-11-20T19:22:50Z")
        self.assertEqual((status, shown["not_judged"]), (4, "nobody did anything"), out)

    def test_the_page_is_not_green(self):
        page = folder / "page.html"
        laggard("diagnose", EXAMPLE, "--window", "1000", "--html", page)
        self.assertIn('<section class="verdict blind">', page.read_text())

    # What is not there is said.

    def test_the_damaged_file_of_the_sick_host(self):
        damaged = folder / "damaged"
        shutil.copytree(EXAMPLE, damaged)
        for file in (damaged / "metrics").glob("s2-*.lgd"):
            file.write_bytes(b"")
        out, shown = self.not_judged("1 file of the recording is damaged", damaged)
        self.assertIn("Not everything could be judged", out)
        self.assertTrue(shown["coverage"]["partial"])

    def test_twelve_of_thirteen_hosts_stop_midway(self):
        midway = recording("midway", (row for row in ROWS if row[1] == "s3" or row[0] < START + 100))
        out, shown = self.not_judged("could be compared for half of the time and more", midway)
        self.assertIn("c[1-4],s[1-2,4-9] recorded nothing after 2026-11-20T19:23:13Z", shown["coverage"]["missing"])
        self.assertIn("recorded nothing after", out)

    def test_one_host_that_stops_is_named(self):
        one = recording("stopped", (row for row in ROWS if row[1] != "c3" or row[0] < START + 100))
        _, _, shown = self.diagnose(one)
        self.assertIn("c3 recorded nothing after 2026-11-20T19:23:13Z", shown["coverage"]["missing"])

    def test_filters_that_match_nothing(self):
        for words, sentence in ((["--host", "foo"], "there is no host foo in the recording; it has c[1-4],s[1-9]"),
                                (["--counter", "speed"], "there is no counter speed in the recording"),
                                (["--device", "nvme*"], "no device matches nvme*")):
            status, out, err = laggard("export", EXAMPLE, *words)
            self.assertEqual((status, out), (2, ""))
            self.assertIn(sentence, err)
        status, _, err = laggard("record", "metrics", "--disk", "nvme99*", "--net", "ib*", "--duration", "200ms", "--interval", "100ms",
                                 "--out", folder / "none")
        self.assertIn("--disk nvme99* matches nothing for now; there are", err)
        self.assertIn("--net ib* matches nothing for now; there are", err)

    # No time in common, and clocks.

    def convicted(self, shown):
        return {incident["blame"]["name"] for incident in shown["incidents"]
                if incident["state"] == "confirmed" and incident["status"] in ("open", "closed")}

    def test_nine_hosts_on_nine_days(self):
        days = moved("days", {host: n * DAY for n, host in enumerate(SERVERS)}, lambda host: host in SERVERS)
        _, shown = self.not_judged("no three peers were recorded at the same time", days)
        self.assertEqual(shown["incidents"], [])

    def test_four_of_nine_a_day_apart(self):
        four = moved("four", {host: DAY for host in SERVERS[2:6]}, lambda host: host in SERVERS)
        status, out, shown = self.diagnose(four)
        self.assertEqual(status, 1, out)
        self.assertEqual(self.convicted(shown), {"s2"})
        self.assertEqual(shown["coverage"]["clocks"]["left_out"], SERVERS[2:6])
        self.assertIn("s[3-6] were recorded at another time than their peers", out)
        with_s2 = moved("four_with_s2", {host: DAY for host in SERVERS[:4]}, lambda host: host in SERVERS)
        _, shown = self.not_judged("s[1-4] were recorded at another time than their peers", with_s2)
        self.assertEqual(self.convicted(shown), set())

    def test_clocks_that_are_minutes_and_hours_off(self):
        for name, seconds, text in (("m", 90, "s5 is 1m30s ahead of its peers"), ("b", -240, "s5 is 4m behind its peers"),
                                    ("h", 3600, "s5 is 1h ahead of its peers, as a time zone is"),
                                    ("z", -19801, "s5 is 5h30m behind its peers, as a time zone is")):
            with self.subTest(seconds):
                off = moved(f"off_{name}", {"s5": seconds})
                status, out, shown = self.diagnose(off)
                self.assertEqual(self.convicted(shown), {"s2"}, out)
                self.assertIn(text, out)
                self.assertEqual(shown["coverage"]["clocks"]["left_out"], ["s5"])
                status, out, shown = self.diagnose(off, "--correct-skew")
                self.assertEqual(self.convicted(shown), {"s2"}, out)
                self.assertEqual(shown["coverage"]["judged"]["hosts"], {"judged": 9, "there": 9})

    def test_a_clock_of_a_host_that_began_at_another_time(self):
        for name, seconds in (("late", 90), ("long", -1800)):
            with self.subTest(seconds):
                rows = ((time + seconds * (host == "s5"), host, rest) for time, host, rest in ROWS
                        if host != "s5" or time > START + 37)
                status, out, shown = self.diagnose(recording(f"began_{name}", rows))
                self.assertEqual(self.convicted(shown), {"s2"}, out)

    def test_a_clock_that_is_seconds_off(self):
        for seconds in (7, -15):
            with self.subTest(seconds):
                status, out, shown = self.diagnose(moved(f"off_{seconds}", {"s5": seconds}))
                self.assertEqual(self.convicted(shown), {"s2"}, out)
                self.assertEqual([(one["host"], one["ahead_s"]) for one in shown["coverage"]["clocks"]["skewed"]],
                                 [("s5", seconds)])

    def test_the_clock_of_the_sick_host(self):
        off = moved("off_sick", {"s2": 3600})
        out, shown = self.not_judged("s2 was recorded at another time than its peers", off)
        self.assertIn("--correct-skew", out)
        status, out, shown = self.diagnose(off, "--correct-skew")
        self.assertEqual((status, self.convicted(shown)), (1, {"s2"}), out)

    # What was imported, and from where.

    def wide(self, name, header, lines, *options):
        file = folder / f"{name}.csv"
        file.write_text(header + "\n" + "".join(line + "\n" for line in lines))
        return laggard("import", "csv", file, *options, "--out", folder / name)

    def test_a_gauge_that_no_metric_knows(self):
        lines = [f"{1795202494 + t},{disk},{100 + (t + n) % 9},{(45 if disk == 'sdc' and t > 100 else 5) + (t + n) % 3}"
                 for t in range(300) for n, disk in enumerate(["sda", "sdb", "sdc", "sdd", "sde"])]
        columns = ["--time", "t", "--component", "disk", "--host", "fs1"]
        status, _, err = self.wide("unknown", "t,disk,Lesen MB/s,Latenz (ms)", lines, *columns, "--gauge", "Lesen MB/s,Latenz (ms)")
        self.assertEqual(status, 0, err)
        self.assertIn("no metric is made of it, so it is not compared: Lesen MB/s, Latenz (ms)", err)
        out, _ = self.not_judged("no metric is known of what was recorded", folder / "unknown")
        self.assertIn("Latenz (ms), Lesen MB/s of 5 disk devices: no metric is made of them", out)
        self.assertIn("not compared: Latenz (ms)", laggard("info", folder / "unknown")[1])
        status, _, err = self.wide("known", "t,disk,Lesen MB/s,Latenz (ms)", lines, *columns,
                                   "--gauge", "Lesen MB/s=rd_sec:MB/s", "--gauge", "Latenz (ms)=await:ms")
        self.assertEqual((status, err), (0, ""))
        status, out, shown = self.diagnose(folder / "known")
        self.assertEqual((status, self.convicted(shown)), (1, {"fs1/sdc"}), out)
        exported = laggard("export", folder / "known", "--counter", "rd_sec", "--device", "sda")[1].splitlines()[1]
        self.assertEqual(exported, "1795202494,fs1,disk,sda,rd_sec,195312.5")

    def test_how_others_write(self):
        for name, options, when in (
                ("de", ["--delimiter", ";", "--decimal", ",", "--time-format", "%d.%m.%Y %H:%M:%S", "--tz", "+01:00"], "20.11.2026 20:21:34"),
                ("ms", ["--delimiter", ";", "--decimal", ","], "1795202494000"),
                ("us", ["--delimiter", ";", "--decimal", ",", "--time-format", "us"], "1795202494000000"),
                ("ns", ["--delimiter", ";", "--decimal", ","], "1795202494000000000"),
                ("iso", ["--delimiter", ";", "--decimal", ",", "--tz", "-05:30"], "2026-11-20 13:51:34")):
            with self.subTest(name):
                status, out, err = self.wide(f"as_{name}", "Zeit;Platte;ms", [f"{when};sda;2,5"], "--time", "Zeit", "--component", "Platte",
                                             "--host", "fs1", "--gauge", "ms=await", *options)
                self.assertEqual(status, 0, err)
                self.assertEqual(laggard("export", folder / f"as_{name}")[1].splitlines()[1], "1795202494,fs1,disk,sda,await,2.5")

    def test_a_column_per_disk(self):
        status, _, err = self.wide("columns", "t,sda_us,sdb_us,other", ["1795202494,2500,3500,1"], "--time", "t", "--host", "fs1",
                                   "--gauge", "*_us=*/await:us")
        self.assertEqual(status, 0, err)
        self.assertEqual(laggard("export", folder / "columns")[1].splitlines()[1:],
                         ["1795202494,fs1,disk,sda,await,2.5", "1795202494,fs1,disk,sdb,await,3.5"])
        status, _, err = self.wide("column", "t,first", ["1795202494,7"], "--time", "t", "--host", "fs1", "--counter", "first=sdb/rd_ms:s")
        self.assertEqual(status, 0, err)
        self.assertEqual(laggard("export", folder / "column")[1].splitlines()[1:], ["1795202494,fs1,disk,sdb,rd_ms,7000"])

    def test_a_folder_of_recordings(self):
        parent = folder / "parent"
        for host in SERVERS + ["c1", "c2", "c3", "c4"]:
            (parent / host).mkdir(parents=True)
            (parent / host / "metrics").mkdir()
            for file in (EXAMPLE / "metrics").glob(f"{host}-*"):
                shutil.copy(file, parent / host / "metrics")
        status, out, shown = self.diagnose(parent)
        self.assertEqual((status, self.convicted(shown)), (1, {"s2"}), out)
        self.assertEqual(shown["coverage"]["hosts"], 13)
        self.assertIn("13 hosts", laggard("info", parent)[1])

    def test_two_hosts_of_one_name(self):
        a = recording("name_a", ((t, host, rest) for t, host, rest in ROWS if host != "s2"))
        b = recording("name_b", ((t, "s1", rest.replace("loop22", "loop21")) for t, host, rest in ROWS if host == "s2"))
        _, out, shown = self.diagnose(a, b)
        self.assertTrue(shown["coverage"]["missing"][0].startswith("s1 is the name of two hosts: "), out)
        status, _, err = laggard("train", a, b, "--out", folder / "two.toml")
        self.assertEqual(status, 2)
        self.assertIn("s1 is the name of two hosts", err)
        together = folder / "name_together"
        shutil.copytree(a, together)
        for file in (b / "metrics").glob("s1-*"):
            shutil.copy(file, together / "metrics" / file.name.replace("Z.lgd", "Z-2.lgd"))
        _, out, shown = self.diagnose(together)
        self.assertTrue(shown["coverage"]["missing"][0].startswith("s1 is the name of two hosts: "), out)
        copy = folder / "copy"
        shutil.copytree(EXAMPLE, copy)
        _, out, shown = self.diagnose(EXAMPLE, copy)
        self.assertNotIn("one name", out)
        self.assertEqual(self.diagnose(EXAMPLE, EXAMPLE)[0], 1, "the same twice is the same")

    # Other hardware.

    # Nobody sees it begin or end: its disk may just be slower than the others.
    DURING = ["--preset", "quick", "--from", "2026-11-20T19:22:52Z", "--to", "2026-11-20T19:25:28Z"]

    def test_who_is_slower_from_the_first_minute_on(self):
        status, out, shown = self.diagnose(EXAMPLE, *self.DURING)
        self.assertEqual((status, self.convicted(shown)), (0, set()), out)
        self.assertIn("sick, or other hardware", " ".join(out.split()))
        self.assertEqual([incident["blame"]["name"] for incident in shown["incidents"]], ["s2"])

    def test_training_on_who_is_slower_from_the_first_minute_on(self):
        out = laggard("train", EXAMPLE, *self.DURING, "--out", folder / "slow.toml")[1]
        self.assertIn("slower than its peers all the time, which is normal from now on: s2 (disk-busy)", out)

    # Training.

    def test_training_leaves_out_who_stands_out(self):
        quick = ["--preset", "quick"]
        thresholds = folder / "t.toml"
        status, out, err = laggard("train", EXAMPLE, *quick, "--out", thresholds)
        self.assertEqual(status, 0, err)
        self.assertIn("stands out, not learnt from: s2 (disk-busy)", out)
        status, out, shown = self.diagnose(EXAMPLE, *quick, "--thresholds", thresholds)
        self.assertEqual((status, self.convicted(shown)), (1, {"s2"}), out)
        status, out, _ = laggard("train", EXAMPLE, *quick, "--out", thresholds, "--keep-all")
        self.assertEqual(status, 0)
        self.assertNotIn("stands out", out)
        healthy = [*quick, "--to", "2026-11-20T19:22:36Z"]
        self.assertNotIn("stands out", laggard("train", EXAMPLE, *healthy, "--out", thresholds)[1])


if __name__ == "__main__":
    try:
        unittest.main()
    finally:
        shutil.rmtree(folder)
