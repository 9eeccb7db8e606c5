#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "model/sample_table.h"

namespace laggard::testing_support {

inline WallTime second(double s) { return from_unix_ns(std::llround(s * 1e9)); }

/// One sample of one device: its time, and a number per counter, NaN when it was not sampled.
struct Sample {
  double time = 0;
  std::vector<double> values;
};

/// A table of one device. Counters that laggard does not know are cumulative.
inline SampleTable samples_of(const std::string& host, DeviceKind kind, const std::string& device,
                              const std::vector<std::string>& counters, const std::vector<Sample>& samples) {
  std::vector<TableCounter> columns;
  for (const std::string& name : counters) {
    const CounterSpec* spec = find_counter(kind, name);
    columns.push_back({name, spec == nullptr ? CounterForm::kCumulative : spec->form});
  }
  std::vector<WallTime> times;
  for (const Sample& sample : samples) times.push_back(second(sample.time));
  SampleTable table(host, kind, columns, {device}, times);
  for (std::size_t t = 0; t < samples.size(); ++t) {
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const double x = samples[t].values[c];
      if (std::isnan(x)) continue;
      if (columns[c].form == CounterForm::kComputedRate) {
        table.set_computed_rate(c, 0, t, x);
      } else {
        table.set(c, 0, t, static_cast<std::uint64_t>(x));
      }
    }
  }
  return table;
}

}  // namespace laggard::testing_support
