#!/usr/bin/env bash
# The whole way from an archive to incidents at the size of Intrepid: 9,216 attachments in 16 peer groups. Prints wall
# time, processor time and peak memory, by threads, and fails when the verdict depends on how many there are.
# usage: bench/intrepid_day.sh [--interval 15s] [--duration 24h] [--keep FOLDER]
set -euo pipefail
interval=15s duration=24h keep=
while [ $# -gt 0 ]; do
  case $1 in
    --interval) interval=$2; shift 2 ;;
    --duration) duration=$2; shift 2 ;;
    --keep) keep=$2; shift 2 ;;
    *) echo "unknown option $1" >&2; exit 2 ;;
  esac
done
laggard=${LAGGARD:-build/bench/laggard}
folder=${keep:-$(mktemp -d)}
[ -n "$keep" ] || trap 'rm -rf "$folder"' EXIT
if [ ! -e "$folder/day" ]; then
  "$(dirname "$laggard")/laggard-lab" simulate --scale intrepid --interval "$interval" --duration "$duration" --incidents 8 --seed 5 \
    -o "$folder/day" > /dev/null
fi
echo "archive: $(du -sh "$folder/day" | cut -f1), load $(cut -d' ' -f1 /proc/loadavg)"
for threads in 1 2; do
  /usr/bin/time -f "threads $threads: %e s wall, %U s user, %S s system, %M KB at most" \
    "$laggard" diagnose "$folder/day" --system "$folder/day/system.toml" --threads $threads \
    --json "$folder/verdict-$threads.json" > /dev/null
done
cmp "$folder/verdict-1.json" "$folder/verdict-2.json"
