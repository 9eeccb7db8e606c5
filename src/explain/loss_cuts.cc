#include "explain/loss_cuts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <utility>

#include "explain/losses.h"

namespace laggard::explain {

namespace {

/// While an attachment is lost.
struct Loss {
  std::int64_t first = 0;  ///< In cells, as in Finding.
  std::int64_t last = 0;   ///< The same: start of the last window.
  WallTime since;
  WallTime until;
  Symptom symptom = Symptom::kLost;
};

/// Per component.
using Losses = std::map<std::size_t, std::vector<Loss>>;

bool is_about_attachment(const Grouping& grouping, const Finding& finding) {
  return finding.is_of_component() && grouping.components[finding.component].priority.has_value();
}

/// \param pause  cells between two findings of one loss.
Losses find_losses(const Grouping& grouping, std::span<const Finding> findings, std::int64_t pause) {
  std::map<std::size_t, std::vector<const Finding*>> sure;
  for (const Finding& finding : findings) {
    if (is_about_attachment(grouping, finding) && began_lost(finding))
      sure[finding.component].push_back(&finding);
  }
  Losses losses;
  for (auto& [component, list] : sure) {
    std::ranges::stable_sort(list, {}, &Finding::first);
    std::vector<Loss>& of = losses[component];
    for (const Finding* finding : list) {
      if (of.empty() || finding->first > of.back().last + pause) {
        of.push_back({finding->first, finding->last, finding->since, finding->until, finding->symptom});
      } else if (finding->last > of.back().last) {
        of.back().last = finding->last;
        of.back().until = finding->until;
      }
    }
  }
  return losses;
}

/// From one moment to another, in cells and in time.
struct Stretch {
  std::int64_t first = 0;
  std::int64_t last = 0;
  WallTime since;
  WallTime until;
};

/// What is left of a finding in a stretch within it.
Finding piece_of(const Finding& whole, const Stretch& stretch) {
  Finding piece = whole;
  piece.first = stretch.first;
  piece.last = stretch.last;
  piece.since = stretch.since;
  piece.until = stretch.until;
  piece.open = whole.open && stretch.last == whole.last;
  piece.faulty_since = std::clamp(whole.faulty_since, piece.since, piece.until);
  const auto clamp = [&](std::optional<WallTime>& t) {
    if (t && *t > piece.until) t.reset();
    if (t) t = std::max(*t, piece.since);
  };
  clamp(piece.persistent_since);
  clamp(piece.confirmed_since);
  if (piece.since > whole.since) piece.opened = {piece.faulty_since, piece.symptom};
  std::erase_if(piece.growth,
                [&](const Growth& step) { return step.at < piece.since || step.at > piece.until; });
  if (!piece.growth.empty() && piece.until < whole.until) {
    piece.severity = 0;
    piece.persistence = 0;
    for (const Growth& step : piece.growth) {
      piece.severity = std::max(piece.severity, step.severity);
      piece.persistence = std::max(piece.persistence, step.persistence);
    }
  }
  std::erase_if(piece.evidence.windows, [&](WallTime t) { return t < piece.since || t >= piece.until; });
  for (Fact& fact : piece.facts) {
    if (fact.spec == &kAnomalousWindows) fact.own = static_cast<double>(piece.evidence.windows.size());
  }
  return piece;
}

class Cutter {
 public:
  Cutter(const Losses& losses, const IncidentOptions& options)
      : losses_(losses),
        shift_(static_cast<std::int64_t>(options.shift)),
        slack_(options.slack()),
        least_windows_(static_cast<std::ptrdiff_t>(options.k)) {}

  /// \return whether it was cut; else nothing is added.
  bool cut(const Finding& finding, std::vector<Finding>& pieces) const {
    const auto of = losses_.find(finding.component);
    if (of == losses_.end() || began_lost(finding)) return false;
    const std::size_t before = pieces.size();
    Stretch rest{finding.first, finding.last, finding.since, finding.until};
    for (const Loss& loss : of->second) {
      if (loss.last < rest.first || loss.first > rest.last) continue;
      const bool ended = cut_off(finding, loss, rest, pieces);
      if (ended && pieces.size() > before) add_lost(finding, rest, loss, pieces);
      if (ended) return pieces.size() > before;
    }
    if (pieces.size() > before) add_well(finding, rest, pieces);
    return pieces.size() > before;
  }

 private:
  /// Adds what lies before the loss and in it, and leaves what lies after it. \return whether the loss is the
  /// end of the finding, which is left then.
  bool cut_off(const Finding& finding, const Loss& loss, Stretch& rest, std::vector<Finding>& pieces) const {
    const bool late = loss.first - rest.first > slack_ && differs(finding, rest.since, loss.since);
    const bool early = rest.last - loss.last > slack_ && differs(finding, loss.until, rest.until);
    if (late) {
      add_well(finding, {rest.first, loss.first - shift_, rest.since, loss.since}, pieces);
      rest.first = loss.first;
      rest.since = loss.since;
    }
    if (!early) return true;
    add_lost(finding, {rest.first, loss.last, rest.since, loss.until}, loss, pieces);
    rest.first = loss.last + shift_;
    rest.since = loss.until;
    return false;
  }
  /// In enough windows to be faulty for that.
  [[nodiscard]] bool differs(const Finding& finding, WallTime from, WallTime to) const {
    return std::ranges::count_if(finding.evidence.windows, [&](WallTime t) { return t >= from && t < to; }) >=
           least_windows_;
  }
  /// While it was not lost.
  static void add_well(const Finding& finding, const Stretch& stretch, std::vector<Finding>& pieces) {
    Finding& piece = pieces.emplace_back(piece_of(finding, stretch));
    if (piece.is_lost()) piece.symptom = piece.opened.symptom = finding.opened.symptom;
    piece.evidence.note = fmt::format("was lost {}; the score includes that",
                                      stretch.last < finding.last ? "afterwards" : "before");
  }
  static void add_lost(const Finding& finding, const Stretch& stretch, const Loss& loss,
                       std::vector<Finding>& pieces) {
    Finding& piece = pieces.emplace_back(piece_of(finding, stretch));
    piece.symptom = loss.symptom;
    piece.opened.symptom = loss.symptom;
  }

  const Losses& losses_;
  std::int64_t shift_;
  std::int64_t slack_;
  std::ptrdiff_t least_windows_;
};

}  // namespace

std::optional<std::vector<Finding>> cut_at_losses(const Grouping& grouping, std::span<const Finding> findings,
                                                  const IncidentOptions& options) {
  const Losses losses = find_losses(grouping, findings, options.recurrence());
  if (losses.empty()) return std::nullopt;
  const Cutter cutter(losses, options);
  std::vector<std::vector<Finding>> pieces(findings.size());
  bool any = false;
  for (std::size_t f = 0; f < findings.size(); ++f) {
    if (is_about_attachment(grouping, findings[f])) any = cutter.cut(findings[f], pieces[f]) || any;
  }
  if (!any) return std::nullopt;
  std::vector<Finding> all;
  for (std::size_t f = 0; f < findings.size(); ++f) {
    if (pieces[f].empty()) {
      all.push_back(findings[f]);
    } else {
      std::ranges::move(pieces[f], std::back_inserter(all));
    }
  }
  return all;
}

}  // namespace laggard::explain
