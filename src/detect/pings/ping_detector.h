#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "detect/pings/ping_localizer.h"
#include "detect/pings/ping_paths.h"
#include "detect/pings/ping_pictures.h"
#include "model/detector.h"

namespace laggard::detect {

/// Parts that explain why probes fail (K §V-A). After each step the probes of the last kWindow are localized,
/// and those of the last kSoon by themselves, so that a part that fails wholly need not wait until it
/// outweighs what went well before. A part is found when it has failed with more than kCertain and at least
/// kLeastFailures probes say so, and well again when neither says so any more. It is confirmed when the whole
/// window says so kHeals later, and probes since it was found fail, too.
///
/// A probe has failed when it was slow, timed out or was refused; one that was skipped was none, and one that
/// is done after its timeout was told (attribute `timed_out`) is counted once.
class PingDetector final : public Detector {
 public:
  static constexpr std::array<std::string_view, 1> kEvents{"ping"};
  static constexpr Duration kWindow = std::chrono::minutes(5);  ///< K §V-A.
  static constexpr Duration kSoon = std::chrono::minutes(1);
  static constexpr Duration kHeals = std::chrono::minutes(1);  ///< K §VI-A.
  static constexpr std::uint64_t kLeastFailures = 3;
  static constexpr double kWholly = 0.95;
  static constexpr Duration kRemembered = std::chrono::hours(24);

  explicit PingDetector(const DetectorSetup& setup) : step_(setup.step), localizer_(setup.grouping) {}
  [[nodiscard]] static std::unique_ptr<Detector> make(const DetectorSetup& setup) {
    return std::make_unique<PingDetector>(setup);
  }

  using Detector::take;
  void take(const EventTable& events) override;
  void complete(WallTime until) override;
  [[nodiscard]] std::vector<Finding> findings() const override;
  [[nodiscard]] std::size_t kept() const override { return over_.size() + open_.size(); }
  void forget(std::span<const std::uint8_t> keep) override;
  [[nodiscard]] std::vector<PathEvidence> paths() const override;
  /// That probes failed everywhere alike, for kRemembered after they did.
  [[nodiscard]] std::vector<std::string> shared_symptoms() const override;
  /// Whether more of the probes through a suspect of others failed than of those that do not pass it: what
  /// fails too seldom to accuse anybody tells of one who is accused. Nothing where a finding tells of it.
  [[nodiscard]] std::vector<Evidence> examine(const Suspicion& suspicion) const override;

 private:
  /// What became of the probes of a pair.
  struct Outcomes {
    std::uint64_t trials = 0;
    std::uint64_t failures = 0;
    std::uint64_t errors = 0;  ///< Of the failures, those that were refused.
    WallTime first = WallTime::max();
    WallTime last = WallTime::min();                ///< First and last failure.
    std::map<std::string, std::uint64_t> how = {};  ///< `WrEx timeout`, `CrWr ENOSPC`.
    /// Of what was done, by operation; kMostLatencies each at most.
    std::map<std::string, std::vector<double>, std::less<>> latencies_ms = {};

    void add(const Outcomes& more);
  };
  struct Step {
    WallTime end;
    std::map<std::size_t, Outcomes> pairs;  ///< By the number of the pair.
  };
  static constexpr std::size_t kMostLatencies = 1000;
  /// Of the attributes of a table; null where it has none.
  struct Columns {
    const AttributeColumn* operation = nullptr;
    const AttributeColumn* error = nullptr;
    const AttributeColumn* timed_out = nullptr;
  };

  /// What became of one probe; nothing where that is not known, or was told before.
  [[nodiscard]] static std::optional<Outcomes> outcome_of(const EventTable& events, std::size_t e,
                                                          const Columns& columns);

  [[nodiscard]] std::vector<PingCounts> counts(WallTime from) const;
  [[nodiscard]] bool any_failure() const;
  void judge(WallTime from, bool is_whole, WallTime until);
  [[nodiscard]] bool goes_on(const PingVerdict& verdict, WallTime opened, WallTime until) const;
  /// What a verdict is made of: the outcomes of the pairs that pass a part, and of all others.
  struct Seen {
    std::map<std::pair<std::string, std::string>, Outcomes> through;
    Outcomes others;
    PingShares shares;  ///< Of all.
  };
  /// \param is_on  by the number of the pair; \param from  exclusive, of the ends of steps
  [[nodiscard]] Seen seen(const std::vector<std::uint8_t>& is_on, WallTime from) const;
  [[nodiscard]] bool has_finding(std::span<const Part> parts, TimeSpan interval) const;
  struct Open {
    Finding finding;
    WallTime seen;        ///< End of the last step in which it was so.
    double failed = 0;    ///< The model's posterior of the evidence.
    bool wholly = false;  ///< When it was found, nearly all probes of the last kSoon failed.
  };
  void renew(Open& open, const PingVerdict& verdict, std::span<const PingVerdict> all, WallTime from) const;
  /// Of the pairs that a verdict is about, from `from` on.
  [[nodiscard]] PingCounts counts_of(const PingVerdict& verdict, WallTime from) const;
  static void set_posterior(Open& open);
  void close_others(WallTime until);
  void count_everywhere(WallTime until);

  Duration step_;
  PingLocalizer localizer_;
  std::map<std::size_t, Outcomes> now_;  ///< Of the step at hand.
  std::deque<Step> steps_;               ///< Of the last kWindow.
  std::map<Part, Open> open_;
  std::vector<Finding> over_;
  /// All probes of the times when they failed everywhere alike.
  struct Everywhere {
    TimeSpan when;
    PingCounts counts;
  };
  std::optional<Everywhere> everywhere_;
};

}  // namespace laggard::detect
