#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lab/scale/generator.h"
#include "model/series_source.h"

namespace laggard::lab::scale::testing_support {

/// Keeps what a generator writes, and computes figures of single attachments.
class Samples final : public TableSink {
 public:
  [[nodiscard]] Status append(const SampleTable& table) override {
    tables_[table.host()].push_back(table);
    return {};
  }
  [[nodiscard]] Status describe(const DeviceInfo& device) override {
    described_.push_back(device);
    return {};
  }

  [[nodiscard]] const std::map<std::string, std::vector<SampleTable>>& tables() const { return tables_; }
  [[nodiscard]] const std::vector<DeviceInfo>& described() const { return described_; }

  /// Increase of a counter over the samples in [from, to); nothing when fewer than two are there.
  [[nodiscard]] std::optional<double> increase(const std::string& host, const std::string& device,
                                               const char* counter, WallTime from, WallTime to) const {
    std::optional<std::uint64_t> first;
    std::uint64_t last = 0;
    std::size_t seen = 0;
    for (const SampleTable& table : tables_.at(host)) {
      const std::size_t c = *table.counter_index(counter);
      const std::size_t d = *table.device_index(device);
      for (std::size_t t = 0; t < table.times().size(); ++t) {
        if (table.times()[t] < from || table.times()[t] >= to || !table.present(c, d, t)) continue;
        last = table.bits(c, d, t);
        if (!first) first = last;
        ++seen;
      }
    }
    if (seen < 2) return std::nullopt;
    return static_cast<double>(last - *first);
  }

  /// Mean wait of the requests completed in [from, to), ms; 0 when there were none.
  [[nodiscard]] std::optional<double> await(const std::string& host, const std::string& device, WallTime from,
                                            WallTime to) const {
    const auto sum = [&](const char* a, const char* b) -> std::optional<double> {
      const auto x = increase(host, device, a, from, to);
      const auto y = increase(host, device, b, from, to);
      if (!x || !y) return std::nullopt;
      return *x + *y;
    };
    const auto requests = sum("rd_ios", "wr_ios");
    const auto waited = sum("rd_ms", "wr_ms");
    if (!requests) return std::nullopt;
    return *requests > 0 ? *waited / *requests : 0;
  }

  [[nodiscard]] std::uint64_t largest(const std::string& host, const std::string& device,
                                      const char* counter) const {
    std::uint64_t most = 0;
    for (const SampleTable& table : tables_.at(host)) {
      const std::size_t c = *table.counter_index(counter);
      const std::size_t d = *table.device_index(device);
      for (std::size_t t = 0; t < table.times().size(); ++t) {
        if (table.present(c, d, t)) most = std::max(most, table.bits(c, d, t));
      }
    }
    return most;
  }

 private:
  std::map<std::string, std::vector<SampleTable>> tables_;
  std::vector<DeviceInfo> described_;
};

/// Two arrays of Intrepid for six hours, without transients, server work or clock steps.
inline ScaleSpec small_spec() {
  ScaleSpec spec;
  spec.site = intrepid();
  spec.site.arrays = 2;
  spec.duration = 6 * kHour;
  spec.transients = 0;
  spec.server_work = false;
  spec.clock_steps = false;
  return spec;
}

}  // namespace laggard::lab::scale::testing_support
