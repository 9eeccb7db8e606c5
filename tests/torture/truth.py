"""A machine whose every counter is known: a value is a pure function of host, device, counter and tick, so that whatever is
read back from a recording can be judged right or wrong without a log of what was recorded.

    value = prefix * 10^8 + start + 64 * tick + noise(tick),   0 <= noise < 64

Prefix, start and noise come from a hash of the names. The last eight digits say which tick a value is of, and the noise that
it is of this counter of this device and of nothing else. Every fourth device is idle: its counters never move."""
import functools
import hashlib
import os
import pathlib
import struct
import threading
import time

DISK = ("rd_ios rd_merges rd_sectors rd_ms wr_ios wr_merges wr_sectors wr_ms in_flight io_ms weighted_ms dc_ios dc_merges "
        "dc_sectors dc_ms fl_ios fl_ms").split()
NET = "rx_bytes rx_packets rx_errors rx_drop tx_bytes tx_packets tx_errors tx_drop".split()
NET_PLACES = (0, 1, 2, 3, 8, 9, 10, 11)
LEVELS = ("in_flight",)
STEP, DIGITS = 64, 10 ** 8
LAST_TICK = (DIGITS - 10 ** 6) // STEP
DEVICES = {"disk": ("sda", "sdb", "sdc", "sdd"), "net": ("eth0", "eth1")}
COUNTERS = {"disk": DISK, "net": NET}
HEADER = "time,host,kind,device,counter,value"


@functools.lru_cache(maxsize=None)
def _constants(host, device, counter):
    prefix, start, seed = struct.unpack("<IIQ", hashlib.blake2b(f"{host}/{device}/{counter}".encode(), digest_size=16).digest())
    return prefix % 10 ** 6, start % 10 ** 6, seed


def is_idle(device):
    return device == "sdd"


def value(host, device, counter, tick):
    """What the counter shows at a tick, 0 <= tick < LAST_TICK."""
    prefix, start, seed = _constants(host, device, counter)
    if counter in LEVELS:
        prefix = start = 0
    if is_idle(device):
        return prefix * DIGITS + start
    noise = ((tick * 0x9E3779B97F4A7C15 + seed) & 0xFFFFFFFFFFFFFFFF) >> 58
    return prefix * DIGITS + start + STEP * tick + noise


def tick_of(host, device, counter, shown):
    """The tick at which the counter shows this; None when it never does. Idle devices show the same at tick 0 and later."""
    prefix, start, _ = _constants(host, device, counter)
    if counter in LEVELS:
        prefix = start = 0
    tick = 0 if is_idle(device) else (shown - prefix * DIGITS - start) // STEP
    return tick if 0 <= tick < LAST_TICK and value(host, device, counter, tick) == shown else None


class Plan:
    """Samples for an import: hosts, and as many samples as asked for, `step_ms` apart from `start_ms` on. The tick of a sample
    is its number."""

    def __init__(self, hosts, samples, start_ms=1_700_000_000_000, step_ms=1000, kinds=("disk", "net")):
        self.hosts, self.samples, self.start_ms, self.step_ms, self.kinds = tuple(hosts), samples, start_ms, step_ms, kinds

    def series(self):
        for host in self.hosts:
            for kind in self.kinds:
                for device in DEVICES[kind]:
                    for counter in COUNTERS[kind]:
                        yield host, kind, device, counter

    def rows(self):
        """{(ns, host, kind, device, counter): value}"""
        return {((self.start_ms + i * self.step_ms) * 10 ** 6, *names): value(names[0], names[2], names[3], i)
                for i in range(self.samples) for names in self.series()}

    def write_csv(self, path):
        """In order of time, as a recorder would see it."""
        series = list(self.series())
        with open(path, "w", encoding="utf-8") as out:
            out.write(HEADER + "\n")
            for i in range(self.samples):
                ms = self.start_ms + i * self.step_ms
                out.write("".join(f"{ms // 1000}.{ms % 1000:03},{h},{k},{d},{c},{value(h, d, c, i)}\n" for h, k, d, c in series))

    def is_true(self, key, shown):
        ns, host, kind, device, counter = key
        step = self.step_ms * 10 ** 6
        tick, rest = divmod(ns - self.start_ms * 10 ** 6, step)
        return (rest == 0 and 0 <= tick < self.samples and host in self.hosts and device in DEVICES.get(kind, ()) and
                counter in COUNTERS[kind] and value(host, device, counter, tick) == shown)


class LiveMachine:
    """A root with proc/diskstats and proc/net/dev of a known machine, that ticks while it is recorded.

    The recorder keeps the files open, as it may with the kernel's, so they are rewritten in place. A reading that meets a
    writing sees the old text up to some byte and the new one from there on. So the eight digits that change stand in eight
    bytes aligned to eight, which one copy instruction moves: every number is of one tick or of the next one."""

    TICK_S = 0.02
    SLACK_S = 3.0  # What a busy machine may keep a writer or a recorder waiting between the clock and the file.

    def __init__(self, root, host, boot="boot-1"):
        self.root, self.host = pathlib.Path(root), host
        for folder in ("proc/net", "proc/sys/kernel/random", "sys/block"):
            (self.root / folder).mkdir(parents=True, exist_ok=True)
        for disk in DEVICES["disk"]:
            (self.root / "sys/block" / disk).mkdir(exist_ok=True)
            (self.root / "sys/block" / disk / "size").write_text("2048\n")
        (self.root / "proc/sys/kernel/hostname").write_text(host + "\n")
        self.reboot(boot)
        self.began = time.time()
        self._files = [os.open(self.root / name, os.O_WRONLY | os.O_CREAT, 0o644) for name in ("proc/diskstats", "proc/net/dev")]
        self._templates = [self._template(self._disk_lines()), self._template(self._net_lines())]
        self._stop = threading.Event()
        self.publish()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def reboot(self, boot):
        (self.root / "proc/sys/kernel/random/boot_id").write_text(boot + "\n")

    def close(self):
        self._stop.set()
        self._thread.join()
        for fd in self._files:
            os.close(fd)

    def tick(self):
        return int((time.time() - self.began) / self.TICK_S)

    def _disk_lines(self):
        for i, disk in enumerate(DEVICES["disk"]):
            yield f"   8 {16 * i:7} {disk}", [(disk, counter) for counter in DISK]

    def _net_lines(self):
        yield "Inter-|   Receive                            |  Transmit", []
        yield " face |bytes packets errs drop fifo frame compressed multicast|bytes packets errs drop fifo colls carrier compressed", []
        for net in DEVICES["net"]:
            numbers = [None] * 16
            for place, counter in zip(NET_PLACES, NET):
                numbers[place] = (net, counter)
            yield f"{net:>6}:", numbers

    def _template(self, lines):
        """Text, and for each of its numbers (offset of the last eight digits, device, counter)."""
        text, places = b"", []
        for head, numbers in lines:
            text += head.encode()
            for number in numbers:
                if number is None:
                    text += b" 0"
                    continue
                prefix = 0 if number[1] in LEVELS else _constants(self.host, *number)[0]
                digits = b" " + (str(prefix).encode() if prefix else b"")
                text += b" " * (-(len(text) + len(digits)) % 8) + digits
                places.append((len(text), *number))
                text += b"0" * 8
            text += b"\n"
        return bytearray(text), places

    def publish(self):
        tick = self.tick()
        for fd, (text, places) in zip(self._files, self._templates):
            for at, device, counter in places:
                text[at:at + 8] = b"%08d" % (value(self.host, device, counter, tick) % DIGITS)
            os.pwrite(fd, text, 0)

    def _run(self):
        while not self._stop.wait(self.TICK_S):
            self.publish()


def judge(host, began, rows):
    """Sentences about values that a live machine cannot have shown at their times. {(ns, host, kind, device, counter): value}"""
    wrong, of_sample = [], {}
    for (ns, of, kind, device, counter), shown in rows.items():
        if of != host:
            continue
        known = device in DEVICES.get(kind, ()) and counter in COUNTERS[kind]
        tick = tick_of(host, device, counter, shown) if known else None
        if tick is None:
            wrong.append(f"{host}/{device} {counter} never shows {shown}, at {ns}")
        elif not is_idle(device):
            behind = ns / 1e9 - (began + tick * LiveMachine.TICK_S)
            if not -1 <= behind <= LiveMachine.SLACK_S:
                wrong.append(f"{host}/{device} {counter} shows {shown} {behind:.2f} s off its time {ns}")
            of_sample.setdefault((ns, device), set()).add(tick)
    for (ns, device), ticks in of_sample.items():
        if len(ticks) > 2:  # Two when a reading met a writing, which on a busy machine skips ticks.
            wrong.append(f"{host}/{device} at {ns}: its counters are of the ticks {sorted(ticks)}")
    return wrong
