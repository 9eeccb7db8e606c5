#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/time.h"
#include "collect/import/perf/perf_capture.h"
#include "collect/import/perf/perf_line.h"

namespace laggard::collect {

/// A sample as `perf script` tells it: in one line, or in one for each function of its call chain.
struct ScriptSample {
  struct Frame {
    std::string function;  ///< Empty: unknown.
    std::string object;    ///< As perf writes it; empty: unknown.
    bool is_inlined = false;
  };
  std::string comm;
  Duration moment{};  ///< Of perf's clock.
  std::optional<std::uint64_t> period;
  std::string event;          ///< Empty where it was not written.
  std::vector<Frame> frames;  ///< From the innermost to the outermost; none: not written.
  bool has_chain = false;     ///< The frames are a call chain, even if it is of one function.
};

/// Puts the lines of one text of `perf script` together to samples, each of which is handed on when it is
/// complete.
class PerfSamples {
 public:
  using Take = std::function<Status(const ScriptSample&)>;
  /// Frames beyond this, on the outside, are left out. Perf itself records 127 if it is not told otherwise.
  static constexpr std::size_t kMostFrames = 1024;

  explicit PerfSamples(Take take) : take_(std::move(take)) {}

  /// Fails only where `take` does.
  [[nodiscard]] Status add(std::string_view line);
  [[nodiscard]] Status finish();

  /// What the lines before the samples say.
  [[nodiscard]] const PerfCapture& capture() const { return capture_; }
  /// Whether there was any sample yet.
  [[nodiscard]] bool any() const { return any_; }
  /// Whether the line that was added last belongs to no sample and is no comment either.
  [[nodiscard]] bool was_other() const { return was_other_; }

 private:
  [[nodiscard]] Status begin(const PerfHead& head);
  [[nodiscard]] bool add_frame(std::string_view line);
  void add_frame(const PerfFrame& frame);

  Take take_;
  PerfCapture capture_;
  ScriptSample sample_;
  bool open_ = false;  ///< `sample_` is not handed on yet.
  bool any_ = false;
  bool was_other_ = false;
};

}  // namespace laggard::collect
