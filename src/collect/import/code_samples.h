#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/time.h"
#include "collect/import/profile_import.h"
#include "model/code_profile.h"

namespace laggard::collect {

/// What a processor was seen to do, as texts of profilers tell it.
struct CodeSample {
  std::string_view host;
  WallTime time;   ///< For the result of the import.
  WallTime start;  ///< Of the period that it belongs to.
  Duration length{};
  std::string_view thread;                  ///< Its name; empty: unknown.
  std::string_view binary;                  ///< FunctionName::binary.
  std::string_view function;                ///< That the processor was in; empty: unknown.
  std::span<const std::string_view> stack;  ///< From the outermost to the innermost; empty: not told.
  std::uint64_t count = 1;
  Duration each{};  ///< ProfileImport::Count::each.
};

/// Makes samples of code into profiles: a function of the kind kSamplesKind and, where the stack is known,
/// one of the kind kStacksKind. Leaves idle processors out.
class CodeSamples {
 public:
  /// \param import  outlives this
  explicit CodeSamples(ProfileImport& import) : import_(import) {}

  [[nodiscard]] Status put(const CodeSample& sample);
  /// Says what was left out, if anything was.
  void notice_idle();

 private:
  ProfileImport& import_;
  std::uint64_t idle_ = 0;
  std::uint64_t maybe_idle_ = 0;
};

}  // namespace laggard::collect
