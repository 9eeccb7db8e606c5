#include "collect/samples/sample_reader.h"

#include <linux/perf_event.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "model/code_profile.h"

namespace laggard::collect {

namespace {

constexpr std::string_view kUnknownProgram = "[unknown]";

/// What stands for a function in a stack.
std::string frame_of(const CodePlace& place) {
  if (!place.function.empty()) return (place.is_near ? "near " : "") + std::string(place.function);
  return place.binary.starts_with('[') || place.binary.empty() ? std::string(place.binary)
                                                               : "[" + std::string(place.binary) + "]";
}

}  // namespace

void SampleReader::read(PerfWords words, MonoTime now, WallTime wall, ProfileTable& profile) {
  constexpr Duration kModules = std::chrono::seconds(10);
  if (!looked_for_modules_ || now - *looked_for_modules_ >= kModules) {
    looked_for_modules_ = now;
    symbolizer_.look_for_modules();
  }
  const Duration offset = wall.time_since_epoch() - now.time_since_epoch();
  for (const PerfEntry& entry : perf_records_in(words)) {
    const PerfRecord record = parse_perf_record(words.subspan(entry.begin, entry.size), has_chains_);
    if (std::holds_alternative<PerfSample>(record)) {
      // A record that was damaged must not open a period in the future.
      const WallTime time = WallTime(Duration(static_cast<std::int64_t>(entry.time)) + offset);
      counts_.advance(std::min(time, wall), profile);
    }
    take(record, now);
  }
  counts_.advance(wall, profile);
}

void SampleReader::take(const PerfRecord& record, MonoTime now) {
  ProcessTable& processes = symbolizer_.processes();
  std::visit(
      [&](const auto& kind) {
        using Kind = std::decay_t<decltype(kind)>;
        if constexpr (std::is_same_v<Kind, PerfSample>) {
          count(kind, now);
        } else if constexpr (std::is_same_v<Kind, PerfForked>) {
          processes.take(kind, now);
        } else if constexpr (std::is_same_v<Kind, PerfMapped> || std::is_same_v<Kind, PerfNamed>) {
          processes.take(kind);
        } else if constexpr (std::is_same_v<Kind, PerfExited>) {
          symbolizer_.take(kind);
        } else if constexpr (std::is_same_v<Kind, PerfLost>) {
          losses_.no_room += kind.count;
        } else if constexpr (std::is_same_v<Kind, PerfThrottled>) {
          ++losses_.throttled;
        } else if constexpr (std::is_same_v<Kind, PerfKernelChanged>) {
          symbolizer_.kernel_changed();
        }
      },
      record);
}

/// Only threads of the kernel go by its rules: a program may call itself `kworker/0`.
std::string_view SampleReader::program_of(const PerfSample& sample, MonoTime now) {
  if (sample.process == 0) return kNobody;
  const SampledProcess& process = symbolizer_.processes().of(sample.process, now);
  if (process.name.empty()) return kUnknownProgram;
  return process.is_kernel ? program_of_thread(process.name) : std::string_view(process.name);
}

void SampleReader::count(const PerfSample& sample, MonoTime now) {
  const CodePlace place = sample.is_kernel ? symbolizer_.of_kernel(sample.address)
                                           : symbolizer_.of_process(sample.process, sample.address, now);
  // Where functions of the kernel are unknown an idle processor cannot be told from a busy one, and is
  // likelier.
  if (sample.process == 0 && (place.function.empty() || is_idle_function(place.function))) {
    ++idle_;
    return;
  }
  ++samples_;
  const std::string_view program = program_of(sample, now);
  if (has_chains_) {
    count_stack(program, sample, now);
    return;
  }
  counts_.count(to_word(program, place));
}

/// Among the addresses are marks of where those come from that follow. All but the first behind a mark are
/// those that calls return to: the call is before them, perhaps as the last instruction of its function.
void SampleReader::count_stack(std::string_view program, const PerfSample& sample, MonoTime now) {
  std::vector<std::string> frames;  // From the innermost.
  bool is_kernel = sample.is_kernel;
  bool is_call = false;
  for (const std::uint64_t address : sample.chain) {
    if (address >= static_cast<std::uint64_t>(PERF_CONTEXT_MAX)) {
      is_kernel = address == static_cast<std::uint64_t>(PERF_CONTEXT_KERNEL);
      is_call = false;
      continue;
    }
    const std::uint64_t inside = is_call && address != 0 ? address - 1 : address;
    is_call = true;
    frames.push_back(frame_of(is_kernel ? symbolizer_.of_kernel(inside)
                                        : symbolizer_.of_process(sample.process, inside, now)));
  }
  const std::vector<std::string_view> outermost_first(frames.rbegin(), frames.rend());
  counts_.count(to_folded(program, outermost_first));
}

}  // namespace laggard::collect
