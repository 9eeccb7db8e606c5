#!/usr/bin/env bash
# Runs libFuzzer over the parsers: every target for SECONDS of CPU time each (default 60), or the one named.
# usage: fuzz/run.sh [NAME|all] [SECONDS]      ./dev fuzz archive_fuzz 1800
# New inputs are kept in build/fuzz/corpus/NAME; a finding is written beside them and makes the exit status 1.
set -uo pipefail
cd "$(dirname "$0")/.."
wanted=${1:-all}
seconds=${2:-60}
status=0

# Puts into `cpu` the CPU time of all children waited for, in hundredths of a second: libFuzzer itself counts only wall
# time, which says nothing on a busy machine. Through a file, because `times` in a pipeline tells of the pipeline.
clock=$(mktemp)
trap 'rm -f "$clock"' EXIT
measure_cpu() {
  times >"$clock"
  cpu=$(awk 'NR == 2 { gsub(/[ms]/, " "); print int(($1 * 60 + $2 + $3 * 60 + $4) * 100) }' "$clock")
}

printf '| target | CPU s | runs | corpus | findings |\n|---|---|---|---|---|\n'
for source in fuzz/*_fuzz.cc; do
  name=$(basename "$source" .cc)
  [ "$wanted" = all ] || [ "$wanted" = "$name" ] || continue
  corpus=build/fuzz/corpus/$name
  mkdir -p "$corpus" "build/fuzz/findings/$name"
  log=build/fuzz/$name.log
  runs=0 found=0 used=0
  measure_cpu; begin=$cpu
  # In slices of five minutes of wall time, until the CPU time is used up: each slice keeps what the last one found.
  while [ "$used" -lt $((seconds * 100)) ] && [ "$found" = 0 ]; do
    left=$((seconds - used / 100))
    "build/fuzz/fuzz/$name" -max_total_time="$((left < 300 ? left + 1 : 300))" -timeout=60 -rss_limit_mb=4096 \
      -print_final_stats=1 -artifact_prefix="build/fuzz/findings/$name/" "$corpus" "fuzz/corpus/$name" >"$log" 2>&1 || found=1
    slice=$(awk '/stat::number_of_executed_units/ {print $2}' "$log")
    runs=$((runs + ${slice:-0}))
    measure_cpu; used=$((cpu - begin))
  done
  printf '| %s | %s | %s | %s | %s |\n' "$name" "$((used / 100))" "$runs" "$(find "$corpus" -type f | wc -l)" "$found"
  [ "$found" = 0 ] || { status=1; tail -n 30 "$log" >&2; }
done
exit $status
