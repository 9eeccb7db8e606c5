#include "collect/import/perf/perf_object.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <span>

namespace laggard::collect {

namespace {

bool starts_with_any(std::string_view text, std::span<const std::string_view> beginnings) {
  return std::ranges::any_of(beginnings, [&](std::string_view begin) { return text.starts_with(begin); });
}

/// Code in memory that is of no file: of a virtual machine's compiler, with the map that it keeps for perf or
/// the library that `perf inject` made of it.
bool is_made_at_run_time(std::string_view object, std::string_view name) {
  constexpr std::array<std::string_view, 4> kMemory{"//anon", "[JIT]", "[anon", "anon_inode"};
  if (starts_with_any(object, kMemory)) return true;
  return (name.starts_with("perf-") && name.ends_with(".map")) ||
         (name.starts_with("jitted-") && name.ends_with(".so"));
}

/// `nf-conntrack` of `nf-conntrack.ko.xz`; empty for what is no module.
std::string_view module_in(std::string_view name) {
  for (const std::string_view packed : {".gz", ".xz", ".zst", ".debug"}) {
    if (name.ends_with(packed)) name.remove_suffix(packed.size());
  }
  return name.ends_with(".ko") ? name.substr(0, name.size() - 3) : std::string_view();
}

}  // namespace

std::string binary_name(std::string_view object) {
  constexpr std::string_view kDeleted = " (deleted)";
  if (object.ends_with(kDeleted)) object.remove_suffix(kDeleted.size());
  std::string_view name = object.substr(object.rfind('/') + 1);
  if (name.empty()) name = object;
  if (is_made_at_run_time(object, name)) return "[jit]";
  if (object.starts_with("[guest.kernel")) return "[guest.kernel]";
  if (object.starts_with("[kernel") || name == "vmlinux" || name.starts_with("vmlinux-")) return "[kernel]";
  if (object.starts_with('[')) return std::string(object);
  const std::string_view module = module_in(name);
  if (module.empty()) return std::string(name);
  std::string binary = "[";
  // The kernel writes underscores where files of modules may have hyphens.
  std::ranges::replace_copy(module, std::back_inserter(binary), '-', '_');
  return binary + "]";
}

}  // namespace laggard::collect
