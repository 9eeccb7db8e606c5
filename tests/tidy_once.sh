#!/usr/bin/env bash
# clang-tidy over the given sources, skipping those that passed before with the same preprocessed text and rules.
# LAGGARD_TIDY_CHECKS adds checks to those of .clang-tidy.
set -u
cd "$(dirname "$0")/.."
stamps=${CCACHE_DIR:-$HOME/.cache/ccache}/../laggard-tidy
mkdir -p "$stamps"
checks=${LAGGARD_TIDY_CHECKS:-}
status=0
for source in "$@"; do
  command=$(python3 - "$source" <<'PY'
import json, shlex, sys
for entry in json.load(open("build/clang/compile_commands.json")):
    if entry["file"].endswith("/" + sys.argv[1]):
        words = shlex.split(entry["command"])
        words = words[1:] if "ccache" in words[0] else words
        out = words.index("-o")
        print(shlex.join(words[:out] + words[out + 2:]))
        break
PY
)
  [ -n "$command" ] || continue
  key=$( (cat .clang-tidy; echo "$checks"; eval "${command/ -c / -E -P }" 2>/dev/null; cat "$source") | sha256sum | cut -d' ' -f1)
  [ -e "$stamps/$key" ] && continue
  if clang-tidy-14 -p build/clang --quiet --checks="$checks" "$source" 2>/dev/null; then touch "$stamps/$key"; else status=1; fi
done
exit $status
