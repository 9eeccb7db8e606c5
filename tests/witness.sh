#!/usr/bin/env bash
# The worked example of CONTRIBUTING.md: applies docs/witness.diff to a copy of the tree, builds what it needs there and sees that
# the witness finds what it should, so that the example cannot rot. The copy stays in build/witness for the next time.
set -euo pipefail
cd "$(dirname "$0")/.."
example=$PWD/docs/witness.diff
tree=$PWD/build/witness/tree
fresh=$PWD/build/witness/fresh
rm -rf "$fresh"; mkdir -p "$tree" "$fresh"

git ls-files -z --cached --others --exclude-standard | tar -c --null -T - | tar -x -C "$fresh"
patch --silent -p1 -d "$fresh" <"$example"
# What did not change keeps its time, so that the next build does little.
python3 - "$fresh" "$tree" <<'PY'
import filecmp, pathlib, shutil, sys
fresh, tree = map(pathlib.Path, sys.argv[1:])
files = {path.relative_to(fresh) for path in fresh.rglob("*") if path.is_file()}
for path in tree.rglob("*"):
    name = path.relative_to(tree)
    if name.parts[0] != "build" and path.is_file() and name not in files:
        path.unlink()
for name in files:
    to = tree / name
    if not to.exists() or not filecmp.cmp(fresh / name, to, shallow=False):
        to.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(fresh / name, to)
        shutil.copymode(fresh / name, to)
PY
rm -rf "$fresh"

export CCACHE_BASEDIR=$tree CCACHE_NOHASHDIR=1
[ -f "$tree/build/dev/build.ninja" ] || (cd "$tree" && cmake --preset dev -DLAGGARD_BENCH=OFF >/dev/null)
ninja --quiet -C "$tree/build/dev" laggard collect_test detect_test
"$tree/build/dev/src/collect/collect_test" --gtest_brief=1 --gtest_filter='FailureSource.*'
"$tree/build/dev/src/detect/detect_test" --gtest_brief=1 --gtest_filter='FailureDetector.*'

# From the text file to the verdict: of all OSTs a read fails now and then, of one of them many for some minutes.
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
laggard=$tree/build/dev/laggard
: >"$work/failed-reads"
"$laggard" record failures --from "$work/failed-reads" --host c1 --out "$work/rec" --duration 5s 2>"$work/said" &
until [ -d "$work/rec" ] || ! kill -0 $! 2>/dev/null; do sleep 0.1; done
sleep 0.5
for second in $(seq 0 2 600); do
  if [ "$second" -ge 200 ] && [ "$second" -lt 400 ]; then echo "$((1763968000 + second)) OST0003 EIO"; fi
  if [ $((second % 50)) -eq 0 ]; then echo "$((1763968000 + second)) OST000$((second / 50 % 8)) ETIMEDOUT"; fi
done >>"$work/failed-reads"
wait $! || { cat "$work/said" >&2; exit 1; }
"$laggard" diagnose "$work/rec" --json "$work/verdict.json"
python3 - "$work/verdict.json" <<'PY'
import json, sys
incidents = json.load(open(sys.argv[1]))["incidents"]
assert len(incidents) == 1, incidents
incident = incidents[0]
assert incident["blame"] == {"kind": "ost", "name": "OST0003"}, incident["blame"]
assert incident["cause"] == "failing-ost", incident["cause"]
evidence = incident["evidence"][0]
assert evidence["source"] == "failures" and evidence["payloads"][0]["shape"] == "ranked", evidence
PY
echo "witness: the example builds, and finds what it should" >&2
