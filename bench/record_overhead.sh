#!/usr/bin/env bash
# What a disk costs a recorder: CPU per sample and bytes per sample of ours and of `sadc -S DISK`, as the slope
# between few and many real loop devices with light I/O; what 200 TCP sockets cost, apart. Needs root.
#
#   bench/record_overhead.sh [--few 10] [--many 100] [--seconds 120] [--sockets 200] [--repeat 3]
#
# CPU is user + system time. Once a second both sample side by side, so that both have the same machine, and their first 45
# seconds do not count: ours reads what the disks are at 0, 10 and 40 seconds and next at 130. Ours runs at 10 Hz afterwards
# too, where less of it is waking up, with its start.
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

start=45
[ "$seconds" -gt "$start" ] || die "--seconds: more than $start, of which the first do not count"

# All that follows prints what a sample took: `cpu_us/samples bytes/samples`.
# record AFTER INTERVAL DURATION ARGS...: runs ours, and leaves the recording in $scratch/rec.
record() {
  rm -rf "$scratch/rec"
  cpu --after "$1" "$laggard" record metrics --out "$scratch/rec" --interval "$2" --duration "$3" "${@:4}"
}
ours_1hz() {
  local us
  us=$(record "$start" 1s "${seconds}s" "$@")
  echo "$us/$((seconds - start)) $(bytes_in "$scratch/rec")/$seconds"
}
ours_10hz() {
  local us samples=$((seconds * 5))
  us=$(record 0 100ms "$((seconds / 2))s" "$@")
  echo "$us/$samples $(bytes_in "$scratch/rec")/$samples"
}
theirs() {
  local out="$scratch/sa" us
  rm -f "$out"
  us=$(cpu --after "$start" "$sadc" -S DISK 1 "$((seconds + 1))" "$out")
  echo "$us/$((seconds - start)) $(stat -c %s "$out")/$seconds $(xz_bytes "$out")/$seconds"
}

report() { echo "$*" | tee -a "$scratch/results" >&2; }

rounds() {
  local disks=$1
  grow_to "$disks"
  start_io
  sleep 2
  for ((r = 0; r < repeat; ++r)); do
    theirs >"$scratch/theirs" &
    local sadc_run=$!
    report "ours1hz $disks $(ours_1hz --no-tcp --disk "$(names)" --net lo)"
    wait "$sadc_run"
    report "sadc $disks $(<"$scratch/theirs")"
    report "ours10hz $disks $(ours_10hz --no-tcp --disk "$(names)" --net lo)"
  done
  stop_helper
}

say_load
rounds "$few"
rounds "$many"
say_load
report "tcp 0 $(ours_10hz --no-tcp --disk none --net lo)"
helper python3 bench/light_sockets.py "$((sockets / 2))"
sleep 2
for ((r = 0; r < repeat; ++r)); do
  report "tcp $sockets $(ours_10hz --tcp-peer 127.0.0.0/8 --disk none --net lo)"
done
say_load
python3 bench/record_slopes.py "$scratch/results"
