#!/usr/bin/env bash
# Runs libFuzzer over the parsers: every target for SECONDS of CPU time each (default 60), or the one named.
# usage: fuzz/run.sh [NAME|all] [SECONDS]      ./dev fuzz archive_fuzz 1800
# New inputs are kept in build/fuzz/corpus/NAME; a finding is written beside them and makes the exit status 1.
set -uo pipefail
cd "$(dirname "$0")/.."
wanted=${1:-all}
seconds=${2:-60}
status=0
printf '| target | CPU s | runs | corpus | findings |\n|---|---|---|---|---|\n'
for source in fuzz/*_fuzz.cc; do
  name=$(basename "$source" .cc)
  [ "$wanted" = all ] || [ "$wanted" = "$name" ] || continue
  corpus=build/fuzz/corpus/$name
  mkdir -p "$corpus" "build/fuzz/findings/$name"
  log=build/fuzz/$name.log
  if "build/fuzz/fuzz/$name" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=4096 -print_final_stats=1 \
    -artifact_prefix="build/fuzz/findings/$name/" "$corpus" "fuzz/corpus/$name" >"$log" 2>&1; then found=0; else found=1; status=1; fi
  runs=$(awk '/stat::number_of_executed_units/ {print $2}' "$log")
  printf '| %s | %s | %s | %s | %s |\n' "$name" "$seconds" "${runs:-?}" "$(find "$corpus" -type f | wc -l)" "$found"
  [ "$found" = 0 ] || tail -n 30 "$log" >&2
done
exit $status
