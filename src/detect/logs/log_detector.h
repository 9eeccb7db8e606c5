#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "detect/logs/log_matcher.h"
#include "detect/logs/pattern_file.h"
#include "model/detector.h"
#include "model/recorded_hosts.h"

namespace laggard::detect {

/// Says what a suspect's log has around the begin of its incident that its healthy peers' logs have not
/// (K §V-B): δ = L_suspect - ∪ L_healthy, where two lines are the same when they match the same pattern, or,
/// where they match none, come from the same statement of a program (the template, model/log_line.h, or one
/// that is mined from the healthy peers' lines, TemplateMiner). Of lines that no pattern knows those of a
/// warning and above are compared.
///
/// It accuses nobody: a log is full of errors that explain nothing, and they only mean something once it is
/// known who is sick (K §V-B). So it has no findings, and answers when it is asked about a suspect.
///
/// An error that no pattern knows is everybody's, too, where any healthy peer had it within kKept, or any
/// host at all had it before the incident: it means nothing here.
///
/// Where a line of δ is of a failure that accounts for the suspect, the mode is reliability; where one is an
/// error that no pattern knows, or says no more than that something waits, it is surmised. Lines in which
/// only the wording is that of a failure (LogWeight::kWording) are errors that no pattern knows.
/// explain/failure_mode.h has what comes of that.
class LogDetector final : public Detector {
 public:
  static constexpr std::array<std::string_view, 1> kEvents{"log"};
  /// What failed is often told before the failure is seen: a window of probes (K §V-A).
  static constexpr Duration kBefore = std::chrono::minutes(5);
  /// As far back as anybody is asked about, and kBefore.
  static constexpr Duration kKept = std::chrono::minutes(15);
  /// The same of errors that no pattern knows, host and moment alone.
  static constexpr Duration kErrorsKept = std::chrono::hours(1);
  /// Different ones; of more the newest are not noted.
  static constexpr std::size_t kMostErrors = 20'000;
  /// Of one host; then the oldest leave.
  static constexpr std::size_t kMostLines = 4000;
  /// Different lines of healthy peers that show which words of a statement vary: from two nobody can tell
  /// `is odd` and `is gone` from two names.
  static constexpr std::size_t kFewestVariants = 3;
  /// So many lines of what was corrected are a failure (LogWeight).
  static constexpr std::size_t kStorm = 3;
  /// Of how many healthy peers the logs are looked at: among many somebody logs anything.
  static constexpr std::size_t kMostPeers = 48;
  /// That one answer shows, of lines and of healthy peers.
  static constexpr std::size_t kMostShown = 20;
  static constexpr std::size_t kMostPeersShown = 8;

  explicit LogDetector(const DetectorSetup& setup)
      : hosts_(setup.grouping), site_patterns_(setup.log_patterns) {}
  [[nodiscard]] static std::unique_ptr<Detector> make(const DetectorSetup& setup) {
    return std::make_unique<LogDetector>(setup);
  }

  using Detector::take;
  void take(const EventTable& events) override;
  void complete(WallTime until) override;
  [[nodiscard]] std::vector<Finding> findings() const override { return {}; }
  [[nodiscard]] std::size_t kept() const override { return 0; }
  void forget(std::span<const std::uint8_t> keep) override { static_cast<void>(keep); }
  [[nodiscard]] std::vector<Evidence> examine(const Suspicion& suspicion) const override;

 private:
  struct Line {
    const std::string* host = nullptr;
    WallTime time;
    const LogPattern* pattern = nullptr;  ///< Null: none matches.
    int severity = 0;                     ///< Of the pattern, else the line's own.
    std::string key;                      ///< What lines that are the same share.
    std::string text;
  };

  struct Seen {
    WallTime time;
    const std::string* host = nullptr;
  };

  void make_matcher();
  void note_error(const Line& line);
  /// Hosts of whoever may be meant, in order.
  [[nodiscard]] std::vector<std::string> accused_hosts(const Suspicion& suspicion) const;
  [[nodiscard]] std::vector<const Line*> lines_of(std::span<const std::string> hosts, TimeSpan span) const;
  [[nodiscard]] static bool is_known(const LogPattern* pattern);
  [[nodiscard]] static bool is_unknown_error(const Line* line);
  void drop_stray_errors(std::vector<const Line*>& difference, const Suspicion& suspicion,
                         std::span<const std::string> own) const;
  static void drop_same_statements(std::vector<const Line*>& difference,
                                   std::span<const Line* const> of_healthy);
  [[nodiscard]] static Evidence evidence_of(std::span<const Line* const> difference, std::size_t peers,
                                            const Suspicion& suspicion);
  static void set_mode(Evidence& evidence, std::span<const Line* const> difference,
                       const Suspicion& suspicion);
  /// How many lines each log has when: the suspect's alone, all of the suspect's, and its healthy peers'.
  [[nodiscard]] GridPayload in_time(std::span<const Line* const> difference, std::span<const std::string> own,
                                    std::span<const std::string> healthy, TimeSpan span) const;

  RecordedHosts hosts_;
  std::string site_patterns_;
  PatternFile patterns_;
  std::optional<LogMatcher> matcher_;  ///< Nothing before the first line, and in a build without RE2.
  std::map<std::string, std::deque<Line>, std::less<>>
      lines_;  ///< By host; of whose log was seen, maybe none.
  std::map<std::string, std::deque<Seen>, std::less<>> errors_;  ///< That no pattern knows, by Line::key.
};

}  // namespace laggard::detect
