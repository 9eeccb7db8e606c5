#include "explain/episodes.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <tuple>

namespace laggard::explain {

namespace {

/// An episode goes on while at least this share of the components at its peak are affected.
constexpr double kFading = 0.25;

/// What a part gains by a later loss when some that run through it had been lost before: a smaller part that
/// gains nearly as much is blamed (ours).
constexpr double kNearly = 0.95;

/// Between two moments at which something changes.
struct Segment {
  std::int64_t first = 0;
  std::int64_t last = 0;  ///< Inclusive.
  Tally tally;
};

/// What one part could explain.
struct Offer {
  std::int64_t first = 0;
  std::int64_t last = 0;
  double gain = 0;
  double share = 0;
};

/// A localizer has weighed what its subject shares with others already: five targets of a rack that it blames
/// one by one are no sick rack.
bool may_explain(const PartMap::Entry& part, const AffectedSpan& span) {
  return !span.localized || part.accused || part.part.kind.spec().reach <= 1;
}

class Finder {
 public:
  /// \param which    the spans that are to be explained.
  /// \param excused  subjects that speak neither for nor against a part, as long as they are not affected.
  Finder(const PartMap& map, std::span<const AffectedSpan> spans, const EpisodeOptions& options,
         std::span<const std::size_t> which, std::span<const AffectedSpan> excused)
      : map_(map),
        spans_(spans),
        options_(options),
        loss_(std::ranges::any_of(which, [&](std::size_t t) { return spans[t].lost; })),
        of_part_(map.parts().size()) {
    for (const std::size_t t : which) {
      for (const std::size_t p : map.parts_of(spans[t].subject)) {
        if (may_explain(map.parts()[p], spans[t])) of_part_[p].push_back(t);
      }
    }
    for (const AffectedSpan& span : excused) {
      for (const std::size_t p : map.parts_of(span.subject)) {
        if (!of_part_[p].empty()) excused_[p].push_back(&span);
      }
    }
  }

  std::vector<Episode> run() {
    for (std::size_t p = 0; p < of_part_.size(); ++p) {
      if (!of_part_[p].empty()) offers_[p] = best_offer(p);
    }
    std::vector<Episode> episodes;
    for (std::optional<std::size_t> best = best_part(); best; best = best_part()) {
      Episode episode = take(*best);
      if (episode.spans.empty()) {
        offers_.erase(*best);  // Nothing lies mostly within it.
        continue;
      }
      episodes.push_back(std::move(episode));
    }
    return episodes;
  }

 private:
  [[nodiscard]] std::vector<Segment> segments(std::size_t part, const std::vector<std::size_t>& of) const;
  [[nodiscard]] std::optional<Offer> best_offer(std::size_t part) const;
  [[nodiscard]] Offer offer_around(const std::vector<Segment>& all, std::size_t peak, std::size_t part) const;
  [[nodiscard]] std::optional<std::size_t> best_part() const;
  [[nodiscard]] bool lies_in(const AffectedSpan& span, const Offer& offer) const;
  [[nodiscard]] std::vector<std::size_t> claims(std::size_t part, const Offer& offer) const;
  Episode take(std::size_t part);

  const PartMap& map_;
  std::span<const AffectedSpan> spans_;
  EpisodeOptions options_;
  bool loss_;                                                        ///< What is explained was lost together.
  std::vector<std::vector<std::size_t>> of_part_;                    ///< Troubles that are not explained yet.
  std::map<std::size_t, std::vector<const AffectedSpan*>> excused_;  ///< Per part.
  std::map<std::size_t, std::optional<Offer>> offers_;
};

/// What is known of one subject at one moment; it can be in several spans at once.
struct Depth {
  int affected = 0;
  int excused = 0;

  void enter(Tally& tally, const PartMap& map, std::size_t subject) const {
    if (affected > 0) tally.add(map, subject);
    if (affected == 0 && excused > 0) tally.excuse(map, subject);
  }
  void leave(Tally& tally, const PartMap& map, std::size_t subject) const {
    if (affected > 0) tally.remove(map, subject);
    if (affected == 0 && excused > 0) tally.accuse(map, subject);
  }
};

std::vector<Segment> Finder::segments(std::size_t part, const std::vector<std::size_t>& of) const {
  struct Change {
    std::int64_t at;
    int by;
    std::size_t subject;
    int Depth::*what;
  };
  std::vector<Change> changes;
  const auto change = [&](const AffectedSpan& span, int Depth::*what) {
    changes.push_back({span.first, 1, span.subject, what});
    changes.push_back({span.last + 1, -1, span.subject, what});
  };
  for (const std::size_t t : of) change(spans_[t], &Depth::affected);
  if (const auto excused = excused_.find(part); excused != excused_.end()) {
    for (const AffectedSpan* span : excused->second) change(*span, &Depth::excused);
  }
  std::sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) { return a.at < b.at; });
  std::vector<Segment> segments;
  std::map<std::size_t, Depth> depths;
  Tally tally;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const auto [at, by, subject, what] = changes[i];
    Depth& now = depths[subject];
    now.leave(tally, map_, subject);
    now.*what += by;
    now.enter(tally, map_, subject);
    const bool complete = i + 1 < changes.size() && changes[i + 1].at > at;
    if (complete) segments.push_back({at, changes[i + 1].at - 1, tally});
  }
  return segments;
}

Offer Finder::offer_around(const std::vector<Segment>& all, std::size_t peak, std::size_t part) const {
  const PartMap::Entry& of = map_.parts()[part];
  const double least = kFading * static_cast<double>(all[peak].tally.affected());
  const auto goes_on = [&](const Segment& segment) {
    return static_cast<double>(segment.tally.affected()) >= std::max(1.0, least);
  };
  Offer offer{all[peak].first, all[peak].last, 0, all[peak].tally.share(of)};
  for (std::size_t s = peak; s-- > 0 && offer.first - all[s].last <= options_.slack + 1;) {
    if (goes_on(all[s])) offer.first = all[s].first;
  }
  for (std::size_t s = peak + 1; s < all.size() && all[s].first - offer.last <= options_.slack + 1; ++s) {
    if (goes_on(all[s])) offer.last = all[s].last;
  }
  for (const Segment& segment : all) {
    if (segment.first < offer.first || segment.last > offer.last || segment.tally.affected() == 0) continue;
    const auto cells = static_cast<double>(segment.last - segment.first + 1);
    offer.gain += segment.tally.gain(of) * cells / static_cast<double>(options_.shift);
  }
  return offer;
}

std::optional<Offer> Finder::best_offer(std::size_t part) const {
  const PartMap::Entry& of = map_.parts()[part];
  const std::vector<Segment> all = segments(part, of_part_[part]);
  std::vector<std::size_t> peaks;
  for (std::size_t s = 0; s < all.size(); ++s) {
    if (all[s].tally.affected() > 0 && all[s].tally.may_blame(of)) peaks.push_back(s);
  }
  std::stable_sort(peaks.begin(), peaks.end(), [&](std::size_t a, std::size_t b) {
    return all[a].tally.affected() > all[b].tally.affected();
  });
  std::optional<Offer> best;
  std::int64_t covered_from = 0;
  std::int64_t covered_to = -1;
  for (const std::size_t peak : peaks) {
    if (all[peak].first >= covered_from && all[peak].last <= covered_to) continue;
    const Offer offer = offer_around(all, peak, part);
    covered_from = offer.first;
    covered_to = offer.last;
    if (!best || offer.gain > best->gain) best = offer;
  }
  return best;
}

std::optional<std::size_t> Finder::best_part() const {
  std::optional<std::size_t> best;
  const auto worth = [&](std::size_t p, const Offer& offer) {
    const int reach = map_.parts()[p].part.kind.spec().reach;
    // Whoever is excused cannot tell a larger part that loses attachments from a smaller one.
    const bool larger = loss_ && excused_.contains(p);
    return std::tuple(larger ? kNearly * offer.gain : offer.gain, offer.share, larger ? -reach : reach);
  };
  for (const auto& [p, offer] : offers_) {
    if (offer && (!best || worth(p, *offer) > worth(*best, *offers_.at(*best)))) best = p;
  }
  return best;
}

bool Finder::lies_in(const AffectedSpan& span, const Offer& offer) const {
  const std::int64_t inside = std::min(span.last, offer.last) - std::max(span.first, offer.first) + 1;
  return 2 * inside > span.last - span.first + 1;
}

std::vector<std::size_t> Finder::claims(std::size_t part, const Offer& offer) const {
  std::vector<std::size_t> claimed;
  for (const std::size_t t : of_part_[part]) {
    if (lies_in(spans_[t], offer)) claimed.push_back(t);
  }
  const PartMap::Entry& of = map_.parts()[part];
  const std::vector<Segment> all = segments(part, claimed);
  const bool stands = std::any_of(all.begin(), all.end(), [&](const Segment& segment) {
    return segment.tally.affected() > 0 && segment.tally.may_blame(of);
  });
  if (!stands) claimed.clear();
  return claimed;
}

Episode Finder::take(std::size_t part) {
  const Offer offer = *offers_.at(part);
  Episode episode;
  episode.first = offer.first;
  episode.last = offer.last;
  episode.spans = claims(part, offer);
  std::set<std::size_t> subjects;
  std::set<std::size_t> touched;
  for (const std::size_t t : episode.spans) {
    subjects.insert(spans_[t].subject);
    const auto& parts = map_.parts_of(spans_[t].subject);
    touched.insert(parts.begin(), parts.end());
  }
  episode.blamed.blame = map_.parts()[part].part;
  episode.blamed.subjects.assign(subjects.begin(), subjects.end());
  for (const std::size_t p : touched) {
    const auto same = offers_.find(p);
    if (p != part && same != offers_.end() && same->second && claims(p, *same->second) == episode.spans) {
      episode.blamed.alternatives.push_back(map_.parts()[p].part);
    }
  }
  for (const std::size_t p : touched) {
    std::erase_if(of_part_[p], [&](std::size_t t) {
      return std::binary_search(episode.spans.begin(), episode.spans.end(), t);
    });
    const auto offer_of = offers_.find(p);
    if (offer_of != offers_.end()) offer_of->second = best_offer(p);
  }
  return episode;
}

}  // namespace

AffectedSpan affected_span(const PartMap& map, const Finding& finding, std::int64_t shift) {
  const std::size_t subject = map.subject_of(finding);
  const bool lost = map.is_attachment(subject) && finding.is_lost() && !finding.retrospective;
  return {.subject = subject,
          .first = finding.first,
          .last = finding.last + shift - 1,
          .lost = lost,
          .vague = lost && !began_lost(finding),
          .localized = finding.localized};
}

std::vector<Episode> find_episodes(const PartMap& map, std::span<const AffectedSpan> spans,
                                   const EpisodeOptions& options) {
  const LossSplit split = split_losses(map, spans, {options.slack, options.recurrence});
  std::vector<Episode> episodes;
  for (const LossBatch& batch : split.batches) {
    std::ranges::move(Finder(map, spans, options, batch.spans, batch.excused).run(),
                      std::back_inserter(episodes));
  }
  std::ranges::move(Finder(map, spans, options, split.others, split.lost).run(),
                    std::back_inserter(episodes));
  return episodes;
}

}  // namespace laggard::explain
