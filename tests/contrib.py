"""What contrib/ ships does what it says: units are sound and their commands run, cron's lines too, the plugin tells states apart.

contrib.py LAGGARD. Checks by systemd are skipped, with a sentence, where systemd is not installed."""
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

LAGGARD = Path(sys.argv[1]).resolve()
CONTRIB = Path(__file__).resolve().parent.parent / "contrib"
EXAMPLE = CONTRIB.parent / "examples/ddr-disk-busy-s2"
SERVICES = sorted((CONTRIB / "systemd").glob("*.service"))
ANALYZE = shutil.which("systemd-analyze")
SYSUSERS = shutil.which("systemd-sysusers")


def commands():
    """Every command that units and cron start, by where it stands."""
    found = {}
    for unit in SERVICES:
        found[unit.name] = re.search(r"^ExecStart=(.*)$", unit.read_text(), re.M)[1].replace("%%", "%")
    for number, line in enumerate((CONTRIB / "cron/laggard").read_text().splitlines()):
        if line.startswith("@reboot"):
            found[f"cron:{number}"] = line.split(None, 2)[2]
        elif re.match(r"[0-9*]", line):
            found[f"cron:{number}"] = line.split(None, 6)[6].replace(r"\%", "%")
    return found


class Contrib(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def here(self, text):
        return text.replace("/usr/local/bin/laggard", str(LAGGARD)).replace("/var/lib/laggard", str(self.folder))

    @unittest.skipUnless(ANALYZE, "skipped: systemd is not installed")
    def test_systemd_finds_nothing_wrong_with_the_units(self):
        for unit in sorted((CONTRIB / "systemd").glob("laggard-*")):
            # The user is made by sysusers, and the program is where this test has it.
            text = self.here(unit.read_text()).replace("User=laggard", "User=root")
            (self.folder / unit.name).write_text(text)
        units = sorted(self.folder.glob("laggard-*"))
        self.assertEqual(len(units), 5)
        done = subprocess.run([ANALYZE, "verify", "--man=no", *units], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        calendar = re.search(r"^OnCalendar=(.*)$", (CONTRIB / "systemd/laggard-report.timer").read_text(), re.M)[1]
        subprocess.run([ANALYZE, "calendar", calendar], capture_output=True, check=True)

    @unittest.skipUnless(SYSUSERS, "skipped: systemd-sysusers is not installed")
    def test_systemd_reads_the_user(self):
        done = subprocess.run([SYSUSERS, "--dry-run", "--root", self.folder, CONTRIB / "systemd/laggard.sysusers"],
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_recorder_and_watch_run_together_and_end_well(self):
        for where in ("systemd", "cron"):
            self.setUp()
            starts = [self.here(text) for name, text in commands().items()
                      if ("cron" in name) == (where == "cron") and (" record " in text or " watch " in text)]
            self.assertEqual(len(starts), {"systemd": 3, "cron": 2}[where])
            starts = [text for text in starts if " record logs " not in text or shutil.which("journalctl")]
            running = [subprocess.Popen(["/bin/sh", "-c", "exec " + re.sub(r"^laggard ", f"{shlex.quote(str(LAGGARD))} ", text)],
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for text in starts]
            deadline = time.monotonic() + 30
            prom = self.folder / "laggard.prom"
            while time.monotonic() < deadline and not (prom.exists() and "complete_until_seconds " in prom.read_text()):
                time.sleep(0.2)
            text = prom.read_text() if prom.exists() else ""
            for process in running:
                process.send_signal(signal.SIGTERM)
            ends = [(process.communicate(timeout=30), process.returncode) for process in running]
            self.assertEqual([code for _, code in ends], [0] * len(starts), ends)
            self.assertIn("laggard_watch_complete_until_seconds ", text, ends)

    def test_the_page_of_yesterday(self):
        reports = [text for text in commands().values() if " diagnose " in text or "diagnose /var" in text]
        self.assertEqual(len(reports), 2)
        for report in reports:
            shutil.copytree(EXAMPLE, self.folder / "rec", dirs_exist_ok=True)
            # Yesterday is the example's day.
            text = self.here(report).replace("yesterday", "2026-11-20", 1).replace('date -u +', 'date -u -d 2026-11-21 +')
            page = self.folder / "yesterday.html"
            page.unlink(missing_ok=True)
            done = subprocess.run(["/bin/sh", "-c", re.sub(r"^laggard ", f"{shlex.quote(str(LAGGARD))} ", text)], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("s2", page.read_text())

    def plugin(self, *arguments):
        done = subprocess.run([CONTRIB / "nagios/check_laggard", *map(str, arguments)], capture_output=True, text=True)
        return done.returncode, done.stdout

    def textfile(self, *incidents, age=10, complete=True, verdict="well"):
        lines = [f'laggard_incident_open{{id="i{n}",kind="{kind}",part="{part}",cause="disk-busy",state="{state}"}} 1'
                 for n, (kind, part, state) in enumerate(incidents)]
        lines.append(f"laggard_incidents_open {len(incidents)}")
        lines += [f'laggard_verdict{{verdict="{name}"}} {int(name == verdict)}' for name in ("sick", "well", "not_judged")]
        lines += ["laggard_components 9", "laggard_components_judged 2"]
        if complete:
            lines.append(f"laggard_watch_complete_until_seconds {time.time() - age:.3f}")
        path = self.folder / "laggard.prom"
        path.write_text("\n".join(lines) + "\n")
        return path

    def test_the_plugin_tells_states_apart(self):
        self.assertEqual(self.plugin(self.textfile())[0], 0)
        status, text = self.plugin(self.textfile(("server", "s2", "confirmed"), ("disk", "s3/sdb", "suspected")))
        self.assertEqual(status, 2)
        self.assertTrue(text.startswith("LAGGARD CRITICAL - 1 confirmed: server s2: disk-busy | confirmed=1;;1 suspected=1;1 age="), text)
        status, text = self.plugin(self.textfile(("disk", r'a\"b|c', "suspected")))
        self.assertEqual(status, 1)
        self.assertIn(r'disk a\"b c: disk-busy |', text)
        self.assertEqual(text.count("|"), 1)

    def test_the_plugin_does_not_take_silence_for_health(self):
        self.assertEqual(self.plugin(self.textfile(age=301))[0], 3)
        self.assertEqual(self.plugin(self.textfile(age=301), 600)[0], 0)
        self.assertEqual(self.plugin(self.textfile(complete=False))[0], 3)
        status, text = self.plugin(self.textfile(verdict="not_judged"))
        self.assertEqual(status, 3)
        self.assertIn("only 2 of 9 components can be compared", text)
        self.assertEqual(self.plugin(self.folder / "none.prom")[0], 3)
        self.assertEqual(self.plugin(self.textfile(), "soon")[0], 3)
        self.assertEqual(self.plugin()[0], 3)
        (self.folder / "other.prom").write_text("node_load1 3\n")
        self.assertEqual(self.plugin(self.folder / "other.prom")[0], 3)

    def test_the_plugin_reads_what_the_watch_writes(self):
        prom = self.folder / "laggard.prom"
        subprocess.run([LAGGARD, "watch", EXAMPLE, "--until-idle", "200ms", "--poll", "100ms", "--textfile", prom], capture_output=True, check=True)
        status, text = self.plugin(prom, 10**9)
        self.assertEqual(status, 2)
        self.assertIn("1 confirmed: server s2: disk-busy", text)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
