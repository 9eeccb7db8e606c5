# What the comparisons with sysstat share: options, the programs, loop devices to record and helpers in the background.
# Sourced by a script that has `set -euo pipefail` and stands in the top folder; it sets:
#   laggard, sadc   the programs, from LAGGARD and SADC if set
#   scratch         a folder that is gone at the end
#   loops           the loop devices made so far

me=$(basename "$0" .sh)
die() { echo "$me: $*" >&2; exit 2; }

# take_options "few many" ARGS...: `--few 10` sets the variable `few`.
take_options() {
  local known=" $1 "
  shift
  while [ $# -gt 0 ]; do
    [[ $1 == --* && $known == *" ${1#--} "* ]] || die "unknown option $1"
    [ $# -ge 2 ] || die "$1 needs a value"
    printf -v "${1#--}" %s "$2"
    shift 2
  done
}

laggard=${LAGGARD:-build/release/laggard}
sadc=${SADC:-/usr/lib/sysstat/sadc}
need_programs() {
  [ "$(id -u)" -eq 0 ] || die "needs root for loop devices"
  [ -x "$laggard" ] || die "build $laggard first (./dev build)"
  [ -x "$sadc" ] || die "no $sadc (package sysstat)"
}

scratch=$(mktemp -d)
loops=()
helpers=()
# helper COMMAND...: runs in the background until stop_helper, which ends the last one, or the end.
helper() {
  "$@" &
  helpers+=($!)
}
stop_helper() {
  kill "${helpers[-1]}" 2>/dev/null || true
  wait "${helpers[-1]}" 2>/dev/null || true
  unset 'helpers[-1]'
}
cleanup() {
  trap - EXIT
  while [ "${#helpers[@]}" -gt 0 ]; do stop_helper; done
  for loop in "${loops[@]}"; do losetup -d "$loop" 2>/dev/null || true; done
  [ "${#loops[@]}" -eq 0 ] || python3 bench/forget_loops.py "${loops[@]}" || true
  rm -rf "$scratch"
}
trap cleanup EXIT
trap 'exit 130' INT TERM

# grow_to N: as many loop devices. They are new: sadc takes every disk that has ever moved, so one left from earlier would
# count for it.
grow_to() {
  [ "${#loops[@]}" -gt 0 ] || first_number=$(($(ls /sys/block | sed -n 's/^loop//p' | sort -n | tail -1) + 1))
  while [ "${#loops[@]}" -lt "$1" ]; do
    local file="$scratch/disk${#loops[@]}" device="/dev/loop$((first_number + ${#loops[@]}))"
    truncate -s 16M "$file"
    losetup "$device" "$file"
    loops+=("$device")
  done
  printf '%s\n' "${loops[@]}" >"$scratch/loops"
}

# The devices as `laggard record --disk` wants them.
names() { (IFS=,; echo "${loops[*]#/dev/}"); }
bytes_in() { find "$1" -type f -printf '%s\n' | awk '{s += $1} END {print s + 0}'; }
xz_bytes() { xz -1 -c "$1" | wc -c; }
say_load() { echo "load average $(cut -d' ' -f1-3 /proc/loadavg), $(nproc) cores"; }
