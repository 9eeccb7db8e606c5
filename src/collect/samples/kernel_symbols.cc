#include "collect/samples/kernel_symbols.h"

#include <charconv>
#include <string>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/text.h"

namespace laggard::collect {

namespace {

/// `ADDRESS TYPE NAME`, and behind a tab the module. Code only.
std::optional<Symbol> parse_kernel_symbol(std::string_view line) {
  constexpr int kHex = 16;
  std::uint64_t address = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), address, kHex);
  if (error != std::errc{} || address == 0) return std::nullopt;
  line.remove_prefix(static_cast<std::size_t>(end - line.data()));
  constexpr std::size_t kBeforeName = 3;
  if (line.size() <= kBeforeName || line[0] != ' ' || line[2] != ' ') return std::nullopt;
  constexpr std::string_view kCode = "tTwW";
  constexpr std::string_view kPadding = "__pfx_";  // The space before a function, which nothing runs in.
  const std::string_view name = line.substr(kBeforeName);
  if (kCode.find(line[1]) == std::string_view::npos || name.starts_with(kPadding)) return std::nullopt;
  const bool is_global = line[1] == 'T';
  return Symbol{.start = address, .name = name, .binding = static_cast<std::uint8_t>(is_global ? 0 : 1)};
}

}  // namespace

Result<KernelSymbols> KernelSymbols::read(const std::filesystem::path& root) {
  const auto text = read_file(root / "proc/kallsyms");
  if (!text) return tl::unexpected<Error>(text.error());
  KernelSymbols symbols = parse(*text);
  if (!symbols.empty()) return symbols;
  return fail(
      ErrorCode::kNoPermission, "/proc/kallsyms",
      "has no addresses, so that functions of the kernel stay unknown: needs the capability CAP_SYSLOG, "
      "or kernel.kptr_restrict=0");
}

KernelSymbols KernelSymbols::parse(std::string_view kallsyms) {
  std::vector<Symbol> symbols;
  for (std::string_view rest = kallsyms; !rest.empty();) {
    if (const auto symbol = parse_kernel_symbol(take_line(rest))) symbols.push_back(*symbol);
  }
  KernelSymbols kernel;
  kernel.table_ = SymbolTable(std::move(symbols));
  return kernel;
}

std::optional<KernelFunction> KernelSymbols::find(std::uint64_t address) const {
  const auto symbol = table_.find(address);
  if (!symbol) return std::nullopt;
  const std::size_t tab = symbol->name.find('\t');
  if (tab == std::string_view::npos || tab + 1 == symbol->name.size())
    return KernelFunction{.binary = "[kernel]", .function = symbol->name.substr(0, tab)};
  return KernelFunction{.binary = symbol->name.substr(tab + 1), .function = symbol->name.substr(0, tab)};
}

}  // namespace laggard::collect
