#!/usr/bin/env bash
# What a disk costs a recorder: CPU per sample and bytes per sample of ours and of `sadc -S DISK`, as the slope
# between few and many real loop devices with light I/O; what 200 TCP connections cost, apart. Needs root.
#
#   bench/record_overhead.sh [--few 10] [--many 100] [--samples 600] [--sockets 200] [--repeat 3]
#
# CPU is user + system time of the whole process from start to end (wait4), over many samples, minus nothing: the
# slope takes out what does not depend on disks. Ours runs at 10 Hz with --flush 10s, that is with a flush every 100
# samples, and again at 1 Hz; sadc cannot go below 1 s.
set -euo pipefail
cd "$(dirname "$0")/.."

few=10 many=100 samples=600 sockets=200 repeat=3 slow=60
while [ $# -gt 0 ]; do
  case "$1" in
    --few) few=$2 ;; --many) many=$2 ;; --samples) samples=$2 ;; --sockets) sockets=$2 ;; --repeat) repeat=$2 ;;
    --slow) slow=$2 ;;
    *) echo "record_overhead: unknown option $1" >&2; exit 2 ;;
  esac
  shift 2
done
laggard=${LAGGARD:-build/release/laggard}
sadc=${SADC:-/usr/lib/sysstat/sadc}
[ "$(id -u)" -eq 0 ] || { echo "record_overhead: needs root for loop devices" >&2; exit 2; }
[ -x "$laggard" ] || { echo "record_overhead: build $laggard first (./dev build)" >&2; exit 2; }
[ -x "$sadc" ] || { echo "record_overhead: no $sadc (package sysstat)" >&2; exit 2; }

scratch=$(mktemp -d)
loops=()
helpers=()
cleanup() {
  for pid in "${helpers[@]}"; do kill "$pid" 2>/dev/null || true; done
  wait 2>/dev/null || true
  for loop in "${loops[@]}"; do losetup -d "$loop" 2>/dev/null || true; done
  rm -rf "$scratch"
}
trap cleanup EXIT

grow_to() {
  while [ "${#loops[@]}" -lt "$1" ]; do
    local file="$scratch/disk${#loops[@]}"
    truncate -s 16M "$file"
    loops+=("$(losetup --find --show "$file")")
  done
}

# Light I/O on every loop device, all the while: one 4-KB read of each device every half second or so, past the
# page cache, and a write on every fourth round.
start_io() {
  printf '%s\n' "${loops[@]}" >"$scratch/loops"
  python3 bench/light_io.py "$scratch/loops" &
  helpers+=($!)
}
stop_io() {
  kill "${helpers[-1]}" 2>/dev/null || true
  wait "${helpers[-1]}" 2>/dev/null || true
  unset 'helpers[-1]'
}

# cpu COMMAND...: microseconds of user + system time of the command and its children.
cpu() { python3 bench/cpu_of.py "$@"; }
bytes_in() { find "$1" -type f -printf '%s\n' | awk '{s += $1} END {print s + 0}'; }

# ours NAME INTERVAL DURATION ARGS...: prints `cpu_us bytes`.
ours() {
  local out="$scratch/$1"; shift
  local interval=$1 duration=$2; shift 2
  rm -rf "$out"
  local us
  us=$(cpu "$laggard" record metrics --out "$out" --interval "$interval" --duration "$duration" "$@")
  echo "$us $(bytes_in "$out")"
}
theirs() {
  local out="$scratch/sa"
  rm -f "$out"
  local us
  us=$(cpu "$sadc" -S DISK 1 "$(($1 + 1))" "$out")
  local raw xz
  raw=$(stat -c %s "$out")
  xz=$(xz -1 -c "$out" | wc -c)
  echo "$us $raw $xz"
}

names() { (IFS=,; echo "${loops[*]#/dev/}"); }

rounds() {
  local disks=$1
  grow_to "$disks"
  start_io
  sleep 2
  for ((r = 0; r < repeat; ++r)); do
    echo "ours10hz $disks $samples $(ours rec 100ms "$((samples / 10))s" --no-tcp --disk "$(names)" --net lo)"
    echo "ours1hz $disks $slow $(ours rec 1s "${slow}s" --no-tcp --disk "$(names)" --net lo)"
    echo "sadc $disks $slow $(theirs "$slow")"
  done
  stop_io
}

{
  rounds "$few"
  rounds "$many"
  echo "tcp 0 $samples $(ours rec 100ms "$((samples / 10))s" --no-tcp --disk none --net lo)"
  python3 bench/light_sockets.py "$((sockets / 2))" &
  helpers+=($!)
  sleep 2
  for ((r = 0; r < repeat; ++r)); do
    echo "tcp $sockets $samples $(ours rec 100ms "$((samples / 10))s" --tcp-peer 127.0.0.0/8 --disk none --net lo)"
  done
} | tee "$scratch/results" >&2
python3 bench/record_slopes.py "$scratch/results"
