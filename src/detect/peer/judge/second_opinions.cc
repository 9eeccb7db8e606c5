#include "detect/peer/judge/second_opinions.h"

#include <algorithm>

namespace laggard::detect {

void SecondOpinions::add(const JudgedWindow& judged, const MetricSpec* metric, const std::string& detector,
                         Flags flags) {
  if (opinions_.empty() || opinions_.back().window != judged.window.index) {
    opinions_.push_back({judged.cell, judged.window.index, {}});
  }
  opinions_.back().flags.insert_or_assign({metric, detector}, std::move(flags));
}

const SecondOpinions::Flags* SecondOpinions::about(const JudgedWindow& judged, const MetricSpec* metric,
                                                   const std::string& detector) const {
  const auto later = std::ranges::upper_bound(opinions_, judged.cell, {}, &Opinion::cell);
  if (later == opinions_.begin()) return nullptr;
  const Opinion& latest = *std::prev(later);
  if (latest.window != judged.window.index) return nullptr;
  const auto flags = latest.flags.find({metric, detector});
  return flags == latest.flags.end() ? nullptr : &flags->second;
}

void SecondOpinions::end_run() {
  if (opinions_.size() > 1) opinions_.erase(opinions_.begin(), opinions_.end() - 1);
}

}  // namespace laggard::detect
