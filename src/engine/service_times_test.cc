// S §6 from samples to incidents, against the paper's words as plain code.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "detect/peer/judge/saturation_watch.h"
#include "engine/columns.h"
#include "engine/diagnoser.h"
#include "engine/trainer.h"
#include "explain/rules.h"
#include "testing/property.h"
#include "testing/samples.h"
#include "topology/groups.h"

namespace laggard::engine {
namespace {

using testing_support::Sample;
using testing_support::samples_of;

/// What a call of each server took, in ns, second by second; 0: it made none; nothing: it was not recorded.
using Times = std::vector<std::vector<std::optional<std::int64_t>>>;
constexpr double kNsPerMs = 1e6;
constexpr double kStart = 1'700'000'000;

std::string host(std::size_t server) { return "s" + std::to_string(server + 1); }
std::string component(std::size_t server) { return host(server) + "/storage-calls"; }

// ---- as S says it ----

struct Twin {
  std::vector<std::optional<double>> threshold;  ///< In ns; nothing: never seen in training.
  std::set<std::size_t> saturated;
};

double median(std::vector<double> x) {
  std::sort(x.begin(), x.end());
  return (x[(x.size() - 1) / 2] + x[x.size() / 2]) / 2;
}

/// \param thresholds  empty: nobody is known to be faulty.
std::optional<double> representative_at(const Times& times, std::size_t second,
                                        const std::set<std::size_t>& saturated,
                                        const std::vector<double>& thresholds) {
  std::map<std::size_t, double> x;
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (times[i][second].value_or(0) > 0 && !saturated.contains(i)) {
      x[i] = static_cast<double>(*times[i][second]);
    }
  }
  if (x.size() < 3) return std::nullopt;
  const std::size_t at_first = x.size();
  for (;;) {
    std::vector<double> left;
    for (const auto& [server, took] : x) left.push_back(took);
    const double middle = median(left);
    std::map<double, std::size_t> beyond;
    for (const auto& [server, took] : x) {
      if (thresholds.empty() || std::abs(took - middle) <= thresholds[server]) continue;
      beyond[std::abs(took - middle) / thresholds[server]] = server;
    }
    const bool a_majority = 2 * (x.size() - 1) > at_first;
    if (beyond.empty() || x.size() == 3 || !a_majority) return middle;
    x.erase(beyond.rbegin()->second);
  }
}

/// Of one server, its deviations in all seconds that can be judged.
std::vector<double> deviations(const Times& times, std::size_t server, const std::set<std::size_t>& saturated,
                               const std::vector<double>& thresholds = {}) {
  std::vector<double> all;
  for (std::size_t second = 0; second < times[server].size(); ++second) {
    const auto middle = representative_at(times, second, saturated, thresholds);
    if (!middle || times[server][second].value_or(0) == 0) continue;
    all.push_back(std::abs(static_cast<double>(*times[server][second]) - *middle));
  }
  return all;
}

std::set<std::size_t> saturated_in(const Times& times) {
  std::set<std::size_t> saturated;
  std::size_t ever_seen = 0;
  for (std::size_t i = 0; i < times.size(); ++i) {
    int seen = 0;
    int above = 0;
    for (std::size_t second = 0; second < times[i].size(); ++second) {
      const auto middle = representative_at(times, second, {}, {});
      if (!middle || times[i][second].value_or(0) == 0) continue;
      const auto x = static_cast<double>(*times[i][second]);
      ++seen;
      above += x > 2 * *middle && x > *middle + kNsPerMs ? 1 : 0;
    }
    ever_seen += seen > 0 ? 1U : 0U;
    if (2 * above > seen) saturated.insert(i);
  }
  if (saturated.size() + 3 > ever_seen) saturated.clear();
  return saturated;
}

Twin trained(const Times& times, double factor) {
  Twin twin{std::vector<std::optional<double>>(times.size()), saturated_in(times)};
  for (std::size_t i = 0; i < times.size(); ++i) {
    const std::vector<double> all = deviations(times, i, twin.saturated);
    if (all.empty()) continue;
    const double microseconds = std::ceil(*std::max_element(all.begin(), all.end()) / 1000);
    twin.threshold[i] = factor * 1000 * std::max(1.0, microseconds);
  }
  return twin;
}

std::set<std::string> anomalous(const Times& times, const Twin& twin) {
  double largest = 0;
  for (const auto& threshold : twin.threshold) largest = std::max(largest, threshold.value_or(0));
  std::vector<double> thresholds;
  for (const auto& threshold : twin.threshold) thresholds.push_back(threshold.value_or(largest));
  std::set<std::string> names;
  for (std::size_t i = 0; i < times.size(); ++i) {
    for (const double off : deviations(times, i, twin.saturated, thresholds)) {
      if (off > thresholds[i]) names.insert(component(i));
    }
  }
  return names;
}

// ---- as laggard does it ----

struct Site {
  Grouping grouping;
  PipelineOptions pipeline;
  detect::Preset preset;
};

SampleTable table_of(const Times& times, std::size_t server, double start) {
  std::vector<Sample> samples{{start, {0, 0}}};
  double ns = 0;
  double calls = 0;
  for (std::size_t second = 0; second < times[server].size(); ++second) {
    const auto took = times[server][second];
    // The sample that ends a gap tells of no second.
    if (!took && (second + 1 == times[server].size() || !times[server][second + 1])) continue;
    ns += 3 * static_cast<double>(took.value_or(0));
    calls += took.value_or(0) > 0 ? 3 : 0;
    samples.push_back({start + static_cast<double>(second) + 1, {ns, calls}});
  }
  return samples_of(host(server), DeviceKind::kDaemon, "storage-calls", {"dread_ns", "dreads"}, samples);
}

Site site_of(std::size_t servers, double factor) {
  Inventory inventory;
  for (std::size_t i = 0; i < servers; ++i) {
    DeviceInfo device;
    device.host = host(i);
    device.kind = DeviceKind::kDaemon;
    device.device = "storage-calls";
    device.counters = {{"dread_ns", CounterForm::kCumulative}, {"dreads", CounterForm::kCumulative}};
    device.samples = device.active_samples = 100;
    device.interval = std::chrono::seconds(1);
    inventory.devices.push_back(device);
  }
  Site site{topology::make_groups(inventory, nullptr).value(), {}, *detect::find_preset("quick")};
  site.preset.windows = {std::chrono::seconds(1), 4, 1, 5, 3};  // Every second is in a window.
  site.preset.deviation_factor = factor;
  site.pipeline.windows = site.preset.windows;
  site.pipeline.counters = counters_of(inventory);
  site.pipeline.parameters = detect::paper_parameters(site.preset);
  return site;
}

template <typename Consume>
void feed(const Times& times, double start, const Consume& consume) {
  std::vector<SampleTable> tables;
  for (std::size_t i = 0; i < times.size(); ++i) {
    const bool there = std::ranges::any_of(times[i], [](const auto& took) { return took.has_value(); });
    if (there) tables.push_back(table_of(times, i, start));
  }
  consume(std::span<const SampleTable>(tables));
}

detect::Thresholds train(Site& site, const Times& times) {
  detect::SaturationWatch watch(site.grouping, site.pipeline.parameters);
  PipelineOptions watched = site.pipeline;
  watched.observers = {&watch};
  const Pipeline::Sink nobody = [](std::size_t, const detect::WindowJudgement&) {};
  Pipeline pipeline(site.grouping, std::move(watched));
  feed(times, kStart, [&](std::span<const SampleTable> tables) { pipeline.add(tables, nobody); });
  pipeline.finish(nobody);
  site.pipeline.trained_times = watch.saturated();
  Trainer trainer(site.grouping, {site.preset, site.pipeline, 1});
  feed(times, kStart, [&](std::span<const SampleTable> tables) { trainer.add(tables); });
  trainer.finish();
  return trainer.result();
}

std::set<std::string> accused(const Site& site, const Times& times, const detect::Thresholds& thresholds) {
  DiagnoserOptions options;
  options.preset = site.preset;
  options.pipeline = site.pipeline;
  options.rules = explain::parse_rules(explain::paper_rules(), "rules").value();
  options.thresholds = detect::ThresholdBook(thresholds);
  options.pipeline.trained_times = detect::trained_times(thresholds);
  Diagnoser diagnoser(site.grouping, std::move(options));
  feed(times, kStart + 10'000, [&](std::span<const SampleTable> tables) { diagnoser.add(tables); });
  diagnoser.finish();
  std::set<std::string> names;
  for (const Incident& incident : diagnoser.diagnosis().incidents) {
    EXPECT_TRUE(incident.confirmed_since);
    for (const Evidence& evidence : incident.evidence) EXPECT_EQ(evidence.detector, "deviation");
    names.insert(incident.components.begin(), incident.components.end());
  }
  return names;
}

// ---- made-up servers ----

/// Numbers of which no server's is like another's, nor the mean of two others', to the microsecond: no
/// deviation lies on the limit of two thresholds.
std::int64_t ns_of(std::size_t server, std::int64_t microseconds) {
  return microseconds * 1000 + (std::int64_t{2} << server);
}

struct Load {
  std::size_t servers = 5;
  std::size_t length = 60;
  std::optional<std::size_t> saturated{};
  std::set<std::size_t> sick{};
  std::optional<std::size_t> unknown{};  ///< Not recorded at all.
};

Times draw(std::mt19937_64& random, const Load& load) {
  Times times(load.servers);
  const auto base = static_cast<std::int64_t>(500 + random() % 8000);
  const std::size_t sick_from = random() % load.length;
  for (std::size_t i = 0; i < load.servers; ++i) {
    const std::size_t lost_from = random() % (2 * load.length);
    for (std::size_t second = 0; second < load.length; ++second) {
      if (load.unknown == i || (second >= lost_from && second < lost_from + 6)) {
        times[i].emplace_back();
        continue;
      }
      auto took = base + static_cast<std::int64_t>(random() % 1000);
      if (load.saturated == i) took = 3 * took + 1000;
      if (load.sick.contains(i) && second >= sick_from && second < sick_from + 3) {
        took += static_cast<std::int64_t>(random() % 4000);
      }
      times[i].push_back(random() % 12 == 0 ? 0 : ns_of(i, took));
    }
  }
  return times;
}

TEST(ServiceTimes, AreJudgedAsThePaperSays) {
  int with_anybody = 0;
  int with_saturated = 0;
  expect_property("accused and thresholds are those of the definition", [&](std::uint64_t seed) {
    std::mt19937_64 random(seed);
    Load load{.servers = 4 + random() % 4, .length = 40 + random() % 60};
    const auto somebody = [&] {
      return random() % 2 == 0 ? std::optional(random() % load.servers) : std::nullopt;
    };
    load.saturated = somebody();
    Load training = load;
    training.unknown = somebody();
    for (std::uint64_t some = random() % 4; some > 0; --some) load.sick.insert(random() % load.servers);
    const double factor = random() % 2 == 0 ? 1 : 1.5;
    const Times taught = draw(random, training);
    const Times judged = draw(random, load);
    const Twin twin = trained(taught, factor);

    Site site = site_of(load.servers, factor);
    const detect::Thresholds thresholds = train(site, taught);
    const detect::GroupThresholds* const group =
        thresholds.find("deviation", "dread", "daemons storage-calls");
    RC_ASSERT(group != nullptr && "a second was judged");
    for (std::size_t i = 0; i < load.servers; ++i) {
      RC_ASSERT(group->components.contains(component(i)) == twin.threshold[i].has_value());
      RC_ASSERT(group->saturated.contains(component(i)) == twin.saturated.contains(i));
      if (twin.threshold[i]) {
        RC_ASSERT(std::abs(group->of(component(i)) * kNsPerMs - *twin.threshold[i]) < 1e-3);
      }
    }
    const std::set<std::string> names = anomalous(judged, twin);
    RC_ASSERT(accused(site, judged, thresholds) == names);
    with_anybody += names.empty() ? 0 : 1;
    with_saturated += twin.saturated.empty() ? 0 : 1;
  });
  EXPECT_GT(with_anybody, 10);
  EXPECT_GT(with_saturated, 10);
}

TEST(ServiceTimes, WithoutTrainingNobodyIsJudgedByThem) {
  std::mt19937_64 random(3);
  const Times times = draw(random, {.sick = {2}});
  EXPECT_TRUE(accused(site_of(5, 1), times, {}).empty());
}

}  // namespace
}  // namespace laggard::engine
