#!/usr/bin/env python3
"""Every source must reach by its own includes what it names: types and constants that headers of ours declare, and what is common of the
standard library. Sources are compiled in batches (cmake/Batches.cmake), where another's include can stand in for one that is missing;
the compiler would tell only whoever compiles the source by itself (`./dev lint deep`)."""
import collections
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parent.parent
src = root / "src"

# What declares a name of the standard library, where no other header need bring it.
STANDARD = {
    "algorithm": "any_of all_of none_of clamp sort stable_sort find_if lower_bound upper_bound nth_element minmax_element",
    "array": "array", "atomic": "atomic", "bit": "bit_cast popcount countr_zero", "charconv": "from_chars to_chars",
    "chrono": "chrono", "cmath": "isnan isfinite sqrt exp lround", "condition_variable": "condition_variable",
    "cstdint": "uint8_t uint16_t uint32_t uint64_t int32_t int64_t", "cstring": "memcpy memcmp strerror", "deque": "deque",
    "filesystem": "filesystem", "fstream": "ifstream ofstream", "functional": "function", "limits": "numeric_limits",
    "map": "map multimap", "memory": "unique_ptr shared_ptr make_unique make_shared", "mutex": "mutex lock_guard unique_lock",
    "numeric": "accumulate iota", "optional": "optional nullopt", "random": "mt19937_64 uniform_int_distribution", "regex": "regex",
    "set": "set multiset", "span": "span", "sstream": "ostringstream istringstream", "thread": "thread jthread", "tuple": "tuple tie",
    "unordered_map": "unordered_map", "unordered_set": "unordered_set", "variant": "variant visit", "vector": "vector",
}
HEADER_OF = {name: header for header, names in STANDARD.items() for name in names.split()}


def code_of(text):
    """Without comments, literals and the names of tests."""
    text = re.sub(r'R"(\w*)\(.*?\)\1"', '""', text, flags=re.S)
    text = re.sub(r'"(\\.|[^"\\\n])*"', '""', text)
    text = re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.S)
    return re.sub(r"^(?:TEST\w*|RC_GTEST\w*)\(\w+, *\w+", "TEST(", text, flags=re.M)


class File:
    def __init__(self, path):
        self.path = path
        text = path.read_text()
        self.ours = [src / name for name in re.findall(r'^#include "([^"]+)"', text, re.M)]
        self.foreign = set(re.findall(r"^#include <([^>]+)>", text, re.M))
        code = code_of(text)
        self.words = set(re.findall(r"(?<![\w.>:])[A-Z]\w+|(?<![\w.>:])k[A-Z]\w*", code))
        self.standard = set(re.findall(r"\bstd::(?:ranges::)?(\w+)", code))
        # Also nested, of friends and of templates: whatever makes a word the file's own.
        self.declared = set(re.findall(r"\b(?:enum class|enum|struct|class|union|using|typename|concept|namespace)\s+(?:\[\[.*?\]\] )?(\w+)", code))
        for enumerators in re.findall(r"\benum class \w+[^{;]*\{([^}]*)\}", code):
            self.declared |= set(re.findall(r"\bk\w+", enumerators))
        self.declared |= set(re.findall(r"\b(k[A-Z]\w*|[A-Z]\w+)(?= = |\{|\()", code))
        # What begins a line is at namespace scope.
        self.offered = set(re.findall(r"^(?:struct|class|enum class|enum) (?:\[\[.*?\]\] )?(\w+)(?: final)?(?: :[^\n]*)? \{", code, re.M))
        self.offered |= set(re.findall(r"^using (\w+) =", code, re.M))
        self.offered |= set(re.findall(r"^inline constexpr [^=\n{]*\b(k[A-Z]\w*)(?: =|\{|\[)", code, re.M))


def rooms_of():
    """Of each room, the rooms that it may include."""
    rows = {}
    for line in (root / "tests/include_table.txt").read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            room, _, others = line.partition(":")
            rows[room.strip()] = set(others.split()) | {room.strip()}
    return rows


def main():
    files = {path: File(path) for path in src.rglob("*.[ch]*") if path.suffix in (".cc", ".h")}
    rows = rooms_of()

    def room_of(path):
        parts = path.relative_to(src).parts
        return "/".join(parts[:2]) if "/".join(parts[:2]) in rows else parts[0]

    def reached_by(path):
        reached, waiting = set(), [path]
        while waiting:
            here = waiting.pop()
            if here not in reached and here in files:
                reached.add(here)
                waiting += files[here].ours
        return [files[other] for other in reached]

    owners = collections.defaultdict(set)
    for path, file in files.items():
        if path.suffix == ".h":
            for name in file.offered:
                owners[name].add(path)

    wrong = []
    for path, file in sorted(files.items()):
        reached = reached_by(path)
        own = set().union(*(other.declared | other.offered for other in reached))
        foreign = set().union(*(other.foreign for other in reached))
        allowed = rows[room_of(path)] | ({"testing"} if path.name.endswith("_test.cc") else set())
        for name in sorted(file.words & owners.keys() - own):
            near = sorted(owner for owner in owners[name] if room_of(owner) in allowed)
            if near:
                wrong.append(f"{path.relative_to(root)}: names {name} of {' or '.join(str(n.relative_to(src)) for n in near)}")
        for name in sorted(file.standard & HEADER_OF.keys()):
            if HEADER_OF[name] not in foreign:
                wrong.append(f"{path.relative_to(root)}: names std::{name} of <{HEADER_OF[name]}>")
    for message in wrong:
        print(message + ", which it does not include")
    print(f"names: {len(files)} files checked, {len(wrong)} names not reached")
    sys.exit(1 if wrong or not owners else 0)


if __name__ == "__main__":
    main()
