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
source bench/loops.bash
take_options "few many seconds sockets repeat" "$@"
need_programs

# Light I/O on every loop device, all the while: one 4-KB read of each device every half second or so, past the
# page cache, and a write on every fourth round.
start_io() { helper python3 bench/light_io.py "$scratch/loops"; }

# cpu COMMAND...: microseconds of user + system time of the command and its children.
cpu() { python3 bench/cpu_of.py "$@"; }

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
  echo "$us $(stat -c %s "$out") $(xz_bytes "$out")"
}

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
  stop_helper
}

say_load
rounds "$few"
rounds "$many"
say_load
report "tcp 0 $((seconds * 5)) $(ours rec 100ms "$((seconds / 2))s" --no-tcp --disk none --net lo)"
helper python3 bench/light_sockets.py "$((sockets / 2))"
sleep 2
for ((r = 0; r < repeat; ++r)); do
  report "tcp $sockets $((seconds * 5)) $(ours rec 100ms "$((seconds / 2))s" --tcp-peer 127.0.0.0/8 --disk none --net lo)"
done
say_load
python3 bench/record_slopes.py "$scratch/results"
