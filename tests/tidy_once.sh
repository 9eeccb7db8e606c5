#!/usr/bin/env bash
# clang-tidy over the given sources, skipping those that passed before with the same preprocessed text and rules.
# LAGGARD_TIDY_CHECKS adds checks to those of .clang-tidy.
set -u
cd "$(dirname "$0")/.."
stamps=${CCACHE_DIR:-$HOME/.cache/ccache}/../laggard-tidy
mkdir -p "$stamps"
checks=${LAGGARD_TIDY_CHECKS:-}
status=0

# The compiler command of a source with -E -P for -c, without its output.
preprocessor_of() {
  python3 - "$1" <<'PY'
import json, shlex, sys
for entry in json.load(open("build/clang/compile_commands.json")):
    if entry["file"].endswith("/" + sys.argv[1]):
        words = shlex.split(entry["command"])
        words = words[1:] if "ccache" in words[0] else words
        out = words.index("-o")
        print(shlex.join(words[:out] + words[out + 2:]).replace(" -c ", " -E -P "))
        break
PY
}

# key_of SOURCE COMMAND: what a verdict depends on. Fails where the source cannot be preprocessed: no stamp then.
key_of() {
  local text
  text=$(set -o pipefail; eval "$2" 2>/dev/null | sha256sum) || return
  (cat .clang-tidy "$1"; echo "$checks $text") | sha256sum | cut -d' ' -f1
}

for source in "$@"; do
  preprocess=$(preprocessor_of "$source")
  [ -n "$preprocess" ] || { echo "$source: in no target of build/clang, so nothing looks at it" >&2; status=1; continue; }
  key=$(key_of "$source" "$preprocess") || key=none
  [ ! -e "$stamps/$key" ] || continue
  if ! clang-tidy-14 -p build/clang --quiet --checks="$checks" "$source" 2>/dev/null; then
    status=1
  elif [ "$key" != none ] && [ "$(key_of "$source" "$preprocess")" = "$key" ]; then
    touch "$stamps/$key"  # only what was not edited while it was read
  fi
done
exit $status
