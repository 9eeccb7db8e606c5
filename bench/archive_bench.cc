// Reading and writing blocks: 100 disks with the kernel's 17 counters over 1024 samples, as a day file holds
// them.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "archive/block.h"
#include "archive/reader.h"
#include "archive/writer.h"
#include "base/time.h"

namespace {

using namespace laggard;           // NOLINT(google-build-using-namespace)
using namespace laggard::archive;  // NOLINT(google-build-using-namespace)

constexpr std::size_t kDisks = 100;
constexpr std::size_t kSamples = 1024;

/// Counts of one second of a disk, as a load of small and large requests moves them.
struct DiskSecond {
  std::uint64_t ios = 0;
  std::uint64_t sectors = 0;
  std::uint64_t ms = 0;
};

DiskSecond one_second(double rate, std::uint64_t request_sectors, std::mt19937_64& random) {
  DiskSecond second;
  second.ios = std::poisson_distribution<std::uint64_t>(rate)(random);
  for (std::uint64_t i = 0; i < second.ios; ++i) {
    second.sectors += random() % 5 == 0 ? 8 << random() % 5 : request_sectors;
  }
  const double service_ms = 0.5 + static_cast<double>(request_sectors) / 200;
  second.ms =
      std::poisson_distribution<std::uint64_t>(static_cast<double>(second.ios) * service_ms + 0.01)(random);
  return second;
}

/// \param busy  this many of the disks are under load, the others stand still.
SampleTable disks(std::size_t busy, std::size_t samples, WallTime start) {
  const std::vector<std::string> names{"rd_ios",      "rd_merges",  "rd_sectors", "rd_ms",      "wr_ios",
                                       "wr_merges",   "wr_sectors", "wr_ms",      "in_flight",  "io_ms",
                                       "weighted_ms", "dc_ios",     "dc_merges",  "dc_sectors", "dc_ms",
                                       "fl_ios",      "fl_ms"};
  std::vector<TableCounter> counters;
  for (const std::string& name : names) {
    counters.push_back({name, name == "in_flight" ? CounterForm::kGauge : CounterForm::kCumulative});
  }
  std::vector<std::string> devices;
  for (std::size_t d = 0; d < kDisks; ++d) devices.push_back("sd" + std::to_string(d));
  std::vector<WallTime> times;
  std::mt19937_64 random{20110509};
  for (std::size_t t = 0; t < samples; ++t) {
    times.push_back(start + std::chrono::seconds{t} + std::chrono::microseconds{random() % 200});
  }
  SampleTable table{"fs1", DeviceKind::kDisk, counters, devices, times};
  for (std::size_t d = 0; d < kDisks; ++d) {
    std::vector<std::uint64_t> now(names.size());
    for (std::uint64_t& value : now) value = random() >> 40;
    double rate = std::exp(std::normal_distribution<double>(3, 1)(random));
    const std::uint64_t request = std::uint64_t{8} << random() % 6;
    for (std::size_t t = 0; t < samples; ++t) {
      if (d < busy) {
        if (random() % 60 == 0) rate = std::exp(std::normal_distribution<double>(3, 1)(random));
        const DiskSecond reads = one_second(rate, request, random);
        const DiskSecond writes = one_second(rate / 2, request, random);
        const std::vector<std::uint64_t> growth{reads.ios,
                                                0,
                                                reads.sectors,
                                                reads.ms,
                                                writes.ios,
                                                0,
                                                writes.sectors,
                                                writes.ms,
                                                0,
                                                std::min<std::uint64_t>(1000, reads.ms + writes.ms) / 4 * 4,
                                                reads.ms + writes.ms + random() % 2,
                                                0,
                                                0,
                                                0,
                                                0,
                                                0,
                                                0};
        for (std::size_t c = 0; c < growth.size(); ++c) now[c] += growth[c];
        now[8] = random() % 4 == 0 ? reads.ios % 5 : 0;
      }
      for (std::size_t c = 0; c < now.size(); ++c) table.set(c, d, t, now[c]);
    }
  }
  return table;
}

std::size_t bytes_of(const Block& block, ZstdCodec& codec) {
  std::size_t bytes = encode_header(block.header, codec).size();
  for (const std::string& chunk : block.chunks) bytes += chunk.size();
  return bytes;
}

void encode(benchmark::State& state) {
  const SampleTable table = disks(static_cast<std::size_t>(state.range(0)), kSamples, from_unix_ns(0));
  ZstdCodec codec;
  Block block;
  for (auto _ : state) block = encode_block(table, std::vector<std::uint32_t>(kDisks), codec);
  state.counters["values/s"] =
      benchmark::Counter(static_cast<double>(table.cells()) * static_cast<double>(state.iterations()),
                         benchmark::Counter::kIsRate);
  state.counters["B/disk-sample"] = static_cast<double>(bytes_of(block, codec)) / (kDisks * kSamples);
}
BENCHMARK(encode)->Arg(0)->Arg(50)->Arg(100)->ArgName("busy")->Unit(benchmark::kMillisecond);

void decode(benchmark::State& state) {
  const SampleTable table = disks(static_cast<std::size_t>(state.range(0)), kSamples, from_unix_ns(0));
  ZstdCodec codec;
  const Block block = encode_block(table, std::vector<std::uint32_t>(kDisks), codec);
  std::vector<std::size_t> all(block.chunks.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  const std::vector<std::size_t> order = unpacking_order(block.header, all);
  for (auto _ : state) {
    SampleTable out{"fs1", DeviceKind::kDisk, table.counters(), table.devices(), table.times()};
    std::vector<UnpackedCounter> unpacked(all.size());
    for (const std::size_t c : order) {
      const Status read = decode_chunk(block.chunks[c], block.header, c,
                                       {.table = out, .counter = c, .unpacked = unpacked}, codec);
      if (!read) state.SkipWithError(read.error().message().c_str());
      unpacked[c] = {.table = &out, .counter = c};
    }
    benchmark::DoNotOptimize(out.series(0, 0).data());
  }
  state.counters["values/s"] =
      benchmark::Counter(static_cast<double>(table.cells()) * static_cast<double>(state.iterations()),
                         benchmark::Counter::kIsRate);
}
BENCHMARK(decode)->Arg(0)->Arg(50)->Arg(100)->ArgName("busy")->Unit(benchmark::kMillisecond);

/// A recorder's clock that says what it is told.
class SteppedClock final : public Clock {
 public:
  [[nodiscard]] WallTime wall() override { return from_unix_ns(now_.count()); }
  [[nodiscard]] MonoTime mono() override { return MonoTime{now_}; }
  void sleep_until(MonoTime deadline) override { now_ = deadline.time_since_epoch(); }

 private:
  Duration now_{};
};

struct ScratchFolder {
  std::filesystem::path path = std::filesystem::temp_directory_path() / "laggard-archive-bench";
  ScratchFolder() { std::filesystem::remove_all(path); }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder() { std::filesystem::remove_all(path); }
};

/// What a recorder pays: ten samples at a time through the writer, merging of blocks included.
void record(benchmark::State& state) {
  constexpr std::size_t kFlush = 10;
  const WallTime start = parse_time("2011-05-09T06:00:00Z").value();
  const SampleTable table = disks(static_cast<std::size_t>(state.range(0)), 4096, start);
  std::vector<SampleTable> flushes;
  for (std::size_t t = 0; t + kFlush <= 4096; t += kFlush) {
    SampleTable part{"fs1", DeviceKind::kDisk, table.counters(), table.devices(),
                     std::vector<WallTime>(table.times().begin() + static_cast<std::ptrdiff_t>(t),
                                           table.times().begin() + static_cast<std::ptrdiff_t>(t + kFlush))};
    for (std::size_t c = 0; c < table.counters().size(); ++c) {
      for (std::size_t d = 0; d < kDisks; ++d) {
        for (std::size_t i = 0; i < kFlush; ++i) part.set(c, d, i, table.bits(c, d, t + i));
      }
    }
    flushes.push_back(std::move(part));
  }
  SteppedClock clock;
  for (auto _ : state) {
    const ScratchFolder folder;
    auto writer = Writer::open(folder.path, {}, clock);
    for (const SampleTable& flush : flushes) {
      if (!(*writer)->append(flush) || !(*writer)->flush()) state.SkipWithError("cannot write");
    }
    if (!(*writer)->close()) state.SkipWithError("cannot close");
  }
  const double samples =
      static_cast<double>(flushes.size() * kFlush * kDisks) * static_cast<double>(state.iterations());
  state.counters["s/disk-sample"] =
      benchmark::Counter(samples, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK(record)->Arg(0)->Arg(50)->Arg(100)->ArgName("busy")->Unit(benchmark::kMillisecond);

/// Reading a recording back, file and all. \param counters  how many of the 17 are asked for.
void read_back(benchmark::State& state) {
  const WallTime start = parse_time("2011-05-09T06:00:00Z").value();
  const SampleTable table = disks(50, 8 * kSamples, start);
  const ScratchFolder folder;
  SteppedClock clock;
  auto writer = Writer::open(folder.path, {}, clock);
  if (!(*writer)->append(table) || !(*writer)->close()) state.SkipWithError("cannot write");
  ReadRequest request;
  if (state.range(0) == 6)
    request.counters = {"rd_ios", "wr_ios", "rd_sectors", "wr_sectors", "rd_ms", "wr_ms"};
  double values = 0;
  for (auto _ : state) {
    auto reader = Reader::open(std::span(&folder.path, 1));
    auto tables = (*reader)->read(request);
    for (;;) {
      auto next = (*tables)->next();
      if (!next || !next->has_value()) break;
      values += static_cast<double>((*next)->cells());
    }
  }
  state.counters["values/s"] = benchmark::Counter(values, benchmark::Counter::kIsRate);
}
BENCHMARK(read_back)->Arg(17)->Arg(6)->ArgName("counters")->Unit(benchmark::kMillisecond);

}  // namespace
