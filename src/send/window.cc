#include "send/window.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "model/exporter_names.h"

namespace laggard::send {

std::int64_t to_ms(WallTime time) {
  return std::chrono::floor<std::chrono::milliseconds>(time).time_since_epoch().count();
}

namespace {

/// Whether a double has not all digits of the value.
bool is_rounded(const ExportedCounter& exported, std::uint64_t bits) {
  constexpr std::uint64_t kExact = std::uint64_t{1} << 53U;
  return bits > kExact && exported.form() != CounterForm::kComputedRate;
}

}  // namespace

Series& Window::series_of(const SampleTable& table, std::size_t counter, std::size_t device) {
  const StreamKey stream{table.host(), table.kind()};
  const TableCounter& spec = table.counters()[counter];
  std::vector<Series>& all = streams_[stream];
  const auto [found, added] =
      index_[stream].try_emplace({table.devices()[device], spec.name, spec.form}, all.size());
  if (!added) return all[found->second];
  const ExportedCounter& exported = exported_as(table.kind(), spec);
  Labels labels = labels_;
  labels.emplace_back("__name__", exported.metric);
  labels.emplace_back("instance", instance_of_host(table.host()));
  labels.emplace_back("device", table.devices()[device]);
  if (exported.counter.empty()) labels.emplace_back(kCounterLabel, spec.name);
  std::sort(labels.begin(), labels.end());
  all.push_back({.labels = std::move(labels), .samples = {}});
  return all.back();
}

void Window::add(const SampleTable& table, std::optional<std::int64_t> after_ms) {
  const std::int64_t after = after_ms.value_or(std::numeric_limits<std::int64_t>::min());
  std::vector<std::int64_t> times;
  times.reserve(table.times().size());
  for (const WallTime time : table.times()) times.push_back(to_ms(time));
  for (std::size_t c = 0; c < table.counters().size(); ++c) {
    const ExportedCounter& exported = exported_as(table.kind(), table.counters()[c]);
    for (std::size_t d = 0; d < table.devices().size(); ++d) {
      std::vector<Sample> samples;
      const SampleTable::View cells = table.view(c, d);
      for (std::size_t t = 0; t < times.size(); ++t) {
        if (!cells.present(t) || times[t] <= after) continue;
        const double value = exported_value(exported, cells.value(t));
        if (!std::isfinite(value)) continue;
        rounded_ += is_rounded(exported, cells.value(t)) ? 1U : 0U;
        samples.push_back({times[t], value});
      }
      append(table, {c, d}, samples);
    }
  }
}

void Window::append(const SampleTable& table, std::pair<std::size_t, std::size_t> counter_and_device,
                    const std::vector<Sample>& samples) {
  if (samples.empty()) return;
  std::vector<Sample>& all = series_of(table, counter_and_device.first, counter_and_device.second).samples;
  all.insert(all.end(), samples.begin(), samples.end());
  samples_ += samples.size();
}

void Window::sort() {
  samples_ = 0;
  for (auto& [key, all] : streams_) {
    for (Series& series : all) {
      std::vector<Sample>& samples = series.samples;
      const auto not_after = [](const Sample& a, const Sample& b) { return a.ms >= b.ms; };
      if (std::adjacent_find(samples.begin(), samples.end(), not_after) != samples.end()) {
        std::stable_sort(samples.begin(), samples.end(),
                         [](const Sample& a, const Sample& b) { return a.ms < b.ms; });
        // Backwards, so that of each run of equal times the last one stays.
        const auto kept = std::unique(samples.rbegin(), samples.rend(),
                                      [](const Sample& a, const Sample& b) { return a.ms == b.ms; });
        samples.erase(samples.begin(), kept.base());
      }
      samples_ += samples.size();
    }
  }
}

}  // namespace laggard::send
