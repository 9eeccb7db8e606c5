#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/time.h"
#include "cmd/call_ring.h"
#include "derive/call_counts.h"
#include "model/observation_source.h"
#include "model/transfer_rules.h"

namespace laggard::cmd {

/// What `record syscalls` writes: of all calls counts, second by second (derive/call_counts.h), and of those
/// that S §7 looks at, or of all, the calls themselves (derive/notable_calls.h). Of the last minutes the
/// others stay in memory, and are written when somebody wants them. Other observations pass.
class CountedCalls final : public ObservationSink {
 public:
  struct Options {
    std::string host;
    TransferRules rules;
    bool keeps_all = false;
    /// When the calls of the last minutes were wanted last; empty: they never are.
    std::function<std::optional<WallTime>()> wanted = {};
  };

  /// \param to  outlives this
  CountedCalls(ObservationSink& to, Options options);

  [[nodiscard]] Status append(const EventTable& table) override;
  [[nodiscard]] Status append(const ProfileTable& table) override { return to_.append(table); }
  /// The counts of the last second, behind which nothing comes.
  [[nodiscard]] Status finish();
  /// What came of it, once it is finished: how many calls were written themselves, and a hint where what was
  /// taken for storage seems to be wrong. \param counted  how many calls there were
  [[nodiscard]] std::vector<std::string> sentences(std::uint64_t counted) const;

 private:
  [[nodiscard]] Status append_calls(const EventTable& calls);
  void keep_others(const EventTable& calls, std::span<const std::uint32_t> notable);
  [[nodiscard]] Status append_others();

  ObservationSink& to_;
  Options options_;
  derive::CallCounts counts_;
  CallRing others_;
  std::optional<WallTime> wanted_;  ///< When that was, the last time that it was looked at.
  std::uint64_t kept_ = 0;
};

}  // namespace laggard::cmd
