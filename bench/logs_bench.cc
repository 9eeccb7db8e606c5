// Lines of logs against all patterns of the library, and on their way into a table of events, by one thread.
// What docs/bench.md states comes from here.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "collect/logs/log_forms.h"
#include "detect/logs/log_matcher.h"
#include "detect/logs/log_pattern.h"
#include "model/event.h"
#include "model/log_line.h"

namespace {

using namespace laggard;  // NOLINT(google-build-using-namespace)

/// Lines as healthy servers write them, with numbers of their own, and as many failures among them as asked.
std::vector<std::string> texts(double failures) {
  const std::vector<std::string> routine{
      "(root) CMD (run-parts /etc/cron.hourly)",
      "session opened for user root by (uid=0)",
      "Accepted publickey for operator from 10.2.4.19 port 51234 ssh2: RSA SHA256:n4bQgYhMfWWaL",
      "Lustre: scratch-OST0003: Imperative Recovery enabled, recovery window shrunk from 300-900 down to "
      "150-900",
      "osd.3 1234 crush map has features 288514051259236352, adjusting msgr requires for osds",
      "pgmap v1234: 128 pgs: 128 active+clean; 10 GiB data, 30 GiB used, 970 GiB / 1000 GiB avail",
      "[MSGID: 114020] [client.c:2319:notify] 0-vol-client-1: parent translators are ready, attempting "
      "connect",
      "Device: /dev/sdb [SAT], SMART Prefailure Attribute: 1 Raw_Read_Error_Rate changed from 75 to 77",
      "XFS (sdb1): Mounting V5 Filesystem",
      "Started Session 12345 of user root.",
      "synchronized to 10.2.0.1, stratum 2",
      "perf: interrupt took too long (2501 > 2500), lowering kernel.perf_event_max_sample_rate to 79750"};
  constexpr std::size_t kLines = 100'000;
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> share(0, 1);
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < kLines; ++i) {
    if (share(random) < failures) {
      lines.emplace_back(detect::log_patterns()[random() % detect::log_patterns().size()].sample);
    } else {
      lines.push_back(routine[random() % routine.size()] + " " + std::to_string(random() % 1'000'000));
    }
  }
  return lines;
}

void match_all(benchmark::State& state, const std::vector<std::string>& lines) {
  const auto matcher = detect::LogMatcher::make(detect::log_patterns());
  if (!matcher || lines.empty()) {
    state.SkipWithError("no RE2, or no lines");
    return;
  }
  std::uint64_t bytes = 0;
  std::uint64_t matched = 0;
  for (const std::string& line : lines) bytes += line.size();
  for ([[maybe_unused]] const auto _ : state) {
    for (const std::string& line : lines) matched += matcher->first(line) == nullptr ? 0U : 1U;
  }
  const auto rounds = static_cast<std::int64_t>(state.iterations());
  state.SetItemsProcessed(rounds * static_cast<std::int64_t>(lines.size()));
  state.SetBytesProcessed(rounds * static_cast<std::int64_t>(bytes));
  state.counters["matched_pct"] =
      100 * static_cast<double>(matched) / static_cast<double>(rounds) / static_cast<double>(lines.size());
}

/// \param range(0)  failures in a thousand lines.
void BM_MatchLines(benchmark::State& state) {
  match_all(state, texts(static_cast<double>(state.range(0)) / 1000));
}
BENCHMARK(BM_MatchLines)->Arg(0)->Arg(10)->Arg(1000)->Unit(benchmark::kMillisecond);

/// The lines of a file, as they are: LAGGARD_BENCH_LOG.
void BM_MatchFile(benchmark::State& state) {
  std::vector<std::string> lines;
  const char* path = std::getenv("LAGGARD_BENCH_LOG");  // NOLINT(concurrency-mt-unsafe)
  std::ifstream file(path == nullptr ? "" : path);
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  match_all(state, lines);
}
BENCHMARK(BM_MatchFile)->Unit(benchmark::kMillisecond);

void BM_IntoATable(benchmark::State& state) {
  std::vector<std::string> lines;
  for (const std::string& text : texts(0.01)) lines.push_back("Nov 20 19:21:34 fs1 kernel: " + text);
  for ([[maybe_unused]] const auto _ : state) {
    collect::LogForms forms({});
    EventTable table("fs1", std::string(kLogKind));
    LogAppender appender(table);
    for (const std::string& line : lines) {
      const auto written = forms.parse(line);
      if (!written) continue;
      benchmark::DoNotOptimize(appender.append({.time = written->time,
                                                .program = written->program,
                                                .pid = written->pid,
                                                .severity = written->severity,
                                                .text = written->text}));
    }
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()) *
                          static_cast<std::int64_t>(lines.size()));
}
BENCHMARK(BM_IntoATable)->Unit(benchmark::kMillisecond);

}  // namespace
