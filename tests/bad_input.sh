#!/usr/bin/env bash
# Bad input as a user meets it: every case is made, given to laggard, and has to end in one clear sentence, status 2 and
# nothing half-written. The table of docs/bad-input.md is this script's output; the test run compares the two.
#
#   tests/bad_input.sh LAGGARD            check against docs/bad-input.md (cases that this machine cannot make are left out)
#   tests/bad_input.sh LAGGARD --write    run everything, the file of 10,000,000 lines too, and write the page (as root)
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
page=$here/../docs/bad-input.md
program=$(realpath "$1")
mode=${2:-check}

scratch=$(mktemp -d)
servers=()
cleanup() {
  for pid in "${servers[@]:-}"; do [ -z "$pid" ] || kill "$pid" 2>/dev/null; done
  umount "$scratch/small" 2>/dev/null
  rm -rf "$scratch"
}
trap cleanup EXIT
chmod 755 "$scratch"
mkdir "$scratch/bin"
cp "$program" "$scratch/bin/laggard"
PATH=$scratch/bin:$PATH
cd "$scratch" || exit 3

failures=0
rows=()
complain() { printf 'FAILED: %s\n' "$*"; failures=$((failures + 1)); }
comparable() { sed -E 's/[0-9][0-9,]*/N/g'; }

# given STATUS WHAT COMMAND...: runs the command and adds what came of it to the table. A recording named REC must not be
# left behind by a command that brought nothing.
given() {
  local status=$1 what=$2 said code row
  shift 2
  rm -rf REC
  said=$("${prefix[@]}" "$@" 2>&1 </dev/null)
  code=$?
  [ "$code" -eq "$status" ] || complain "$what: status $code instead of $status: $said"
  [[ $said == *new\ sample* ]] || [ ! -e REC ] && [ ! -e open/REC ] || complain "$what: a recording is left behind"
  # `|| true` ends a pattern in some sentences of others; a table cell wants its bars escaped.
  said=$(printf '%s' "$said" | sed -e "s|127.0.0.1:[0-9]*|prom:9090|g" -e 's/|/\\|/g' | sed -z -e 's/\n/<br>/g')
  row="| $what | \`$(printf '%s' "$*" | sed "s|127.0.0.1:[0-9]*|prom:9090|g")\` | $said | $code |"
  rows+=("$row")
  [ "$mode" = --write ] || grep -qxF -- "$(comparable <<<"$row")" "$scratch/page" ||
    complain "docs/bad-input.md has another row for this: $row"
}
prefix=()
[ "$mode" = --write ] || comparable <"$page" >"$scratch/page"

head=time,host,kind,device,counter,value
lines() { printf '%s\n' "$head" "$@"; }
lines 1795202494,fs1,disk,sda,rd_ios,5 1795202495,fs1,disk,sda,rd_ios,6 >good.csv

section() { rows+=("" "## $1" "" "| what is wrong | what was typed | what laggard says | exit |" "|---|---|---|---|"); }

csv_files() {
  section "CSV files"
  printf 'ts,disk_id,throughput\n1795202494,sda,7\n' >wide.csv
  given 2 "unknown columns" laggard import csv wide.csv --out REC
  given 2 "a column that is not there" laggard import csv wide.csv --time ts --component disk_id --host fs1 --gauge throughput,latency --out REC
  given 2 "a wide file, half described" laggard import csv wide.csv --time ts --gauge throughput --out REC
  lines 1795202494,fs1,disk,sda,rd_ios,-5 >negative.csv
  given 2 "a negative counter" laggard import csv negative.csv --out REC
  lines 1795202494,fs1,disk,sda,rd_ios,2.5 >fraction.csv
  given 2 "a counter with a fraction" laggard import csv fraction.csv --out REC
  lines 1795202494,fs1,disk,sda,rd_ios,NaN 1795202495,fs1,disk,sda,rd_ios,6 >nan.csv
  given 0 "NaN: missing, as an empty field is" laggard import csv nan.csv --out REC
  lines 1795202494,fs1,disk,sda,rd_ios,6 1795202495,fs1,disk,sda,rd_ios,inf >inf.csv
  given 2 "infinity" laggard import csv inf.csv --out REC
  lines 1795202494,fs1,disk,sda,rd_ios,five >word.csv
  given 2 "a word for a number" laggard import csv word.csv --out REC
  lines 1795202494,fs1,fan,sda,rpm,5 >kind.csv
  given 2 "an unknown kind" laggard import csv kind.csv --out REC
  lines 1795202494842,fs1,disk,sda,rd_ios,5 >milliseconds.csv
  given 0 "times in milliseconds: told by their digits" laggard import csv milliseconds.csv --out REC
  lines "2026-11-20 19:21:34,fs1,disk,sda,rd_ios,5" >local.csv
  given 2 "local times" laggard import csv local.csv --out REC
  lines 1795202494,fs1,disk,sda,rd_ios,5 1795202495,fs1,disk,sda,rd_ios,6 1795201000,fs1,disk,sda,rd_ios,7 1795209000,fs1,disk,sda,rd_ios,8 >jumps.csv
  given 0 "a clock that jumps: sorted by time" laggard import csv jumps.csv --out REC
  lines 1795202494,fs1,disk,sda >short.csv
  given 2 "a line that ends early" laggard import csv short.csv --out REC
  lines '1795202494,"fs1,disk,sda,rd_ios,5' >quote.csv
  given 2 "a quote that is not closed" laggard import csv quote.csv --out REC
  : >empty.csv
  given 2 "an empty file" laggard import csv empty.csv --out REC
  lines >header.csv
  given 2 "a header alone" laggard import csv header.csv --out REC
  head -c 4000 /dev/zero | tr '\0' '\377' >junk.csv
  given 2 "binary junk" laggard import csv junk.csv --out REC
  given 2 "one bad file of two" laggard import csv negative.csv good.csv --out REC
}

packed_files() {
  section "Packed files and archives"
  { lines; seq 1795000000 1795100000 | sed 's/$/,fs1,disk,sda,rd_ios,5/'; } >long.csv
  local tool
  for tool in gzip xz zstd; do
    command -v "$tool" >/dev/null || continue
    "$tool" -c <long.csv | head -c 4000 >"cut.$tool"
    given 2 "$tool, cut off" laggard import csv "cut.$tool" --out REC
  done
  cp good.csv plain.csv.gz
  given 0 "a suffix that lies: the content counts" laggard import csv plain.csv.gz --out REC
  gzip -c <long.csv >flipped.csv.gz
  printf 'damaged' | dd of=flipped.csv.gz bs=1 seek=4000 conv=notrunc status=none
  given 2 "gzip, damaged" laggard import csv flipped.csv.gz --out REC
  python3 - long.csv >digit.csv.gz <<'PY'
import gzip, sys
packed = bytearray(gzip.compress(open(sys.argv[1], "rb").read(), 0))  # not squeezed, so that a digit can be found
packed[packed.index(b"1795000007,fs1") + 9] = ord("8")
sys.stdout.buffer.write(packed)
PY
  given 2 "gzip, one digit another" laggard import csv digit.csv.gz --out REC
  tar cf - long.csv | gzip -c >flipped.tar.gz
  printf 'damaged' | dd of=flipped.tar.gz bs=1 seek=4000 conv=notrunc status=none
  given 2 "a tar in gzip, damaged" laggard import csv flipped.tar.gz --out REC
  mkdir odd
  cp good.csv junk.csv empty.csv odd/
  echo 'Disks of fs1' >odd/README
  ln -s /etc/passwd odd/link.csv
  mkfifo odd/pipe.csv
  tar cf odd.tar odd/good.csv odd/junk.csv odd/empty.csv odd/README odd/link.csv odd/pipe.csv
  given 0 "a tar with odd members: they are left out" laggard import csv odd.tar --out REC
  rm odd/good.csv && tar cf none.tar odd/junk.csv odd/README
  given 2 "a tar without a CSV file" laggard import csv none.tar --out REC
  { printf '\226\325'; head -c 300000000 /dev/zero; } | gzip -1 -c >bomb.gz
  given 2 "a few bytes that unpack to gigabytes" laggard import sysstat bomb.gz --out REC
  given 2 "a limit of one's own" laggard import csv good.csv bomb.gz --max-unpacked 1M --out REC
  cp good.csv nested && for tool in 1 2 3 4; do gzip -nc nested >packed && mv packed nested; done
  given 2 "packed over and over" laggard import csv nested --out REC
  mkdir escapes && cp good.csv escapes/ && echo x >"escapes/$(printf 'a\033]0;owned\007')"
  tar cf escapes.tar escapes
  given 0 "a name that talks to the terminal" laggard import csv escapes.tar --out REC
}

places() {
  section "Files and folders"
  given 2 "a file that is not there" laggard import csv nowhere.csv --out REC
  given 2 "a folder for a file" laggard import csv odd --out REC
  given 2 "a file where the recording should be" laggard import csv good.csv --out good.csv
  [ "$(id -u)" -ne 0 ] || prefix=(setpriv --reuid=65534 --regid=65534 --clear-groups)
  if "${prefix[@]}" laggard --version >/dev/null 2>&1 || "${prefix[@]}" laggard --help >/dev/null 2>&1; then
    mkdir locked
    mkdir -m 777 open
    cp good.csv locked/ && cp good.csv secret.csv
    chmod 0 locked secret.csv
    given 2 "a file of someone else" laggard import csv secret.csv --out open/REC
    given 2 "a folder of someone else" laggard import csv locked/good.csv --out open/REC
    given 2 "a recording of someone else" laggard diagnose locked
    mkdir readonly && chmod 555 readonly
    given 2 "a place where one may not write" laggard import csv good.csv --out readonly/REC
    given 2 "the same, recording" laggard record metrics --out readonly/REC --duration 1s
    chmod 755 locked secret.csv
  fi
  prefix=()
  mkdir small nothing
  if mount -t tmpfs -o size=200k tmpfs small 2>/dev/null; then
    { lines; seq 1795000000 1795100000 | awk '{ print $1 ",fs1,disk,sda,rd_ios," int(rand() * 1e9) }'; } >large.csv
    given 2 "a full disk" laggard import csv large.csv --out small/REC
    rm -rf small/REC
    umount small
  fi
  given 2 "a recording that is not there" laggard diagnose nowhere
  given 2 "a folder that is no recording" laggard diagnose nothing
  given 2 "a file that has to be imported first" laggard diagnose good.csv
  given 2 "the same, packed" laggard info flipped.csv.gz
  given 2 "a machine without /proc" laggard record metrics --out REC --root nothing --duration 1s
}

sysstat_files() {
  section "sysstat"
  given 2 "a file that is not sysstat's" laggard import sysstat good.csv --out REC
  if command -v sadf >/dev/null; then
    printf '\x96\xd5\x75\x21 and then nothing of sense' >sa01
    given 2 "an sa file that is damaged" laggard import sysstat sa01 --out REC
    prefix=(env "PATH=$scratch/bin")
    given 2 "sadf is not installed" laggard import sysstat sa01 --out REC
    prefix=()
  fi
}

prometheus_servers() {
  section "Prometheus"
  local mode_of port
  given 2 "no URL" laggard import prometheus prom:9090 --out REC
  port=$(python3 "$here/servers/odd_server.py" free)
  local url="http://127.0.0.1:$port" times=(--from 2026-11-20T19:21:00Z --to 2026-11-20T19:31:00Z)
  given 2 "nobody listens" laggard import prometheus "$url" --out REC "${times[@]}"
  while IFS=: read -r mode_of what; do
    port=$(python3 "$here/servers/odd_server.py" free)
    python3 "$here/servers/odd_server.py" "$mode_of" "$port" &
    servers+=($!)
    for _ in $(seq 100); do (: </dev/tcp/127.0.0.1/"$port") 2>/dev/null && break; sleep 0.05; done
    given "$([ "$mode_of" = negative ] && echo 0 || echo 2)" "$what" laggard import prometheus "http://127.0.0.1:$port" --out REC "${times[@]}"
    kill "${servers[-1]}"
    wait "${servers[-1]}" 2>/dev/null
    unset 'servers[-1]'
  done <<'MODES'
401:it wants a password
404:the API is somewhere else
html:a login page answers
422:every query is too much for it
cut:it breaks off in the middle
half:a proxy breaks off in the middle
empty:it has no disks
negative:it has values that no counter can have
MODES
  given 2 "a time that is none" laggard import prometheus http://prom:9090 --out REC --from tomorrow
}

system_files() {
  section "system.toml"
  cp -r "$here/../examples/ddr-disk-busy-s2" incident
  printf '[[servers]]\nname = "fs[1-3"\n' >system.toml
  given 2 "a range that is not closed" laggard system check system.toml
  given 2 "the same, diagnosing" laggard diagnose incident --system system.toml
  printf '[[servers]\n' >torn.toml
  given 2 "no TOML" laggard system check torn.toml
  python3 -c 'print(".".join(["a"] * 50000), "= 1")' >parts.toml
  given 2 "a key of 50,000 parts" laggard system check parts.toml
  given 2 "the same, for rules" laggard diagnose incident --rules parts.toml
  printf '[[rule]]\nname = "n"\ncause = "c"\nexcess = { of = "storage", share = nan }\n' >nan.toml
  given 2 "a rule whose bound is no number" laggard diagnose incident --rules nan.toml
  given 2 "a file that is not there" laggard diagnose incident --system nowhere.toml
  printf '[[servers]]\nname = "fs[1-3]"\n[[expected_work]]\nwhat = "patrol read"\ndays = ["sometimes"]\nstart = "02:00"\nlength = "2h"\n' >work.toml
  given 2 "work on a day that is none" laggard system check work.toml
}

topology_texts() {
  section "What the tools of file systems print"
  printf 'bash: mmlsnsd: command not found\n' >nsd
  given 2 "GPFS: the tool was not there" laggard system import gpfs nsd
  : >nothing.txt
  given 2 "an empty text" laggard system import lustre oss1=nothing.txt
  printf '{"nodes":[{"id":-1,"name":"default","type":"root","children":[-1]}],"stray":[]}' >tree
  given 2 "Ceph: a tree that is its own branch" laggard system import ceph tree
  printf '{"nodes":[{"id":-1,' >torn.json
  given 2 "Ceph: a torn text" laggard system import ceph torn.json
  printf '[{"id":0,"hostname":"fs1","devices":"sdb"}]' >osds
  printf '{"pg_ready":true,"pg_stats":[]}\n' >pgs
  given 2 "Ceph: a listing without its time" laggard import ceph pgs --osds osds --out REC
  printf '2026-11-20T19:21:34Z\n{"pg_ready":true,"pg_stats":[]}\n{"pg_ready":' >pgs
  given 2 "Ceph: a listing that was cut off" laggard import ceph pgs --osds osds --out REC
  printf '<?xml version="1.0"?><cliOutput><opRet>-1</opRet><opErrno>0</opErrno><opErrstr>Connection failed</opErrstr></cliOutput>' >info
  given 2 "GlusterFS: the tool says that it failed" laggard system import gluster info
  printf 'no disks here\n' >disks
  given 2 "MooseFS: something else" laggard system import moosefs disks
  given 2 "a text that is not there" laggard system import ceph nowhere.json
}

sending() {
  section "Remote write"
  given 2 "no URL" laggard send incident --to prom:9090
  given 2 "a recording that is not there" laggard send nowhere --to http://prom:9090
  given 2 "a label that says who it is" laggard send incident --to http://prom:9090 --label instance=fs1
  printf '{"schema":"laggard.posi' >position.json
  given 2 "a torn file of positions" laggard send incident --to http://prom:9090 --position position.json
  given 2 "a batch of none" laggard send incident --to http://prom:9090 --batch 0
}

decisions() {
  section "Decisions of operators"
  given 2 "about nothing that is there" laggard incident repair fs99 incident --why "drive replaced"
  given 2 "without a reason" laggard incident repair fs99 incident
  given 2 "at a time that is none" laggard incident exclude fs1 incident --why "waits" --since yesterday
  printf 'who decided what' >ledger.txt
  given 2 "a ledger that is none" laggard diagnose incident --ledger ledger.txt
}

checkpoints() {
  section "Checkpoints of diagnose --resume"
  laggard diagnose incident --resume sound.ckpt >/dev/null 2>&1
  given 2 "a file that is none" laggard diagnose incident --resume good.csv
  sed 's/laggard tape ./laggard tape 7/' sound.ckpt >later.ckpt
  given 2 "one by another version" laggard diagnose incident --resume later.ckpt
  given 2 "one of other options" laggard diagnose incident --resume sound.ckpt --window 48
  cp -r incident fewer && rm "$(find fewer/metrics -name '*.lgd' | sort | head -1)"
  given 2 "one of other recordings" laggard diagnose fewer --resume sound.ckpt
  cp sound.ckpt flipped.ckpt
  printf 'damaged' | dd of=flipped.ckpt bs=1 seek=4000 conv=notrunc status=none
  given 2 "a damaged one" laggard diagnose incident --resume flipped.ckpt
  given 2 "a folder for a file" laggard diagnose incident --resume odd
  cmp -s sound.ckpt <(cp sound.ckpt again.ckpt; laggard diagnose incident --resume again.ckpt >/dev/null 2>&1; cat again.ckpt) ||
    complain "a complete checkpoint is written to"
}

outputs() {
  section "Outputs"
  given 2 "in a folder that is not there" laggard diagnose incident --html nowhere/page.html
  given 2 "a folder" laggard diagnose incident --json odd
  printf '[[host]]\n' >described.toml
  given 2 "a file that is read" laggard diagnose incident --system described.toml --html described.toml
  given 2 "two in one" laggard diagnose incident --html page --json page
  given 2 "a file of a recording" laggard export incident --out incident/metrics/fs1.lgd
  given 2 "a ledger" laggard diagnose incident --html incident/ledger.lgl
  given 2 "a device without room" laggard export incident --out /dev/full
  given 2 "a full disk under standard output" sh -c 'laggard diagnose incident >/dev/full'
  mkdir -p planted/metrics && ln -s ../../good.csv planted/metrics/.fs1.lock
  given 2 "a link where a lock should be" laggard import csv good.csv --out planted
}

# A page of 10,000,000 lines: figures, not a row.
long_file() {
  python3 - >ten_million.csv <<'PY'
import sys
print("time,host,kind,device,counter,value")
for t in range(100000):
    sys.stdout.write("".join(f"{1795000000 + t},fs{d // 10},disk,sd{d % 10},rd_ios,{t * (d + 1)}\n" for d in range(100)))
PY
  python3 - laggard import csv ten_million.csv --out BIG <<'PY'
import os, resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
megabytes = os.path.getsize("ten_million.csv") / 1e6
print(f"A file of 10,000,000 lines ({megabytes:.0f} MB, 100 disks) takes {used.ru_utime + used.ru_stime:.1f} s of CPU and {used.ru_maxrss / 1024:.0f} MB of memory.")
PY
}

csv_files
packed_files
places
sysstat_files
prometheus_servers
system_files
topology_texts
sending
decisions
checkpoints
outputs

if [ "$mode" = --write ]; then
  {
    cat <<'TEXT'
# Bad input

What laggard says to input that it cannot use: one sentence with the place and, where there is one, the way
out. The exit status is 2. What was good before the bad place is imported, and nothing is half-written.
`tests/bad_input.sh build/release/laggard --write` (as root) makes this page by running every line;
`./dev test` runs them again and compares.

TEXT
    long_file
    printf '%s\n' "${rows[@]}"
  } >"$scratch/new.md" && cp "$scratch/new.md" "$page"
fi
[ "$failures" -eq 0 ] && printf '%s cases\n' "$(printf '%s\n' "${rows[@]}" | grep -c '^| .* | `')"
exit $((failures > 0))
