#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

#include "base/error.h"
#include "collect/samples/symbol_table.h"

namespace laggard::collect {

/// A function of the kernel.
struct KernelFunction {
  std::string_view binary;  ///< `[kernel]`, `[nf_conntrack]`; for programs of BPF `[bpf]`.
  std::string_view function;
  bool operator==(const KernelFunction&) const = default;
};

/// The functions of the kernel and of its modules. The views that it returns are valid as long as it.
class KernelSymbols {
 public:
  KernelSymbols() = default;

  /// /proc/kallsyms. An error says that the kernel hides its addresses (kNoPermission).
  [[nodiscard]] static Result<KernelSymbols> read(const std::filesystem::path& root);
  /// The same of its text; lines that are none are left out. Empty when all addresses are zero.
  [[nodiscard]] static KernelSymbols parse(std::string_view kallsyms);

  [[nodiscard]] std::optional<KernelFunction> find(std::uint64_t address) const;
  [[nodiscard]] bool empty() const { return table_.empty(); }

 private:
  SymbolTable table_;  ///< Names as in the text, with the module: `nf_conntrack_in\t[nf_conntrack]`.
};

}  // namespace laggard::collect
