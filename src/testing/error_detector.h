#pragma once

#include <array>
#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/detector.h"

namespace laggard::testing_support {

/// A detector of events for tests of whoever holds detectors: a part of which three errors or more are told
/// in a step is not well, until a step without. It remembers what it was handed, word by word.
class ErrorDetector final : public Detector {
 public:
  static constexpr std::array<std::string_view, 1> kEvents{"error"};
  static constexpr std::array<std::string_view, 1> kProfiles{"stacks"};
  static constexpr std::uint64_t kLeast = 3;

  explicit ErrorDetector(const DetectorSetup& setup) : grouping_(setup.grouping), step_(setup.step) {}

  [[nodiscard]] static DetectorSpec spec() {
    return {"errors", kEvents, kProfiles, [](const DetectorSetup& setup) -> std::unique_ptr<Detector> {
              return std::make_unique<ErrorDetector>(setup);
            }};
  }

  void take(const EventTable& events) override {
    for (std::size_t e = 0; e < events.size(); ++e) {
      const EventTable::Event event = events.event(e);
      const std::string_view name =
          event.subject == kNoWord ? std::string_view{} : events.words().text(event.subject);
      Seen& seen = seen_[grouping_.part_called(events.host(), name)
                             .value_or(Part{PartKind::kProcess, std::string(name)})];
      seen.host = events.host();
      seen.lines.lines.push_back({event.time, std::string(events.words().text(event.what))});
    }
  }
  void take(const ProfileTable& profile) override { periods_ += profile.size(); }

  void complete(WallTime until) override {
    for (auto& [part, seen] : seen_) {
      const auto open = open_.find(part);
      if (open == open_.end()) {
        if (seen.lines.lines.size() >= kLeast) open_[part] = begin(part, seen, until);
        continue;
      }
      go_on(open->second, seen);
    }
    for (auto open = open_.begin(); open != open_.end();) {
      const bool goes_on = open->second.until > until - step_;
      if (!goes_on) {
        open->second.open = false;
        done_.push_back(std::move(open->second));
      }
      open = goes_on ? std::next(open) : open_.erase(open);
    }
    seen_.clear();
  }

  [[nodiscard]] std::vector<Finding> findings() const override {
    std::vector<Finding> all = done_;
    for (const auto& [part, finding] : open_) all.push_back(finding);
    return all;
  }
  [[nodiscard]] std::size_t kept() const override { return done_.size() + open_.size(); }
  void forget(std::span<const std::uint8_t> keep) override {
    std::vector<Finding> left;
    for (std::size_t f = 0; f < done_.size(); ++f) {
      if (keep[f] != 0) left.push_back(std::move(done_[f]));
    }
    done_ = std::move(left);
  }

  [[nodiscard]] std::vector<PathEvidence> paths() const override {
    std::vector<PathEvidence> all;
    for (const Finding& finding : findings()) {
      all.push_back({{{finding.part}}, {finding.since, finding.until}, kLeast, kLeast});
    }
    return all;
  }

  [[nodiscard]] std::vector<Evidence> examine(const Suspicion& suspicion) const override {
    Evidence answer;
    answer.detector = "look-back";
    answer.note = "asked about " + suspicion.suspect.name + ", " + std::to_string(suspicion.parts.size()) +
                  " of its parts and " + std::to_string(suspicion.healthy.size()) + " healthy ones";
    return {answer};
  }

 private:
  struct Seen {
    std::string host;
    LinesPayload lines;
  };

  static void go_on(Finding& finding, Seen& seen) {
    auto& lines = std::get<LinesPayload>(finding.evidence.payloads.front().shape).lines;
    lines.insert(lines.end(), seen.lines.lines.begin(), seen.lines.lines.end());
    finding.until = lines.back().time;
    finding.strength = static_cast<double>(lines.size());
    finding.evidence.score = finding.strength;
    finding.evidence.note = std::to_string(lines.size()) + " errors";
  }

  [[nodiscard]] Finding begin(const Part& part, Seen& seen, WallTime until) const {
    Finding finding;
    finding.part = part;
    if (part.kind == PartKind::kProcess) finding.runs_on = {grouping_.host_part(seen.host)};
    finding.symptom = Symptom::kError;
    finding.since = seen.lines.lines.front().time;
    finding.faulty_since = until;
    finding.confirmed_since = until;
    finding.opened = {until, Symptom::kError};
    finding.open = true;
    finding.evidence.detector = "errors";
    finding.evidence.payloads.push_back({"what was told", LinesPayload{}});
    go_on(finding, seen);
    return finding;
  }

  const Grouping& grouping_;
  Duration step_;
  std::map<Part, Seen> seen_;  ///< In this step.
  std::map<Part, Finding> open_;
  std::vector<Finding> done_;
  std::size_t periods_ = 0;
};

}  // namespace laggard::testing_support
