#include "collect/samples/symbolizer.h"

#include <utility>

#include "base/file.h"
#include "base/text.h"
#include "collect/samples/perf_map.h"
#include "model/code_profile.h"

namespace laggard::collect {

namespace {

/// `/usr/lib/libc.so.6 (deleted)` -> `libc.so.6`
std::string_view name_of_binary(std::string_view path) {
  constexpr std::string_view kDeleted = " (deleted)";
  if (path.ends_with(kDeleted)) path.remove_suffix(kDeleted.size());
  return path.substr(path.rfind('/') + 1);
}

CodePlace place_of(std::string_view binary, const std::optional<NearestSymbol>& symbol) {
  if (!symbol) return {.binary = binary, .function = {}};
  return {.binary = binary, .function = symbol->name, .is_near = symbol->is_near};
}

/// The names of the modules alone: how often they are used changes all the time.
std::string names_of_modules(std::string_view text) {
  std::string names;
  while (!text.empty()) {
    std::string_view line = take_line(text);
    names.append(take_word(line)).append(" ");
  }
  return names;
}

}  // namespace

std::string to_word(std::string_view program, const CodePlace& place) {
  const std::string near = place.is_near ? "near " + std::string(place.function) : "";
  return laggard::to_word({.program = program,
                           .binary = place.binary,
                           .function = place.is_near ? std::string_view(near) : place.function});
}

void Symbolizer::look_again(std::uint32_t process, MonoTime now) {
  compiled_.erase(process);
  processes_.look_again(process, now);
}

void Symbolizer::take(const PerfExited& exited) {
  processes_.take(exited);
  if (exited.process == exited.thread) compiled_.erase(exited.process);
}

CodePlace Symbolizer::of_kernel(std::uint64_t address) {
  if (!std::exchange(has_kernel_, true)) {
    auto read = KernelSymbols::read(root_);
    if (read) {
      kernel_ = std::move(*read);
    } else if (!std::exchange(told_hidden_, true) && say_) {
      say_(read.error().message());
    }
  }
  const auto function = kernel_.find(address);
  if (!function) return {.binary = "[kernel]", .function = {}};
  return {.binary = function->binary, .function = function->function};
}

void Symbolizer::look_for_modules() {
  const auto text = read_file(root_ / "proc/modules");
  if (!text) return;
  std::string names = names_of_modules(*text);
  if (names != modules_) kernel_changed();
  modules_ = std::move(names);
}

CodePlace Symbolizer::of_process(std::uint32_t process, std::uint64_t address, MonoTime now) {
  const Mapping* mapping = processes_.find(process, address, now);
  if (mapping == nullptr) return {};
  if (mapping->path == "[vdso]") {
    if (!vdso_) vdso_ = vdso_symbols();
    return place_of("[vdso]", vdso_->find(address - mapping->start));
  }
  if (mapping->file.inode == 0 || mapping->path.starts_with("/memfd:"))
    return of_compiled(process, address, now);
  const BinarySymbols& symbols = binaries_.find(process, *mapping, now);
  return place_of(name_of_binary(mapping->path), symbols.find(address - mapping->start + mapping->offset));
}

/// Code comes while the process runs, so that its list is read again, not too often. What is between two
/// functions may be anything.
CodePlace Symbolizer::of_compiled(std::uint32_t process, std::uint64_t address, MonoTime now) {
  constexpr Duration kAtMost = std::chrono::seconds(10);
  constexpr std::size_t kMostProcesses = 256;
  constexpr std::string_view kBinary = "[compiled]";
  if (compiled_.size() >= kMostProcesses && !compiled_.contains(process)) compiled_.clear();
  auto [at, is_new] = compiled_.try_emplace(process);
  Compiled& compiled = at->second;
  auto symbol = compiled.functions.find(address);
  const bool is_known = symbol && !symbol->is_near;
  if (!is_known && (is_new || now - compiled.looked >= kAtMost)) {
    compiled.looked = now;
    if (const auto text = read_perf_map(root_, static_cast<pid_t>(process))) {
      compiled.functions = parse_perf_map(*text);
    }
    symbol = compiled.functions.find(address);
  }
  return place_of(kBinary, symbol && !symbol->is_near ? symbol : std::nullopt);
}

}  // namespace laggard::collect
