"""A headless Chromium on a leash: the DevTools protocol over a pipe, with nothing but the standard library."""
import base64
import itertools
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-dev-shm-usage", "--no-first-run", "--disable-sync",
         "--disable-background-networking", "--disable-component-update", "--disable-default-apps",
         "--disable-extensions", "--hide-scrollbars", "--mute-audio", "--no-proxy-server",
         "--host-resolver-rules=MAP * ~NOTFOUND", "--remote-debugging-pipe")


def find():
    """The browser's path, or None."""
    return next((path for path in map(shutil.which, PROGRAMS) if path), None)


class Chromium:
    """One browser process; `with Chromium() as browser: page = browser.page()`."""

    def __enter__(self):
        self.profile = tempfile.TemporaryDirectory(prefix="laggard-browser-", ignore_cleanup_errors=True)
        to_read, self.write_end = os.pipe()
        self.read_end, to_write = os.pipe()

        def become_3_and_4():
            os.dup2(to_read, 63)
            os.dup2(to_write, 64)
            os.dup2(63, 3)
            os.dup2(64, 4)
            os.set_inheritable(3, True)
            os.set_inheritable(4, True)

        self.process = subprocess.Popen(
            [find(), *FLAGS, f"--user-data-dir={self.profile.name}", "about:blank"], close_fds=False,
            preexec_fn=become_3_and_4, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(to_write)
        self.numbers = itertools.count(1)
        self.buffer = b""
        self.events = []
        return self

    def __exit__(self, *_):
        try:
            self.call("Browser.close", timeout=5)
        except (OSError, RuntimeError, TimeoutError):
            pass
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.read_end)
        os.close(self.write_end)
        self.profile.cleanup()

    def receive(self, timeout):
        """The next message, or None after `timeout` seconds."""
        end = time.monotonic() + timeout
        while b"\0" not in self.buffer:
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.read_end], [], [], left)[0]:
                return None
            piece = os.read(self.read_end, 1 << 20)
            if not piece:
                raise RuntimeError("the browser closed its end")
            self.buffer += piece
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, session=None, timeout=15, **params):
        """The result of one protocol call; events that arrive meanwhile are kept in `events`."""
        number = next(self.numbers)
        message = {"id": number, "method": method, "params": params}
        if session:
            message["sessionId"] = session
        os.write(self.write_end, json.dumps(message).encode() + b"\0")
        end = time.monotonic() + timeout
        while time.monotonic() < end:
            answer = self.receive(end - time.monotonic())
            if answer is None:
                break
            if answer.get("id") == number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self.events.append(answer)
        raise TimeoutError(f"{method}: no answer within {timeout} s")

    def page(self, width=1280, height=900, dark=False, scale=1):
        return Page(self, width, height, dark, scale)


class Page:
    """A tab that remembers what it logged and what it asked the network for."""

    def __init__(self, browser, width, height, dark, scale):
        self.browser = browser
        target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=False)
        self.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def call(self, method, **params):
        return self.browser.call(method, self.session, **params)

    def open(self, path):
        """Opens a file; returns the milliseconds until its script and two frames had run."""
        start = time.monotonic()
        self.call("Page.navigate", url="file://" + os.path.abspath(path))
        self.wait("document.readyState === 'complete'")
        self.frames()
        return 1000 * (time.monotonic() - start)

    def wait(self, condition, timeout=15):
        end = time.monotonic() + timeout
        while not self.run(condition):
            if time.monotonic() > end:
                raise TimeoutError(f"never came true: {condition}")
            time.sleep(0.02)

    def frames(self):
        self.run("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 30))))")

    def run(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in result:
            raise RuntimeError(result["exceptionDetails"].get("exception", {}).get("description", expression))
        return result["result"].get("value")

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def move(self, x, y):
        self.mouse("mouseMoved", x, y)
        self.frames()

    def click(self, x, y, count=1):
        for n in range(1, count + 1):
            self.mouse("mousePressed", x, y, button="left", buttons=1, clickCount=n)
            self.mouse("mouseReleased", x, y, button="left", clickCount=n)
        self.frames()

    def drag(self, x0, y0, x1, y1):
        self.mouse("mouseMoved", x0, y0)
        self.mouse("mousePressed", x0, y0, button="left", buttons=1, clickCount=1)
        self.mouse("mouseMoved", (x0 + x1) / 2, y1, button="left", buttons=1)
        self.mouse("mouseMoved", x1, y1, button="left", buttons=1)
        self.mouse("mouseReleased", x1, y1, button="left", clickCount=1)
        self.frames()

    def press(self, key):
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key)
        self.frames()

    def screenshot(self, path, whole=False):
        params = {"format": "png"}
        if whole:
            size = self.call("Page.getLayoutMetrics")["cssContentSize"]
            params |= {"captureBeyondViewport": True, "clip": size | {"x": 0, "y": 0, "scale": 1}}
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("Page.captureScreenshot", **params)["data"]))

    def pdf(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("Page.printToPDF", printBackground=False)["data"]))

    def complaints(self):
        """Everything the page logged as a warning or error, and every uncaught exception."""
        self.run("0")
        out = []
        for event in self.mine():
            params = event["params"]
            if event["method"] == "Runtime.exceptionThrown":
                out.append(params["exceptionDetails"].get("exception", {}).get("description", "exception"))
            elif event["method"] == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning", "assert"):
                out.append(str(params["args"]))
            elif event["method"] == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
                out.append(params["entry"]["text"])
        return out

    def requests(self):
        """The addresses that the page asked for, besides itself and data: URLs."""
        self.run("0")
        urls = [event["params"]["request"]["url"] for event in self.mine()
                if event["method"] == "Network.requestWillBeSent" and event["params"].get("type") != "Document"]
        return [url for url in urls if not url.startswith("data:")]

    def mine(self):
        return [e for e in self.browser.events if e.get("sessionId") == self.session]
