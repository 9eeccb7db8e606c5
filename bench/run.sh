#!/usr/bin/env bash
# Runs the benchmarks behind docs/bench.md: every Google Benchmark program, then the scripts that compare whole
# programs (they need root and say so). usage: bench/run.sh [FILTER]
set -uo pipefail
cd "$(dirname "$0")/.."
filter=${1:-.}
echo "machine: $(grep -m1 'model name' /proc/cpuinfo | cut -d: -f2 | xargs), $(nproc) cores, $(uname -sr)"
for program in build/bench/bench/*_bench; do
  [[ $(basename "$program") =~ $filter ]] || continue
  echo; echo "## $(basename "$program")"
  "$program" --benchmark_min_time=0.5 --benchmark_counters_tabular=true 2>/dev/null
done
for script in bench/*.sh; do
  name=$(basename "$script" .sh)
  [ "$name" = run ] && continue
  [[ $name =~ $filter ]] || continue
  echo; echo "## $name"
  LAGGARD=build/bench/laggard "$script"
done
