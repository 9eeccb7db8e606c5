#include "detect/pings/ping_pictures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/missing.h"
#include "base/text.h"
#include "stats/beta.h"

namespace laggard::detect {

namespace {

/// Names in natural order, of more than `most` those with most failures.
std::vector<std::string> chosen(const std::map<std::string, std::uint64_t>& failures, std::size_t most) {
  std::vector<std::pair<std::string, std::uint64_t>> all(failures.begin(), failures.end());
  std::ranges::stable_sort(all, [](const auto& a, const auto& b) { return a.second > b.second; });
  all.resize(std::min(all.size(), most));
  std::vector<std::string> names;
  names.reserve(all.size());
  for (auto& [name, count] : all) names.push_back(std::move(name));
  std::ranges::sort(names, natural_less);
  return names;
}

}  // namespace

GridPayload failed_shares(const PingShares& shares) {
  std::map<std::string, std::uint64_t> of_client;
  std::map<std::string, std::uint64_t> of_target;
  for (const auto& [pair, counts] : shares) {
    of_client[pair.first] += counts.failures;
    of_target[pair.second] += counts.failures;
  }
  GridPayload grid{.unit = "%",
                   .row_kind = "client",
                   .column_kind = "target",
                   .rows = chosen(of_client, kMostGridRows),
                   .columns = chosen(of_target, kMostGridColumns),
                   .values = {}};
  for (const std::string& client : grid.rows) {
    for (const std::string& target : grid.columns) {
      const auto found = shares.find({client, target});
      const bool probed = found != shares.end() && found->second.trials > 0;
      grid.values.push_back(probed ? 100 * static_cast<double>(found->second.failures) /
                                         static_cast<double>(found->second.trials)
                                   : kMissing);
    }
  }
  return grid;
}

RankedPayload served_shares(std::span<const PingVerdict> verdicts) {
  constexpr std::size_t kMost = 10;
  constexpr double kTail = 0.05;
  std::vector<const PingVerdict*> order;
  order.reserve(verdicts.size());
  for (const PingVerdict& verdict : verdicts) order.push_back(&verdict);
  std::ranges::stable_sort(order, std::greater<>{},
                           [](const PingVerdict* verdict) { return verdict->failed; });
  order.resize(std::min(order.size(), kMost));
  RankedPayload ranked{.unit = "%", .entries = {}};
  for (const PingVerdict* verdict : order) {
    const stats::UnitHealth& health = verdict->health;
    ranked.entries.push_back(
        {.name = fmt::format("{} {}", verdict->part.kind.spec().title, verdict->part.name),
         .own = 100 * health.mean(),
         .peers = kMissing,
         .low = 100 * stats::beta_quantile(kTail, health.alpha, health.beta),
         .high = 100 * stats::beta_quantile(1 - kTail, health.alpha, health.beta)});
  }
  return ranked;
}

}  // namespace laggard::detect
