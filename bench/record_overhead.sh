#!/usr/bin/env bash
# What a disk costs a recorder: CPU per sample and bytes per sample of ours and of `sadc -S DISK`, as the slope
# between few and many real loop devices with light I/O; what 200 TCP sockets cost, apart. Needs root.
#
#   bench/record_overhead.sh [--few 10] [--many 100] [--seconds 120] [--sockets 200] [--repeat 3]
#
# CPU is user + system time of the whole process from start to end (wait4), divided by its samples: finding out what the
# devices are and closing the recording are part of it. Both sample once a second, side by side, so that both have the same
# machine. Ours runs at 10 Hz afterwards too, with a flush every 100 samples, where less of it is waking up.
set -euo pipefail
cd "$(dirname "$0")/.."

few=10 many=100 seconds=120 sockets=200 repeat=3
while [ $# -gt 0 ]; do
  case "$1" in
    --few) few=$2 ;; --many) many=$2 ;; --seconds) seconds=$2 ;; --sockets) sockets=$2 ;; --repeat) repeat=$2 ;;
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
  trap - EXIT
  for pid in "${helpers[@]:-}"; do kill "$pid" 2>/dev/null || true; done
  wait 2>/dev/null || true
  for loop in "${loops[@]}"; do losetup -d "$loop" 2>/dev/null || true; done
  [ "${#loops[@]}" -eq 0 ] || python3 bench/forget_loops.py "${loops[@]}" || true
  rm -rf "$scratch"
}
trap cleanup EXIT
trap 'exit 130' INT TERM

# Devices that are new: sadc takes every disk that has ever moved, so one left from earlier would count for it.
first_number=$(($(ls /sys/block | sed -n 's/^loop//p' | sort -n | tail -1) + 1))
grow_to() {
  while [ "${#loops[@]}" -lt "$1" ]; do
    local file="$scratch/disk${#loops[@]}" device="/dev/loop$((first_number + ${#loops[@]}))"
    truncate -s 16M "$file"
    losetup "$device" "$file"
    loops+=("$device")
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

report() { echo "$*" | tee -a "$scratch/results" >&2; }

rounds() {
  local disks=$1
  grow_to "$disks"
  start_io
  sleep 2
  for ((r = 0; r < repeat; ++r)); do
    theirs "$seconds" >"$scratch/theirs" &
    local sadc_run=$!
    report "ours1hz $disks $seconds $(ours rec 1s "${seconds}s" --no-tcp --disk "$(names)" --net lo)"
    wait "$sadc_run"
    report "sadc $disks $seconds $(<"$scratch/theirs")"
    report "ours10hz $disks $((seconds * 5)) $(ours rec 100ms "$((seconds / 2))s" --no-tcp --disk "$(names)" --net lo)"
  done
  stop_io
}

say_load() { echo "load average $(cut -d' ' -f1-3 /proc/loadavg), $(nproc) cores"; }

say_load
rounds "$few"
rounds "$many"
say_load
report "tcp 0 $((seconds * 5)) $(ours rec 100ms "$((seconds / 2))s" --no-tcp --disk none --net lo)"
python3 bench/light_sockets.py "$((sockets / 2))" &
helpers+=($!)
sleep 2
for ((r = 0; r < repeat; ++r)); do
  report "tcp $sockets $((seconds * 5)) $(ours rec 100ms "$((seconds / 2))s" --tcp-peer 127.0.0.0/8 --disk none --net lo)"
done
say_load
python3 bench/record_slopes.py "$scratch/results"
