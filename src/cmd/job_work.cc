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
  /// \param of  its names.
  explicit Job(HeavyStretch of) : of_(std::move(of)) {}

  /// \return a stretch that this sample ends.
  std::optional<HeavyStretch> add(WallTime time, std::uint64_t requests, double heavy) {
    const std::optional<Sample> before = std::exchange(last_, Sample{time, requests});
    if (!before || !is_heavy(*before, *last_, heavy)) return end();
    if (!open_) {
      open_ = of_;
      open_->from = before->time;
    }
    open_->to = time;
    open_->requests += requests - before->requests;
    return std::nullopt;
  }

  std::optional<HeavyStretch> end() { return std::exchange(open_, std::nullopt); }

 private:
  struct Sample {
    WallTime time;
    std::uint64_t requests = 0;  ///< Until then.
  };

  static bool is_heavy(const Sample& before, const Sample& now, double heavy) {
    const Duration step = now.time - before.time;
    if (step <= Duration::zero() || step > kLongestStep || now.requests < before.requests) return false;
    return static_cast<double>(now.requests - before.requests) >= heavy * to_seconds(step);
  }

  HeavyStretch of_;
  std::optional<Sample> last_;
  std::optional<HeavyStretch> open_;
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
