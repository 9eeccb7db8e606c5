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
source bench/loops.bash
take_options "few many samples rate" "$@"
need_programs

# Both recorders at once; prints `disks ours sadc xz` in bytes.
both() {
  grow_to "$1"
  rm -rf "$scratch/diskstats" "$scratch/rec" "$scratch/sa"
  helper python3 bench/busy_io.py "$scratch/loops" "$rate" >/dev/null
  helper python3 bench/mirror_diskstats.py "$scratch/loops" "$scratch/diskstats" >/dev/null
  for _ in {1..100}; do [ -s "$scratch/diskstats" ] && break; sleep 0.2; done
  unshare --mount bash -c 'mount --bind "$1" /proc/diskstats && exec "${@:2}"' - "$scratch/diskstats" \
    "$sadc" -S DISK 1 "$((samples + 1))" "$scratch/sa" &
  local theirs=$!
  "$laggard" record metrics --out "$scratch/rec" --duration "${samples}s" --no-tcp --net none \
    --disk "$(names)" 2>"$scratch/said" || { cat "$scratch/said" >&2; exit 2; }
  wait "$theirs"
  stop_helper
  stop_helper
  echo "$1 $(bytes_in "$scratch/rec") $(stat -c %s "$scratch/sa") $(xz_bytes "$scratch/sa")"
}

say_load >&2
both "$few" >"$scratch/results"
both "$many" >>"$scratch/results"
say_load >&2
cat "$scratch/results" >&2
awk -v n="$samples" '
  {for (i = 1; i <= 4; ++i) v[NR, i] = $i}
  END {
    d = (v[2, 1] - v[1, 1]) * n
    ours = (v[2, 2] - v[1, 2]) / d; sadc = (v[2, 3] - v[1, 3]) / d; xz = (v[2, 4] - v[1, 4]) / d
    printf "laggard %.2f, sadc -S DISK %.2f, sadc + xz -1 %.2f bytes per disk and sample: %.2f of sadc + xz -1\n", ours, sadc, xz, ours / xz
  }' "$scratch/results"
