"""Lying servers before `import prometheus` and `send`: they end with a sentence in time, obey SIGTERM, keep their memory, and show
their credentials to nobody else. The lies themselves are tests/servers/lying_server.py; who is told what, is here."""
import base64
import http.server
import pathlib
import random
import shutil
import signal
import socketserver
import sys
import threading
import time

from trial import PATIENCE_S

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "servers"))
import lying_server as lies  # noqa: E402: the catalogue that `./dev test` has, too.

MOST_MEMORY_KB = 1 << 20
OBEYS_S = 2.0
SLACK_S = 1.0  # Of a busy machine.
PASSWORD, TOKEN = "s3cret-password", "s3cret-token"
TIMES = ("--from", "2026-11-20T19:21:00Z", "--to", "2026-11-20T19:31:00Z")


def recording(trial):
    copy = trial.folder / "rec"
    shutil.copytree(trial.pool.two_days, copy)
    return copy


def words_for(trial, url, credentials=()):
    if trial.rng.random() < 0.5:
        return ["import", "prometheus", url, "--out", trial.folder / "imported", *TIMES, *credentials]
    return ["send", recording(trial), "--to", url, "--give-up", "2s", "--batch", trial.rng.choice((100, 100_000)), *credentials]


def lied_to(trial):
    """It ends by itself, or is told to after a while; what never ends by itself is told to, too."""
    name = lies.behaviours[trial.seed % len(lies.behaviours)]
    with lies.serve(name, trial.seed) as server:
        words = words_for(trial, server.url)
        trial.label = f"{words[0]} from {name}" if words[0] == "import" else f"send to {name}"
        process = trial.start(*words)
        deadline = time.monotonic() + (trial.rng.uniform(0.05, 3) if trial.rng.random() < 0.5 else 3)
        while time.monotonic() < deadline and still_runs(process):
            time.sleep(0.01)
        end_and_judge(trial, process)


def still_runs(process):
    return pathlib.Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"


def end_and_judge(trial, process):
    told = time.monotonic() if still_runs(process) else None
    if told:
        trial.kill(process, signal.SIGTERM)
    trial.events = 1
    ended = trial.finish(process, patience=PATIENCE_S, sent=(signal.SIGTERM,) if told else ())
    if told and time.monotonic() - told > OBEYS_S + SLACK_S:
        trial.find("hang", "does not obey SIGTERM in time", f"{time.monotonic() - told:.1f} s")
    if ended.most_memory_kb > MOST_MEMORY_KB:
        trial.find("other", "takes more than a gigabyte of memory", f"{ended.most_memory_kb // 1024} MB")
    if ended.status == 2 and "laggard: " not in ended.said():
        trial.find("other", "fails without a sentence", ended.short())
    if len(ended.err) > 20_000:
        trial.find("other", "fills the terminal with what a server said", f"{len(ended.err)} bytes")
    made = trial.folder / "imported"
    if made.exists() and any(made.glob("metrics/*.lgd")):
        if trial.run("info", "--verify", made).status != 0:
            trial.find("half file", "what was imported cannot be read", trial.log()[-300:])
    elif made.exists() and ended.status >= 0 and any(made.rglob("*")):
        trial.find("half file", "an import that brought nothing leaves something", sorted(map(str, made.rglob("*"))))


class Witness(socketserver.ThreadingMixIn, http.server.HTTPServer):
    """Answers everything, perhaps by sending the asker somewhere else, and keeps all headers that came."""

    daemon_threads = True

    def __init__(self, redirect=None):
        super().__init__(("127.0.0.1", 0), WitnessHandler)
        self.redirect, self.heard = redirect, []
        self.url = f"http://127.0.0.1:{self.server_port}"
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    def handle_error(self, *_):
        pass

    def close(self):
        self.shutdown()
        self.server_close()


class WitnessHandler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self):
        self.server.heard.append(f"{self.path}\n{self.headers}".encode("utf-8", "replace"))
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        body = b'{"status":"success","data":["fs1:9100"]}' if "/label/" in self.path else (
            b'{"status":"success","data":{"resultType":"matrix","result":[]}}')
        if self.server.redirect:
            self.send_response(self.server.redirect[0])
            self.send_header("Location", self.server.redirect[1] + self.path)
        else:
            self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST = answer


def redirected(trial):
    """Credentials are for the server that was named, not for whom it names: another port, host name or scheme is another."""
    trial.label = "credentials"
    token = trial.folder / "token"
    token.write_text(TOKEN + "\n")
    other = Witness()
    host = trial.rng.choice(("127.0.0.1", "localhost", "127.0.0.2"))
    status = trial.rng.choice((301, 302, 303, 307, 308))
    first = Witness((status, f"http://{host}:{other.server_port}"))
    try:
        with_token = trial.rng.random() < 0.5
        url = first.url if with_token else first.url.replace("//", f"//reader:{PASSWORD}@")
        words = words_for(trial, url, ("--bearer-token-file", token) if with_token else ())
        ended = trial.run(*words, patience=60)
        trial.events = 1
        secrets = [secret.encode() for secret in (PASSWORD, TOKEN)] + [base64.b64encode(f"reader:{PASSWORD}".encode())]
        if any(secret in heard for heard in other.heard for secret in secrets):
            trial.find("other", f"{words[0]} shows its credentials to whom it was redirected to", f"{status} to {host}")
        if any(secret in ended.err + ended.out for secret in secrets):
            trial.find("other", f"{words[0]} prints its credentials", ended.short())
    finally:
        first.close()
        other.close()


def run(trial):
    random.seed(trial.seed)
    if trial.seed % 5 == 0:
        redirected(trial)
    else:
        lied_to(trial)
