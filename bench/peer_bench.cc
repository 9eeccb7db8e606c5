// Peer comparison of one metric of one peer group over a day: 768 components, 5,760 samples (15 s), 192
// windows (production preset). What docs/bench.md states comes from here.
#include <benchmark/benchmark.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <random>
#include <vector>

#include "detect/peer/compare/comparer.h"
#include "detect/peer/compare/definition.h"
#include "detect/peer/compare/group_stream.h"
#include "detect/peer/compare/preset.h"
#include "detect/peer/compare/training.h"

namespace {

using namespace laggard;          // NOLINT(google-build-using-namespace)
using namespace laggard::detect;  // NOLINT(google-build-using-namespace)

constexpr std::size_t kDay = 5760;
constexpr std::size_t kGroup = 768;

/// await-like samples, column by column: a load that all share, noise of their own, one sick component in
/// 256; with `outliers` one sample in 2,000 is a thousand times too large, which drives the bins to their
/// cap.
std::vector<double> make_day(std::size_t n, std::size_t steps, bool outliers) {
  std::mt19937_64 random(42);
  std::lognormal_distribution<double> noise(0, 0.35);
  std::uniform_int_distribution<int> rare(0, 1999);
  std::vector<double> columns(n * steps);
  for (std::size_t t = 0; t < steps; ++t) {
    const double load = 5 + 3 * std::sin(static_cast<double>(t) / 200);
    for (std::size_t i = 0; i < n; ++i) {
      double x = load * noise(random);
      if (i % 256 == 100 && t > steps / 3) x *= 1.6;
      if (outliers && rare(random) == 0) x *= 1000;
      columns[t * n + i] = x;
    }
  }
  return columns;
}

const std::vector<double>& day(bool outliers) {
  static const std::vector<double> kPlain = make_day(kGroup, kDay, false);
  static const std::vector<double> kOutliers = make_day(kGroup, kDay, true);
  return outliers ? kOutliers : kPlain;
}

template <typename OnWindow>
void stream_day(const std::vector<double>& columns, OnWindow on_window, std::size_t group = kGroup) {
  const laggard::detect::WindowSpec spec = laggard::detect::find_preset("production")->windows;
  laggard::detect::GroupStream stream(spec, group);
  laggard::detect::WindowMemory memory;
  laggard::detect::SortedWindow sorted;
  const auto sink = [&](const laggard::detect::Window& window) {
    sorted.assign(window);
    on_window(sorted);
  };
  for (std::size_t t = 0; t < columns.size() / group; ++t) {
    const WallTime at = from_unix_ns(0) + spec.interval * static_cast<std::int64_t>(t);
    stream.push(at, std::span(columns).subspan(t * group, group), memory, sink);
  }
}

/// Thresholds as training on the day's first third would give them, or the scores would all be of one kind.
const std::vector<double>& thresholds(bool outliers) {
  const auto train = [](bool with) {
    const auto comparer = laggard::detect::make_comparer(laggard::detect::Distance::kCdf, {});
    laggard::detect::ThresholdTrainer trainer({.form = laggard::detect::TrainingForm::kSingle}, kGroup);
    std::vector<double> first(day(with).begin(), day(with).begin() + kGroup * kDay / 3);
    stream_day(first, [&](laggard::detect::SortedWindow& window) { learn(trainer, *comparer, window); });
    trainer.end_recording();
    return trainer.result().thresholds;
  };
  static const std::vector<double> kPlain = train(false);
  static const std::vector<double> kOutliers = train(true);
  return outliers ? kOutliers : kPlain;
}

/// The histograms and all pairs of the definition, for every 32nd window: the flags must be the same.
void check_against_definition(bool outliers) {
  const auto comparer = laggard::detect::make_comparer(laggard::detect::Distance::kCdf, {});
  std::vector<std::uint8_t> flagged(kGroup);
  stream_day(day(outliers), [&](laggard::detect::SortedWindow& window) {
    if (window.window().index % 32 != 0) return;
    comparer->load(window);
    comparer->flags(thresholds(outliers), flagged);
    definition::Samples samples(kGroup);
    std::vector<double> row(kGroup);
    for (std::size_t t = 0; t < window.size(); ++t) {
      window.window().spread_row(t, row);
      for (std::size_t i = 0; i < kGroup; ++i) samples[i].push_back(row[i]);
    }
    const definition::Common common = definition::common(samples, {});
    for (std::size_t i = 0; i < kGroup; i += 7) {
      const auto d = definition::pairwise(samples, common, i, laggard::detect::Distance::kCdf, {});
      if (definition::more_than_half_exceed(d, thresholds(outliers)[i]) != (flagged[i] != 0)) std::abort();
    }
  });
}

void day_smooth_and_sort(benchmark::State& state) {
  const std::vector<double>& columns = day(false);  // made outside of the measured loop
  for (auto _ : state) {
    stream_day(columns,
               [](laggard::detect::SortedWindow& w) { benchmark::DoNotOptimize(w.order(0).data()); });
  }
}

void day_flags(benchmark::State& state) {
  const bool outliers = state.range(0) != 0;
  static const bool kChecked = (check_against_definition(false), check_against_definition(true), true);
  benchmark::DoNotOptimize(kChecked);
  const auto comparer = laggard::detect::make_comparer(laggard::detect::Distance::kCdf, {});
  std::vector<std::uint8_t> flagged(kGroup);
  std::size_t total = 0;
  for (auto _ : state) {
    total = 0;
    stream_day(day(outliers), [&](laggard::detect::SortedWindow& window) {
      comparer->load(window);
      comparer->flags(thresholds(outliers), flagged);
      for (const std::uint8_t flag : flagged) total += flag;
    });
  }
  state.counters["flags"] = static_cast<double>(total);
}

/// One metric of a day of Intrepid's attachments that serve and that stand by: groups of 768, 768, 384 and
/// 384.
void intrepid_metric_day(benchmark::State& state) {
  constexpr std::array<std::size_t, 4> kGroups{768, 768, 384, 384};
  std::vector<std::vector<double>> days;
  for (const std::size_t n : kGroups) days.push_back(make_day(n, kDay, false));
  const auto comparer = laggard::detect::make_comparer(laggard::detect::Distance::kCdf, {});
  for (auto _ : state) {
    for (std::size_t g = 0; g < kGroups.size(); ++g) {
      std::vector<std::uint8_t> flagged(kGroups[g]);
      const std::vector<double> threshold(kGroups[g], 4.0);
      const auto judge = [&](laggard::detect::SortedWindow& window) {
        comparer->load(window);
        comparer->flags(threshold, flagged);
        benchmark::DoNotOptimize(flagged.data());
      };
      stream_day(days[g], judge, kGroups[g]);
    }
  }
}

/// A group of which one member in 32 does anything: what most of a large system is.
void idle_day_all_scores(benchmark::State& state) {
  std::vector<double> columns = make_day(kGroup, kDay, false);
  for (std::size_t at = 0; at < columns.size(); ++at) columns[at] = at % 32 == 0 ? columns[at] : 0;
  const auto comparer = laggard::detect::make_comparer(laggard::detect::Distance::kCdf, {});
  std::vector<double> s(kGroup);
  for (auto _ : state) {
    stream_day(columns, [&](laggard::detect::SortedWindow& window) {
      comparer->load(window);
      comparer->scores(s);
      benchmark::DoNotOptimize(s.data());
    });
  }
}

/// What severity needs: exact from half of the threshold on, because below it the contribution is -1 anyway.
void day_scores_above_half(benchmark::State& state) {
  const bool outliers = state.range(0) != 0;
  const auto comparer = laggard::detect::make_comparer(laggard::detect::Distance::kCdf, {});
  std::vector<double> floor = thresholds(outliers);
  for (double& f : floor) f /= 2;
  std::vector<double> s(kGroup);
  for (auto _ : state) {
    stream_day(day(outliers), [&](laggard::detect::SortedWindow& window) {
      comparer->load(window);
      comparer->scores_above(floor, s);
      benchmark::DoNotOptimize(s.data());
    });
  }
}

void day_all_scores(benchmark::State& state, laggard::detect::Distance distance, bool outliers) {
  const auto comparer = laggard::detect::make_comparer(distance, {});
  std::vector<double> s(kGroup);
  for (auto _ : state) {
    stream_day(day(outliers), [&](laggard::detect::SortedWindow& window) {
      comparer->load(window);
      comparer->scores(s);
      benchmark::DoNotOptimize(s.data());
    });
  }
}

void day_training(benchmark::State& state) {
  const auto comparer = laggard::detect::make_comparer(laggard::detect::Distance::kCdf, {});
  for (auto _ : state) {
    laggard::detect::ThresholdTrainer trainer({}, kGroup);
    stream_day(day(false), [&](laggard::detect::SortedWindow& window) { learn(trainer, *comparer, window); });
    trainer.end_recording();
    benchmark::DoNotOptimize(trainer.result().largest);
  }
}

/// One window of n components, from the columns to the flags.
void window_flags(benchmark::State& state) {
  const auto n = static_cast<std::size_t>(state.range(0));
  constexpr std::size_t kSize = 60;
  const std::vector<double> columns = make_day(n, kSize, false);
  const laggard::detect::Window window{.start = {},
                                       .interval = std::chrono::seconds(15),
                                       .index = 0,
                                       .components = n,
                                       .size = kSize,
                                       .values = columns,
                                       .complete = true};  // As its stream would say.
  laggard::detect::SortedWindow sorted;
  const auto comparer = laggard::detect::make_comparer(laggard::detect::Distance::kCdf, {});
  std::vector<std::uint8_t> flagged(n);
  const std::vector<double> threshold(n, 4.0);
  for (auto _ : state) {
    sorted.assign(window);
    comparer->load(sorted);
    comparer->flags(threshold, flagged);
    benchmark::DoNotOptimize(flagged.data());
  }
}

BENCHMARK(day_smooth_and_sort)->Unit(benchmark::kMillisecond);
BENCHMARK(day_flags)->ArgName("outliers")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);
BENCHMARK(intrepid_metric_day)->Unit(benchmark::kMillisecond);
BENCHMARK(idle_day_all_scores)->Unit(benchmark::kMillisecond);
BENCHMARK(day_scores_above_half)->ArgName("outliers")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);
BENCHMARK(day_training)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(day_all_scores, cdf, laggard::detect::Distance::kCdf, false)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(day_all_scores, cdf_outliers, laggard::detect::Distance::kCdf, true)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(day_all_scores, wasserstein, laggard::detect::Distance::kWasserstein, false)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(day_all_scores, kl, laggard::detect::Distance::kKl, false)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(day_all_scores, median, laggard::detect::Distance::kMedian, false)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(day_all_scores, thresh, laggard::detect::Distance::kThresh, false)
    ->Unit(benchmark::kMillisecond);
BENCHMARK(window_flags)->Arg(768)->Arg(10000)->Arg(100000)->Unit(benchmark::kMillisecond);

}  // namespace
