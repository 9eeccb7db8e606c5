#!/usr/bin/env python3
"""T's Figures 6.1 to 6.4: the await of eight LUNs while a disk of one of them fails, is rebuilt and copied back.

usage: tests/accuracy/raid_figures.py LAGGARD_BINARY [--seed 1] [--keep FOLDER] [--svg FILE]

Simulates T §6.3's laboratory (`laggard-lab simulate --scale raid`) with ddr and ddw, with and without hot spares: a disk
fails after 600 s and is put back at 4,800 s. Prints, per phase, the median await of the LUN whose disk failed, of the
three beside it on its controller, and of all others, beside what T says of them. --svg draws the four figures, as T does:
the LUNs of the controller that has the failed disk, and those of another one.
"""
import argparse
import csv
import io
import json
import pathlib
import statistics
import subprocess
import tempfile

STEP = 60  # Seconds of a point.
BACK = 4800
FIGURES = [  # name, workload, incident, phases with what T says of each
    ("6.1", "ddr", "reconstruction", [
        ("degraded", 600, BACK, "failed LUN slightly up, others not"),
        ("rebuilding", BACK, None, "failed 30-40 ms, beside 25 ms, others not")]),
    ("6.2", "ddr", "reconstruction-spare", [
        ("rebuilding", 600, BACK, "as rebuilding in 6.1"),
        ("copying back", BACK, None, "failed significantly up, beside slightly, others not")]),
    ("6.3", "ddw", "reconstruction", [
        ("degraded", 600, BACK, "no asymmetry"),
        ("rebuilding", BACK, None, "failed and beside alike, 7 ms")]),
    ("6.4", "ddw", "reconstruction-spare", [
        ("rebuilding", 600, BACK, "as rebuilding in 6.3"),
        ("copying back", BACK, None, "failed and beside marginally up")]),
]
COLOURS = ["#c0392b", "#e08283", "#e08283", "#e08283", "#2c6fbb", "#2c6fbb", "#2c6fbb", "#2c6fbb"]


def run(*command):
    return subprocess.run([str(part) for part in command], check=True, capture_output=True, text=True).stdout


def awaits(laggard, folder):
    """Per LUN, (seconds since the begin, await in ms) of its primary attachment: the one that has any."""
    rows = csv.DictReader(io.StringIO(run(laggard, "export", folder, "--metric", "await", "--step", f"{STEP}s")))
    series = {}
    for row in rows:
        if row["value"] and float(row["value"]) > 0:
            series.setdefault(row["device"], []).append((float(row["time"]), float(row["value"])))
    begin = min(points[0][0] for points in series.values())
    return {lun: [(t - begin, ms) for t, ms in points] for lun, points in series.items()}


def experiment(laggard, root, seed, workload, incident):
    folder = root / f"{workload}-{incident}-{seed}"
    if not (folder / "truth.json").exists():
        run(laggard.with_name("laggard-lab"), "simulate", "--scale", "raid", "--workload", workload, "--incident", incident,
            "--interval", "1s", "--duration", "2h30m", "--seed", seed, "-o", folder)
    failed = json.loads((folder / "truth.json").read_text())["incidents"][0]["blame"]["name"]
    return failed, awaits(laggard, folder)


def median(series, luns, begin, end):
    """Of the middle of a phase: what is at its ends belongs to another one."""
    inside = [ms for lun in luns for t, ms in series[lun] if begin + 60 <= t < end - 60]
    return statistics.median(inside) if inside else float("nan")


def groups(failed, series):
    array = failed.split("_")[0]
    beside = [lun for lun in series if lun.startswith(array + "_") and lun != failed]
    return [failed], beside, [lun for lun in series if not lun.startswith(array + "_")]


def panel(name, title, failed, series, top):
    """One figure as SVG: 420 x 180, with its own axes."""
    width, height, end = 420, 150, 9000
    most = 60 if title.startswith("ddr") else 12
    _, beside, others = groups(failed, series)
    out = [f'<g transform="translate(45,{top})"><text x="0" y="-6" font-size="12">Figure {name}: {title}</text>',
           f'<rect width="{width}" height="{height}" fill="none" stroke="#888"/>']
    for share in (0, 0.5, 1):
        out.append(f'<text x="-4" y="{height * (1 - share) + 4:.0f}" font-size="9" text-anchor="end">{most * share:.0f} ms</text>')
    for at in range(0, end + 1, 1800):
        out.append(f'<text x="{width * at / end:.0f}" y="{height + 12}" font-size="9" text-anchor="middle">{at} s</text>')
    for lun, colour in reversed(list(zip([failed, *beside, *others[:4]], COLOURS))):
        line = " ".join(f"{width * t / end:.1f},{height * (1 - min(ms / most, 1)):.1f}" for t, ms in series[lun])
        out.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="0.8"/>')
    return "\n".join(out + ["</g>"])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("laggard", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--svg", type=pathlib.Path)
    options = parser.parse_args()
    print("| figure | phase | LUN of the failed disk | the three beside it | others | T |\n|---|---|---|---|---|---|")
    drawn = []
    with tempfile.TemporaryDirectory() as temporary:
        root = options.keep or pathlib.Path(temporary)
        root.mkdir(parents=True, exist_ok=True)
        for name, workload, incident, phases in FIGURES:
            failed, series = experiment(options.laggard, root, options.seed, workload, incident)
            for phase, begin, end, said in [("healthy", 0, 600, ""), *phases]:
                figures = [median(series, luns, begin, end or 9000) for luns in groups(failed, series)]
                print(f"| {name}, {workload} | {phase} | " + " | ".join(f"{ms:.1f} ms" for ms in figures) + f" | {said} |")
            drawn.append(panel(name, f"{workload}, {incident}", failed, series, 25 + 195 * len(drawn)))
    if options.svg:
        options.svg.write_text('<svg xmlns="http://www.w3.org/2000/svg" width="480" height="800" font-family="sans-serif">'
                               '<rect width="480" height="800" fill="white"/>' + "\n".join(drawn) + "</svg>\n")


if __name__ == "__main__":
    main()
