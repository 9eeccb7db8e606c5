#!/usr/bin/env bash
# A diagnosis by the real mpirun: the same answer to the byte as by one process, one voice, one end.
# usage: tests/ranks.sh LAGGARD, beside which laggard-lab lies. Exits with 77 where mpirun is not installed or the program was built without MPI.
set -euo pipefail
laggard=$(realpath "$1")
lab=$(dirname "$laggard")/laggard-lab
command -v mpirun >/dev/null || { echo "skipped: mpirun is not installed (openmpi-bin)"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
# What makes several ranks on one machine, as root, in a container: none of it is laggard's.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_btl=self,vader OMPI_MCA_plm_rsh_agent=/bin/true TMPDIR=$folder

"$lab" simulate --scale surveyor --duration 6h --incidents 2 --seed 11 -o site >/dev/null
if mpirun -n 2 "$laggard" diagnose site >said 2>&1 && false || grep -q 'built without MPI' said; then
  echo "skipped: this laggard was built without MPI"; exit 77
fi
fail() { echo "FAILED: $1"; [ ! -e said ] || cat said; exit 1; }

"$laggard" diagnose site --system site/system.toml --threads 1 --json one.json --html one.html >one.txt
for ranks in 2 3; do
  mpirun -n $ranks "$laggard" diagnose site --system site/system.toml --threads 1 --json many.json --html many.html \
    >many.txt 2>said || fail "$ranks ranks end with status $?"
  cmp one.json many.json || fail "$ranks ranks give another diagnosis"
  sed 's/one\.html/many.html/' one.txt | cmp - many.txt || fail "$ranks ranks say something else, or more"
  cmp one.html many.html || fail "$ranks ranks draw another page"
done

# Mistakes: one sentence of ours, whoever makes it, and status 2.
for words in "diagnose nowhere" "diagnose site --metric foo" "diagnose site --no-such-option"; do
  status=0
  # shellcheck disable=SC2086
  mpirun -n 3 "$laggard" $words >out 2>said || status=$?
  [ $status -eq 2 ] || fail "'$words' ends with status $status"
  [ ! -s out ] || fail "'$words' prints something"
done
mpirun -n 3 "$laggard" diagnose nowhere >out 2>said || true
[ "$(grep -c '^laggard: ' said)" -eq 1 ] || fail "a mistake is told more than once"

# A rank on a machine that sees something else.
cat >other <<EOF
#!/bin/sh
[ "\$OMPI_COMM_WORLD_RANK" -ne 1 ] || cd elsewhere
exec "$laggard" diagnose site --threads 1
EOF
chmod +x other; mkdir elsewhere
status=0; mpirun -n 3 "$folder/other" >out 2>said || status=$?
[ $status -eq 2 ] || fail "a rank without the recording ends with status $status"
grep -q '^laggard: rank 1: site: there is no such recording' said || fail "it is not said which rank lacks what"
"$lab" simulate --scale surveyor --duration 6h --incidents 2 --seed 12 -o elsewhere/site >/dev/null
status=0; mpirun -n 3 "$folder/other" >out 2>said || status=$?
[ $status -eq 2 ] || fail "a rank with another recording ends with status $status"
grep -q '^laggard: rank 1: sees other recordings than rank 0' said || fail "it is not said that recordings differ"

# A journal that two ranks began goes on with one, and the other way round.
for first in 1 2; do
  rm -f journal
  mpirun -n $first "$laggard" diagnose site --system site/system.toml --threads 1 --resume journal --json - >out 2>said
  cmp one.json out || fail "$first ranks with a journal give another diagnosis"
  truncate -s $(($(stat -c %s journal) * 2 / 3)) journal
  mpirun -n $((3 - first)) "$laggard" diagnose site --system site/system.toml --threads 1 --resume journal --json - \
    >out 2>said || fail "a journal cannot be gone on with"
  cmp one.json out || fail "gone on with after $first ranks, the diagnosis is another"
  grep -q 'going on' said || fail "it is not said that a journal is gone on with"
done
echo "the same with 1, 2 and 3 ranks"
