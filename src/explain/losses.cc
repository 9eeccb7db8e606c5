#include "explain/losses.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>

namespace laggard::explain {

namespace {

constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

/// One loss of one subject.
struct Loss {
  std::size_t subject = 0;
  std::int64_t first = 0;
  std::int64_t last = 0;   ///< Inclusive.
  std::int64_t onset = 0;  ///< The first beginning that is known.
  std::vector<std::size_t> spans;
  std::size_t batch = kNone;
};

class Splitter {
 public:
  Splitter(const PartMap& map, std::span<const AffectedSpan> spans, const LossOptions& options)
      : map_(map), spans_(spans), slack_(options.slack), recurrence_(options.recurrence) {
    find_losses();
  }

  LossSplit run() {
    join_sudden(true);
    for (Loss& loss : losses_) {
      if (!map_.is_expected(loss.subject)) loss.batch = batch_of_idle(loss);
    }
    join_sudden(false);
    LossSplit split;
    split.batches.resize(onsets_.size());
    for (std::size_t b = 0; b < onsets_.size(); ++b) split.batches[b].onset = onsets_[b];
    for (const Loss& loss : losses_) {
      auto& list = split.batches[loss.batch].spans;
      list.insert(list.end(), loss.spans.begin(), loss.spans.end());
    }
    give_others(split);
    for (LossBatch& batch : split.batches) {
      std::ranges::sort(batch.spans);
      batch.excused = lost_before(batch.onset);
    }
    split.lost = lost_before(std::numeric_limits<std::int64_t>::max());
    std::erase_if(split.batches, [](const LossBatch& batch) { return batch.spans.empty(); });
    std::ranges::stable_sort(split.batches, {}, &LossBatch::onset);
    return split;
  }

 private:
  void find_losses() {
    std::vector<std::size_t> order;
    for (std::size_t s = 0; s < spans_.size(); ++s) {
      if (spans_[s].lost) order.push_back(s);
    }
    std::ranges::stable_sort(order, {},
                             [&](std::size_t s) { return std::pair(spans_[s].subject, spans_[s].first); });
    for (const std::size_t s : order) {
      const AffectedSpan& span = spans_[s];
      const bool goes_on = !losses_.empty() && losses_.back().subject == span.subject &&
                           span.first <= losses_.back().last + recurrence_;
      if (!goes_on) losses_.push_back({span.subject, span.first, span.last, span.first, {}});
      const bool none =
          std::ranges::all_of(losses_.back().spans, [&](std::size_t t) { return spans_[t].vague; });
      if (none && !span.vague) losses_.back().onset = span.first;
      losses_.back().last = std::max(losses_.back().last, span.last);
      losses_.back().spans.push_back(s);
    }
    std::ranges::stable_sort(losses_, {}, &Loss::onset);
  }

  [[nodiscard]] bool at_once(std::int64_t a, std::int64_t b) const { return 2 * std::abs(a - b) <= slack_; }

  /// Batches of the losses that are in none, of expected subjects or of all.
  void join_sudden(bool expected) {
    std::map<std::size_t, std::size_t> newest;  // Per part, the loss that was seen last.
    for (std::size_t l = 0; l < losses_.size(); ++l) {
      Loss& loss = losses_[l];
      if (loss.batch != kNone || (expected && !map_.is_expected(loss.subject))) continue;
      for (const std::size_t part : map_.parts_of(loss.subject)) {
        const auto [known, is_new] = newest.try_emplace(part, l);
        if (is_new) continue;
        const Loss& before = losses_[std::exchange(known->second, l)];
        if (at_once(before.onset, loss.onset)) merge(loss, before.batch);
      }
      if (loss.batch == kNone) {
        loss.batch = onsets_.size();
        onsets_.push_back(loss.onset);
      }
      members_.resize(onsets_.size());
      for (const std::size_t part : map_.parts_of(loss.subject)) ++members_[loss.batch][part];
    }
  }

  /// What shares a part and was lost at once is one batch: the older one stays.
  void merge(Loss& loss, std::size_t batch) {
    if (loss.batch == kNone || loss.batch == batch) {
      loss.batch = batch;
      return;
    }
    const std::size_t stays = std::min(loss.batch, batch);
    const std::size_t goes = std::max(loss.batch, batch);
    for (Loss& other : losses_) {
      if (other.batch == goes) other.batch = stays;
    }
    onsets_[stays] = std::min(onsets_[stays], onsets_[goes]);
    for (const auto& [part, count] : std::exchange(members_[goes], {})) members_[stays][part] += count;
  }

  /// What an attachment that nobody expected to serve has in common with a batch.
  struct Shared {
    bool whole = false;  ///< Its server, which lost all that it should serve.
    bool server = false;
    bool part = false;  ///< A larger one. A LUN's other attachments are no sign: they are other servers'.
  };
  [[nodiscard]] Shared shared_with(std::size_t batch, const Loss& loss) const {
    Shared shared;
    for (const std::size_t part : map_.parts_of(loss.subject)) {
      const PartMap::Entry& entry = map_.parts()[part];
      const auto here = members_[batch].find(part);
      if (here == members_[batch].end() || entry.part.kind == PartKind::kLun) continue;
      shared.part = true;
      if (entry.part.kind != PartKind::kServer) continue;
      shared.server = true;
      shared.whole = here->second >= std::reduce(entry.expected.begin(), entry.expected.end());
    }
    return shared;
  }

  /// The batch that is nearest to the loss of an attachment that nobody expected to serve: see split_losses.
  [[nodiscard]] std::size_t batch_of_idle(const Loss& loss) const {
    std::size_t best = kNone;
    std::tuple<bool, bool, bool, std::int64_t> nearness{};
    for (std::size_t b = 0; b < members_.size(); ++b) {
      const Shared shared = shared_with(b, loss);
      const bool now = at_once(onsets_[b], loss.onset);
      if (!shared.part || (!now && onsets_[b] > loss.onset)) continue;
      const std::int64_t late = loss.onset - onsets_[b];
      const std::tuple near(shared.whole, now, !now && shared.server, -std::abs(late));
      if (best == kNone || near > nearness) std::tie(best, nearness) = std::pair(b, near);
    }
    return best;
  }

  void give_others(LossSplit& split) const {
    std::map<std::size_t, std::vector<const Loss*>> of;
    for (const Loss& loss : losses_) of[loss.subject].push_back(&loss);
    for (std::size_t s = 0; s < spans_.size(); ++s) {
      const AffectedSpan& span = spans_[s];
      if (span.lost) continue;
      const auto own = of.find(span.subject);
      const Loss* with = nullptr;
      for (std::size_t l = 0; own != of.end() && l < own->second.size(); ++l) {
        const Loss& loss = *own->second[l];
        const std::int64_t inside =
            std::min(span.last, loss.last + slack_) - std::max(span.first, loss.first - slack_) + 1;
        if (2 * inside > span.last - span.first + 1) with = &loss;
      }
      if (with != nullptr) {
        split.batches[with->batch].spans.push_back(s);
      } else {
        split.others.push_back(s);
      }
    }
  }

  /// Of batches that began before.
  [[nodiscard]] std::vector<AffectedSpan> lost_before(std::int64_t onset) const {
    std::vector<AffectedSpan> lost;
    for (const Loss& loss : losses_) {
      if (onsets_[loss.batch] < onset && loss.onset < onset && map_.is_expected(loss.subject))
        lost.push_back({loss.subject, loss.first, loss.last, true, false});
    }
    return lost;
  }

  const PartMap& map_;
  std::span<const AffectedSpan> spans_;
  std::int64_t slack_;
  std::int64_t recurrence_;
  std::vector<Loss> losses_;                                 ///< In the order of their beginning.
  std::vector<std::int64_t> onsets_;                         ///< Per batch.
  std::vector<std::map<std::size_t, std::size_t>> members_;  ///< Per batch, how many run through each part.
};

}  // namespace

bool began_lost(const Finding& finding) {
  const bool opened = finding.opened.symptom == Symptom::kSilent || finding.opened.symptom == Symptom::kLost;
  return finding.is_lost() && !finding.retrospective && (opened || finding.evidence.level.value_or(0) == 0);
}

LossSplit split_losses(const PartMap& map, std::span<const AffectedSpan> spans, const LossOptions& options) {
  return Splitter(map, spans, options).run();
}

}  // namespace laggard::explain
