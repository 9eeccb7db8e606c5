#include "cmd/job_work.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

namespace laggard::cmd {

namespace {

constexpr Duration kLongestStep = std::chrono::minutes(5);

/// A job at a target, followed through time.
class Job {
 public:
  explicit Job(HeavyStretch of) : stretch_(std::move(of)) {}

  /// \return a stretch that this sample ends.
  std::optional<HeavyStretch> add(WallTime time, std::uint64_t requests, double heavy) {
    const bool follows =
        last_ && time > last_->first && time - last_->first <= kLongestStep && requests >= last_->second;
    std::optional<HeavyStretch> ended;
    if (follows && to_seconds(time - last_->first) * heavy <= static_cast<double>(requests - last_->second)) {
      if (!is_heavy_) stretch_.from = last_->first;
      if (!is_heavy_) stretch_.requests = 0;
      stretch_.to = time;
      stretch_.requests += requests - last_->second;
      is_heavy_ = true;
    } else {
      ended = end();
    }
    last_ = {time, requests};
    return ended;
  }

  std::optional<HeavyStretch> end() {
    if (!std::exchange(is_heavy_, false)) return std::nullopt;
    return stretch_;
  }

 private:
  HeavyStretch stretch_;
  bool is_heavy_ = false;
  std::optional<std::pair<WallTime, std::uint64_t>> last_;
};

/// Named `target/job`; a job's name may have slashes.
HeavyStretch named(const std::string& host, std::string_view device) {
  const std::size_t slash = device.find('/');
  HeavyStretch named;
  named.host = host;
  named.target = device.substr(0, slash);
  if (slash != std::string_view::npos) named.job = device.substr(slash + 1);
  return named;
}

class Jobs {
 public:
  explicit Jobs(double heavy) : work_{.from_per_second = heavy} {}

  void add(const SampleTable& table) {
    for (std::size_t d = 0; d < table.devices().size(); ++d) {
      const std::string& device = table.devices()[d];
      Job& job = jobs_.try_emplace({table.host(), device}, named(table.host(), device)).first->second;
      for (std::size_t t = 0; t < table.times().size(); ++t) {
        const std::optional<std::uint64_t> requests = requests_at(table, d, t);
        if (!requests) continue;
        keep(job.add(table.times()[t], *requests, work_.from_per_second));
      }
    }
  }

  [[nodiscard]] HeavyWork take() {
    for (auto& [name, job] : jobs_) keep(job.end());
    std::ranges::sort(work_.stretches, [](const HeavyStretch& a, const HeavyStretch& b) {
      return std::tie(a.from, a.target, a.job) < std::tie(b.from, b.target, b.job);
    });
    work_.jobs = jobs_.size();
    return std::move(work_);
  }

 private:
  /// Of all operations; nothing where none was recorded.
  static std::optional<std::uint64_t> requests_at(const SampleTable& table, std::size_t d, std::size_t t) {
    std::optional<std::uint64_t> sum;
    for (std::size_t c = 0; c < table.counters().size(); ++c) {
      const std::optional<std::uint64_t> count = table.integer(c, d, t);
      if (count) sum = sum.value_or(0) + *count;
    }
    return sum;
  }

  void keep(std::optional<HeavyStretch> ended) {
    if (ended) work_.stretches.push_back(std::move(*ended));
  }

  HeavyWork work_;
  std::map<std::pair<std::string, std::string>, Job> jobs_;  ///< By host and device.
};

}  // namespace

Result<HeavyWork> heavy_metadata_work(const AnalysisSetup& setup, double heavy) {
  Jobs jobs(heavy);
  const bool recorded = std::ranges::any_of(
      setup.inventory.devices, [](const DeviceInfo& device) { return device.kind == DeviceKind::kJob; });
  if (!recorded) return jobs.take();
  ReadRequest request = setup.request;
  request.kinds = {DeviceKind::kJob};
  request.counters.clear();
  auto reader = setup.source->read(request);
  if (!reader) return forward(reader);
  while (true) {
    auto table = (*reader)->next();
    if (!table) return forward(table);
    if (!*table) return jobs.take();
    jobs.add(**table);
  }
}

}  // namespace laggard::cmd
