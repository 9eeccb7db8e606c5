#!/usr/bin/env bash
# Bytes per disk and sample on disk: our archive against `sadc -S DISK` squeezed by `xz -1`, of the same loop devices
# under the same I/O in the same seconds, as the slope between few and many devices (a sadc file holds much besides
# disks, and ours has its tables). sadc cannot choose its disks, so it sees a copy of /proc/diskstats with these alone.
# Needs root.
#
#   bench/archive_size.sh [--few 10] [--many 60] [--samples 300] [--rate 15]     rate: requests per disk and second
set -euo pipefail
cd "$(dirname "$0")/.."

few=10 many=60 samples=300 rate=15
while [ $# -gt 0 ]; do
  case "$1" in
    --few) few=$2 ;; --many) many=$2 ;; --samples) samples=$2 ;; --rate) rate=$2 ;;
    *) echo "archive_size: unknown option $1" >&2; exit 2 ;;
  esac
  shift 2
done
laggard=${LAGGARD:-build/release/laggard}
sadc=${SADC:-/usr/lib/sysstat/sadc}
[ "$(id -u)" -eq 0 ] || { echo "archive_size: needs root for loop devices" >&2; exit 2; }
[ -x "$laggard" ] || { echo "archive_size: build $laggard first (./dev build)" >&2; exit 2; }
[ -x "$sadc" ] || { echo "archive_size: no $sadc (package sysstat)" >&2; exit 2; }

scratch=$(mktemp -d)
loops=()
io= mirror=
stop_helpers() {
  for helper in $io $mirror; do
    kill "$helper" 2>/dev/null || true
    wait "$helper" 2>/dev/null || true
  done
  io= mirror=
}
cleanup() {
  stop_helpers
  for loop in "${loops[@]}"; do losetup -d "$loop" 2>/dev/null || true; done
  rm -rf "$scratch"
}
trap cleanup EXIT

# Both recorders at once; prints `disks ours sadc xz` in bytes.
both() {
  local disks=$1
  while [ "${#loops[@]}" -lt "$disks" ]; do
    truncate -s 16M "$scratch/disk${#loops[@]}"
    loops+=("$(losetup --find --show "$scratch/disk${#loops[@]}")")
  done
  printf '%s\n' "${loops[@]}" >"$scratch/loops"
  rm -f "$scratch/diskstats"
  python3 bench/busy_io.py "$scratch/loops" "$rate" >/dev/null &
  io=$!
  python3 - "$scratch/loops" "$scratch/diskstats" >/dev/null <<'PY' &
import sys, time
names = {line.strip().removeprefix("/dev/") for line in open(sys.argv[1])}
with open(sys.argv[2], "wb", buffering=0) as copy:
    while True:
        lines = [line for line in open("/proc/diskstats") if line.split()[2] in names]
        copy.seek(0)
        copy.write("".join(lines).encode().ljust(len(names) * 200, b"\n"))
        time.sleep(0.2)
PY
  mirror=$!
  for _ in {1..100}; do [ -s "$scratch/diskstats" ] && break; sleep 0.2; done
  rm -rf "$scratch/rec" "$scratch/sa"
  unshare --mount bash -c 'mount --bind "$1" /proc/diskstats && exec "${@:2}"' - "$scratch/diskstats" \
    "$sadc" -S DISK 1 "$((samples + 1))" "$scratch/sa" &
  local theirs=$!
  "$laggard" record metrics --out "$scratch/rec" --duration "${samples}s" --no-tcp --net none \
    --disk "$(IFS=,; echo "${loops[*]#/dev/}")" 2>"$scratch/said" || { cat "$scratch/said" >&2; exit 2; }
  wait "$theirs"
  stop_helpers
  echo "$disks $(find "$scratch/rec" -type f -printf '%s\n' | awk '{s += $1} END {print s}') \
$(stat -c %s "$scratch/sa") $(xz -1 -c "$scratch/sa" | wc -c)"
}

both "$few" >"$scratch/results"
both "$many" >>"$scratch/results"
cat "$scratch/results" >&2
awk -v n="$samples" '
  {for (i = 1; i <= 4; ++i) v[NR, i] = $i}
  END {
    d = (v[2, 1] - v[1, 1]) * n
    ours = (v[2, 2] - v[1, 2]) / d; sadc = (v[2, 3] - v[1, 3]) / d; xz = (v[2, 4] - v[1, 4]) / d
    printf "laggard %.2f, sadc -S DISK %.2f, sadc + xz -1 %.2f bytes per disk and sample: %.2f of sadc + xz -1\n", ours, sadc, xz, ours / xz
  }' "$scratch/results"
