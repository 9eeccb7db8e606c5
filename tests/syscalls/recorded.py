"""What tests of recorded system calls share: recorders of several hosts, and what their recordings are judged to say."""
import json
import os
import signal
import subprocess
import sys
import time

import namespaces
from namespaces import SKIPPED, run


def expect(holds, sentence):
    if not holds:
        print(f"FAILED: {sentence}")
        sys.exit(1)


def may_trace(laggard, base):
    """Skips where tracing is forbidden or was not built."""
    tried = run(laggard, "record", "syscalls", "--host", "h", "--out", f"{base}-try", "--", "true", check=False)
    if tried.returncode != 0:
        print(f"skipped: {tried.stderr.strip()}")
        sys.exit(SKIPPED)


def system_file(base, servers, clients):
    """The file that says who is who. Hosts: numbers of addresses by name."""
    system = f"{base}/system.toml"
    with open(system, "w", encoding="utf-8") as file:
        for kind, hosts in (("servers", servers), ("clients", clients)):
            for host, number in hosts.items():
                file.write(f'[[{kind}]]\nname = "{host}"\naddress = "{namespaces.address(number)}"\n\n')
    return system


class Recorders:
    """One for each host, of its processes (`pids`: lists by host), all into one recording."""

    def __init__(self, laggard, base, pids):
        self.laggard, self.base, self.all = laggard, base, {}
        for host, of_host in pids.items():
            log = open(f"{base}/log-{host}", "w+", encoding="utf-8")
            process = subprocess.Popen([laggard, "record", "syscalls", "--host", host, "--out", f"{base}/rec", "--pid",
                                        ",".join(map(str, of_host))], stdin=subprocess.DEVNULL, stderr=log)
            self.all[host] = (process, log)
        for host, (process, _) in self.all.items():
            while process.poll() is None and not os.path.exists(f"{base}/rec/events/.{host}+syscalls.lock"):
                time.sleep(0.05)
        time.sleep(2)

    def end(self):
        for host, (process, log) in self.all.items():
            process.send_signal(signal.SIGTERM)
            status = process.wait(timeout=60)
            log.seek(0)
            said = log.read()
            expect(status == 0 and "; 0 records lost" in said, f"the recorder of {host} ends well: {status} {said}")

    def judged(self, system):
        """The incidents."""
        done = run(self.laggard, "diagnose", f"{self.base}/rec", "--system", system, "--preset", "quick", "--json", "-", check=False)
        expect(done.returncode in (0, 1), f"it is judged: {done.returncode} {done.stderr}")
        return json.loads(done.stdout)["incidents"]

    def errors(self, host):
        """The last calls of a host that failed, as text."""
        text = run(self.laggard, "export", f"{self.base}/rec", "--host", host, "--events", "syscall", "--format", "strace").stdout
        usual = ("EAGAIN", "ENOENT", "ENODATA", "ETIMEDOUT")
        return [line for line in text.splitlines() if " = -1 E" in line and not any(word in line for word in usual)][-20:]

    def expect_named(self, incidents, cause, server, *words):
        """Exactly this server, by this cause, and the sentence has the words."""
        found = [(incident["cause"], incident["blame"]["name"]) for incident in incidents]
        if found != [(cause, server)]:
            for host in self.all:
                print(host, *self.errors(host), sep="\n")
        expect(found == [(cause, server)], f"{cause} of {server} and nothing else: {found}")
        notes = [evidence["note"] for evidence in incidents[0]["evidence"]]
        expect(any(all(word in note for word in words) for note in notes), f"the sentence has {words}: {notes}")
        print(f"  {notes[0]}")
