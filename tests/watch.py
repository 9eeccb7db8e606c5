"""laggard watch as a site runs it: changes as JSON, a command per change, a textfile, a real Alertmanager, restarts and kills.

watch.py LAGGARD RECORDING: the recording is finished, so `--until-idle` ends each watch. Without Debian's
prometheus-alertmanager that part is skipped, with a sentence."""
import json
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.error
import urllib.request
from pathlib import Path

LAGGARD, RECORDING = (Path(argument).resolve() for argument in sys.argv[1:3])
ALERTMANAGER = shutil.which("prometheus-alertmanager")


def watch(*options, check=True):
    """The changes that a watch told, and what it noted."""
    done = subprocess.run([LAGGARD, "watch", RECORDING, "--preset", "lab", "--until-idle", "200ms", "--poll", "100ms", "--json", *options],
                          capture_output=True, text=True, timeout=60)
    if check:
        assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()], done.stderr


class RealAlertmanager:
    """One with a folder and a port of its own."""

    def __init__(self, folder):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.url = f"http://127.0.0.1:{probe.getsockname()[1]}"
        config = folder / "am.yml"
        config.write_text("route: {receiver: nobody}\nreceivers: [{name: nobody}]\n")
        self.log = open(folder / "am.log", "w")
        self.process = subprocess.Popen([ALERTMANAGER, f"--config.file={config}", f"--storage.path={folder}/am",
                                         f"--web.listen-address={self.url[7:]}", "--cluster.listen-address="],
                                        stdout=self.log, stderr=self.log)
        for _ in range(100):
            try:
                urllib.request.urlopen(self.url + "/-/ready", timeout=1)
                return
            except (urllib.error.URLError, OSError):
                time.sleep(0.1)
        raise RuntimeError("Alertmanager did not start")

    def alerts(self):
        with urllib.request.urlopen(self.url + "/api/v2/alerts", timeout=5) as answer:
            return json.load(answer)

    def stop(self):
        self.process.kill()
        self.process.wait()
        self.log.close()


class Watching(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def test_changes_are_numbered_lines_that_end_with_the_diagnosis(self):
        changes, _ = watch()
        self.assertEqual([change["number"] for change in changes], list(range(1, len(changes) + 1)))
        self.assertEqual(changes[0]["change"], "opened")
        diagnosis = json.loads(subprocess.run([LAGGARD, "diagnose", RECORDING, "--preset", "lab", "--json", "-"],
                                              capture_output=True, check=True).stdout)
        last = {change["incident"]["id"]: change["incident"] for change in changes if change["change"] not in ("withdrawn", "merged", "explained")}
        told = {(i["blame"]["name"], i["cause"], i["state"], i["persistence"]) for i in last.values()}
        self.assertEqual(told, {(i["blame"]["name"], i["cause"], i["state"], i["persistence"]) for i in diagnosis["incidents"]})

    def test_a_restart_tells_nothing_twice(self):
        state = self.folder / "state.json"
        first, _ = watch("--state", state)
        self.assertTrue(first)
        again, _ = watch("--state", state)
        self.assertEqual(again, [])

    def test_a_kill_at_any_moment_costs_no_change_and_alters_none(self):
        whole, _ = watch()
        for number in range(1, len(whole) + 1):
            # The command kills the watch before its state has been kept: the change comes again.
            state = self.folder / f"state{number}.json"
            seen = self.folder / f"seen{number}"
            command = f'cat >>{seen}; test "$LAGGARD_NUMBER" != {number} || test -e {seen}.killed || ' \
                      f'{{ touch {seen}.killed; kill -KILL "$PPID"; }}'
            killed = subprocess.run([LAGGARD, "watch", RECORDING, "--preset", "lab", "--until-idle", "200ms", "--poll", "100ms", "--json",
                                     "--state", state, "--on-change", command], capture_output=True, timeout=60)
            self.assertEqual(killed.returncode, -signal.SIGKILL)
            watch("--state", state, "--on-change", command)
            lines = [json.loads(line) for line in seen.read_text().splitlines()]
            by_number = {}
            for line in lines:
                self.assertEqual(by_number.setdefault(line["number"], line), line)
            self.assertEqual([by_number[n] for n in sorted(by_number)], whole)

    def test_kills_at_moments_of_chance_cost_nothing_either(self):
        whole, _ = watch()
        chance = random.Random(7)
        for attempt in range(6):
            state, lines = self.folder / f"state{attempt}", []
            for start in range(3):
                out = self.folder / f"out{attempt}.{start}"
                with open(out, "w") as told:
                    process = subprocess.Popen([LAGGARD, "watch", RECORDING, "--preset", "lab", "--until-idle", "200ms", "--poll", "100ms",
                                                "--json", "--state", state], stdout=told, stderr=subprocess.DEVNULL)
                    try:
                        process.wait(timeout=chance.uniform(0.02, 0.5))
                    except subprocess.TimeoutExpired:
                        process.kill()
                        process.wait()
                text = out.read_text()
                lines += [json.loads(line) for line in text[:text.rfind("\n") + 1].splitlines()]
            lines += watch("--state", state)[0]
            by_number = {}
            for line in lines:
                self.assertEqual(by_number.setdefault(line["number"], line), line)
            self.assertEqual([by_number[number] for number in sorted(by_number)], whole)

    def test_a_state_of_other_options_is_said_and_judged_again(self):
        state = self.folder / "state"
        first, notes = watch("--state", state)
        self.assertNotIn("judged again", notes)
        again, notes = watch("--state", state, "--set", "latency.threshold=2.5")
        self.assertIn("the saved state is of other peers or other options; what was recorded is judged again", notes)
        self.assertNotIn("opened", [change["change"] for change in again])
        _, notes = watch("--state", state, "--set", "latency.threshold=2.5")
        self.assertNotIn("judged again", notes)

    def test_a_damaged_state_is_refused(self):
        state = self.folder / "state"
        watch("--state", state)
        whole = state.read_bytes()
        chance = random.Random(3)
        for _ in range(20):
            at = chance.randrange(len(whole))
            for bad in (whole[:at], whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1:]):
                state.write_bytes(bad)
                done = subprocess.run([LAGGARD, "watch", RECORDING, "--until-idle", "200ms", "--state", state], capture_output=True, text=True)
                self.assertEqual(done.returncode, 2)
                self.assertIn("is no state of laggard watch, or is damaged", done.stderr)

    def test_a_command_hears_of_each_change(self):
        heard = self.folder / "heard"
        changes, _ = watch("--on-change", f'echo "$LAGGARD_NUMBER $LAGGARD_CHANGE $LAGGARD_PART" >>{heard}; cat >>{heard}.json')
        self.assertEqual(heard.read_text().splitlines(),
                         [f"{change['number']} {change['change']} {change['incident']['blame']['name']}" for change in changes])
        self.assertEqual([json.loads(line) for line in Path(f"{heard}.json").read_text().splitlines()], changes)

    def test_a_command_that_fails_is_noted_and_ends_nothing(self):
        changes, notes = watch("--on-change", "exit 3")
        self.assertTrue(changes)
        self.assertIn("--on-change: exited with status 3 at change 1", notes)

    def test_the_textfile_holds_what_is_open(self):
        textfile = self.folder / "laggard.prom"
        changes, _ = watch("--textfile", textfile)
        text = textfile.read_text()
        self.assertIn('laggard_incident_open{id="%s",kind="server",part="s2"' % changes[0]["incident"]["id"], text)
        self.assertIn("laggard_incidents_open 1\n", text)
        self.assertIn('laggard_changes_total{change="opened"} 1\n', text)

    def test_a_textfile_that_cannot_be_written_is_refused_at_once(self):
        _, notes = watch("--textfile", self.folder / "none" / "laggard.prom", check=False)
        self.assertIn("laggard.prom", notes)

    def test_a_server_that_is_away_ends_nothing(self):
        changes, notes = watch("--alertmanager", "http://127.0.0.1:9")
        self.assertTrue(changes)
        self.assertIn("http://127.0.0.1:9", notes)

    @unittest.skipUnless(ALERTMANAGER, "skipped: prometheus-alertmanager is not installed")
    def test_alerts_reach_a_real_alertmanager_and_outlive_a_restart(self):
        server = RealAlertmanager(self.folder)
        self.addCleanup(server.stop)
        state = self.folder / "state.json"
        changes, notes = watch("--alertmanager", server.url, "--state", state)
        self.assertNotIn("127.0.0.1", notes)
        incident = changes[-1]["incident"]
        for _ in range(2):
            alert, = server.alerts()
            self.assertEqual(alert["labels"], {"alertname": "laggard", "incident": incident["id"], "severity": "critical"})
            self.assertIn("s2 is sick", alert["annotations"]["summary"])
            again, _ = watch("--alertmanager", server.url, "--state", state)
            self.assertEqual(again, [])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
