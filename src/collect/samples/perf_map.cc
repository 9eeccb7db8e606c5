#include "collect/samples/perf_map.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <charconv>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/text.h"

namespace laggard::collect {

namespace {

constexpr std::uint64_t kMostMapBytes = std::uint64_t{64} << 20;

std::optional<std::uint64_t> hex_number(std::string_view text) {
  constexpr int kHex = 16;
  if (text.starts_with("0x")) text.remove_prefix(2);
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, kHex);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// The number that the process has in the innermost namespace that it is in.
std::string own_number(const std::filesystem::path& folder, pid_t process) {
  const auto status = read_file(folder / "status");
  std::string number = std::to_string(process);
  if (!status) return number;
  for (std::string_view rest = *status; !rest.empty();) {
    std::string_view line = take_line(rest);
    if (take_word(line) != "NSpid:") continue;
    for (std::string_view word = take_word(line); !word.empty(); word = take_word(line)) number = word;
  }
  return number;
}

}  // namespace

SymbolTable parse_perf_map(std::string_view text) {
  std::vector<Symbol> symbols;
  while (!text.empty()) {
    std::string_view line = take_line(text);
    const auto start = hex_number(take_word(line));
    const auto size = hex_number(take_word(line));
    const std::string_view name = trim(line);
    if (start && size && *size != 0 && !name.empty()) {
      symbols.push_back({.start = *start, .size = *size, .name = name});
    }
  }
  return SymbolTable(std::move(symbols));
}

std::optional<std::string> read_perf_map(const std::filesystem::path& root, pid_t process) {
  const std::filesystem::path folder = root / "proc" / std::to_string(process);
  struct stat owner {};
  if (::stat(folder.c_str(), &owner) != 0) return std::nullopt;
  const std::filesystem::path path = folder / "root/tmp" / ("perf-" + own_number(folder, process) + ".map");
  const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat status {};
  if (!file.valid() || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  if (status.st_uid != owner.st_uid && status.st_uid != 0) return std::nullopt;
  std::string text;
  std::vector<char> piece(std::size_t{1} << 16);
  while (text.size() < kMostMapBytes) {
    const auto got = read_some(file.get(), piece, path.string());
    if (!got || *got == 0) break;
    text.append(piece.data(), *got);
  }
  return text;
}

}  // namespace laggard::collect
