// Events as a tracer of syscalls sees them, 65536 to a block: what one costs in memory, on disk, and of time.
#include <benchmark/benchmark.h>

#include <array>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "archive/observation_columns.h"
#include "archive/reader.h"
#include "archive/writer.h"
#include "base/time.h"

namespace {

using namespace laggard;           // NOLINT(google-build-using-namespace)
using namespace laggard::archive;  // NOLINT(google-build-using-namespace)

/// Calls of a few hundred files on 16 OSTs, 100,000 a second: latencies spread over three decades, sizes are
/// powers of two, errors are rare. \param first  number of the first one.
EventTable syscalls(std::size_t first, std::size_t n) {
  EventTable table("oss1", "syscall");
  std::mt19937_64 random{first};
  const std::array<std::string_view, 5> calls{"read", "write", "pread64", "pwrite64", "fsync"};
  const std::size_t bytes = *table.attribute("bytes", AttributeForm::kInteger);
  const std::size_t pid = *table.attribute("pid", AttributeForm::kInteger);
  const std::size_t error = *table.attribute("errno", AttributeForm::kInteger);
  std::lognormal_distribution<double> latency{12, 1.2};
  std::vector<std::string> osts;
  for (int ost = 0; ost < 16; ++ost) osts.push_back("scratch-OST" + std::to_string(ost));
  const WallTime start = from_unix_ns(1'300'000'000'000'000'000);
  for (std::size_t e = 0; e < n; ++e) {
    const auto offset = static_cast<std::int64_t>((first + e) * 10'000 + random() % 10'000);
    table.append({.time = start + Duration{offset},
                  .duration = Duration{static_cast<std::int64_t>(latency(random))},
                  .subject = *table.intern(osts[random() % osts.size()]),
                  .what = *table.intern(calls[random() % calls.size()])});
    table.set(bytes, static_cast<std::int64_t>(4096 << random() % 9));
    table.set(pid, static_cast<std::int64_t>(20'000 + random() % 64));
    if (random() % 1000 == 0) table.set(error, std::int64_t{5});
  }
  return table;
}

void count(benchmark::State& state, std::size_t events) {
  state.counters["events/s"] = benchmark::Counter(
      static_cast<double>(events) * static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}

void make_events(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(syscalls(0, kBlockRows));
  count(state, kBlockRows);
}
BENCHMARK(make_events)->Unit(benchmark::kMillisecond);

void encode_events(benchmark::State& state) {
  const EventTable table = syscalls(0, kBlockRows);
  ZstdCodec codec;
  std::size_t bytes = 0;
  for (auto _ : state) {
    const ColumnsBlock block = encode_columns(to_columns(table, 0), codec);
    bytes = encode_columns_header(block.header, codec).size();
    for (const std::string& chunk : block.chunks) bytes += chunk.size();
  }
  count(state, kBlockRows);
  state.counters["B/event"] = static_cast<double>(bytes) / kBlockRows;
}
BENCHMARK(encode_events)->Unit(benchmark::kMillisecond);

void decode_events(benchmark::State& state) {
  ZstdCodec codec;
  const ColumnsBlock block = encode_columns(to_columns(syscalls(0, kBlockRows), 0), codec);
  const ColumnSource chunks = [&](std::size_t c) -> Result<std::string_view> {
    return std::string_view(block.chunks[c]);
  };
  for (auto _ : state) {
    auto loaded = load_observations<EventTable>(chunks, block.header, "", codec);
    if (!loaded || loaded->table.size() != kBlockRows) state.SkipWithError("the block cannot be read");
  }
  count(state, kBlockRows);
}
BENCHMARK(decode_events)->Unit(benchmark::kMillisecond);

/// A second's events at a time into a recording and out of it: SQLite, the log and syncs included.
void write_and_read_events(benchmark::State& state) {
  constexpr std::size_t kSecond = 100'000;
  constexpr std::size_t kSeconds = 10;
  std::vector<EventTable> seconds;
  for (std::size_t s = 0; s < kSeconds; ++s) seconds.push_back(syscalls(s * kSecond, kSecond));
  const std::filesystem::path path = std::filesystem::temp_directory_path() / "laggard-observations-bench";
  SystemClock clock;
  std::size_t bytes = 0;
  const bool reads = state.range(0) == 1;
  for (auto _ : state) {
    state.PauseTiming();
    std::filesystem::remove_all(path);
    if (!reads) state.ResumeTiming();
    ObservationWriter writer{path, {}, clock};
    for (const EventTable& table : seconds) {
      if (!writer.append(table)) state.SkipWithError("the events cannot be written");
    }
    if (!writer.close()) state.SkipWithError("the recording cannot be closed");
    if (!reads) continue;
    state.ResumeTiming();
    auto reader = Reader::open(std::span(&path, 1));
    auto events = (*reader)->read_events({});
    std::size_t found = 0;
    for (auto table = (*events)->next(); table && *table; table = (*events)->next())
      found += (*table)->size();
    if (found != kSecond * kSeconds) state.SkipWithError("events are missing");
  }
  for (const auto& entry : std::filesystem::directory_iterator(path / "events")) bytes += entry.file_size();
  std::filesystem::remove_all(path);
  count(state, kSecond * kSeconds);
  state.counters["B/event"] = static_cast<double>(bytes) / (kSecond * kSeconds);
}
BENCHMARK(write_and_read_events)->Arg(0)->Arg(1)->ArgName("read")->Unit(benchmark::kMillisecond);

}  // namespace
