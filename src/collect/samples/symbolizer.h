#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/time.h"
#include "collect/samples/binary_cache.h"
#include "collect/samples/binary_symbols.h"
#include "collect/samples/kernel_symbols.h"
#include "collect/samples/perf_record.h"
#include "collect/samples/process_table.h"

namespace laggard::collect {

/// The function that an address is in. The views are valid until the next look-up.
struct CodePlace {
  std::string_view binary;    ///< As of FunctionName.
  std::string_view function;  ///< Empty: unknown.
  bool is_near = false;       ///< The function ends before.
};

/// As profiles name it.
[[nodiscard]] std::string to_word(std::string_view program, const CodePlace& place);

/// Names the functions that addresses are in.
class Symbolizer {
 public:
  using Say = std::function<void(const std::string& sentence)>;

  /// \param root  where /proc is. \param say  is told once when functions of the kernel stay unknown.
  Symbolizer(std::filesystem::path root, Say say)
      : root_(root), say_(std::move(say)), processes_(root), binaries_(root) {}

  [[nodiscard]] ProcessTable& processes() { return processes_; }
  void take(const PerfExited& exited);
  /// What a process has mapped may be other files than before: it is looked at now, so that it is known when
  /// the process is gone.
  void look_again(std::uint32_t process, MonoTime now);
  [[nodiscard]] CodePlace of_kernel(std::uint64_t address);
  [[nodiscard]] CodePlace of_process(std::uint32_t process, std::uint64_t address, MonoTime now);
  /// The kernel may have other functions than before.
  void kernel_changed() { has_kernel_ = false; }
  /// Looks now and then whether modules have come or gone, of which the kernel has no records.
  void look_for_modules();

 private:
  /// What a process compiled while it ran.
  struct Compiled {
    SymbolTable functions;
    MonoTime looked{};
  };

  [[nodiscard]] CodePlace of_compiled(std::uint32_t process, std::uint64_t address, MonoTime now);

  std::filesystem::path root_;
  Say say_;
  ProcessTable processes_;
  BinaryCache binaries_;
  KernelSymbols kernel_;
  bool has_kernel_ = false;
  bool told_hidden_ = false;
  std::string modules_;  ///< As /proc/modules names them, when it was last looked at.
  std::optional<BinarySymbols> vdso_;
  std::unordered_map<std::uint32_t, Compiled> compiled_;
};

}  // namespace laggard::collect
