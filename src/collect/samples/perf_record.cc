#include "collect/samples/perf_record.h"

#include <linux/perf_event.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

namespace laggard::collect {

namespace {

constexpr std::size_t kWord = sizeof(std::uint64_t);
constexpr std::size_t kTrailer = 2;  ///< Words that sample_id_all adds to all but samples: ids, time.

perf_event_header header_of(PerfWords words) {
  perf_event_header header;
  static_assert(sizeof header == kWord);
  std::memcpy(&header, words.data(), sizeof header);
  return header;
}

std::uint32_t low_half(std::uint64_t word) { return static_cast<std::uint32_t>(word); }
std::uint32_t high_half(std::uint64_t word) {
  constexpr unsigned kHalf = 32;
  return static_cast<std::uint32_t>(word >> kHalf);
}

/// The text that fills words, up to its zero byte.
std::string_view text_in(PerfWords words) {
  const std::string_view bytes(reinterpret_cast<const char*>(words.data()), words.size() * kWord);
  return bytes.substr(0, bytes.find('\0'));
}

PerfRecord parse_sample(PerfWords words, std::uint16_t misc, bool has_chains) {
  enum : std::size_t { kAddress = 1, kIds, kTime, kChainLength, kChain };
  const unsigned mode = misc & PERF_RECORD_MISC_CPUMODE_MASK;
  if (words.size() <= kTime || (mode != PERF_RECORD_MISC_KERNEL && mode != PERF_RECORD_MISC_USER)) return {};
  PerfSample sample{.process = low_half(words[kIds]),
                    .thread = high_half(words[kIds]),
                    .address = words[kAddress],
                    .is_kernel = mode == PERF_RECORD_MISC_KERNEL,
                    .chain = {}};
  if (!has_chains) return sample;
  if (words.size() <= kChainLength || words[kChainLength] > words.size() - kChain) return {};
  sample.chain = words.subspan(kChain, words[kChainLength]);
  return sample;
}

PerfRecord parse_mapped(PerfWords body) {
  enum : std::size_t { kIds, kStart, kLength, kOffset, kDevice, kInode, kGeneration, kProtection, kPath };
  if (body.size() <= kPath || body[kLength] > UINT64_MAX - body[kStart]) return {};
  return PerfMapped{.process = low_half(body[kIds]),
                    .mapping = {.start = body[kStart],
                                .end = body[kStart] + body[kLength],
                                .offset = body[kOffset],
                                .file = {.device_major = low_half(body[kDevice]),
                                         .device_minor = high_half(body[kDevice]),
                                         .inode = body[kInode]},
                                .path = std::string(text_in(body.subspan(kPath)))}};
}

/// \param body  without header and trailer; has one word at least.
PerfRecord parse_body(const perf_event_header& header, PerfWords body) {
  switch (header.type) {
    case PERF_RECORD_MMAP2:
      return parse_mapped(body);
    case PERF_RECORD_COMM:
      return PerfNamed{.process = low_half(body[0]),
                       .thread = high_half(body[0]),
                       .name = text_in(body.subspan(1)),
                       .executes = (header.misc & PERF_RECORD_MISC_COMM_EXEC) != 0};
    case PERF_RECORD_FORK:
      return PerfForked{.process = low_half(body[0]), .parent = high_half(body[0])};
    case PERF_RECORD_EXIT:
      if (body.size() < 2) return {};
      return PerfExited{.process = low_half(body[0]), .thread = low_half(body[1])};
    case PERF_RECORD_LOST:
      if (body.size() < 2) return {};
      return PerfLost{body[1]};
    case PERF_RECORD_LOST_SAMPLES:
      return PerfLost{body[0]};
    case PERF_RECORD_THROTTLE:
      return PerfThrottled{};
    case PERF_RECORD_KSYMBOL:
      return PerfKernelChanged{};
    default:
      return {};
  }
}

std::uint64_t time_of(const perf_event_header& header, PerfWords words) {
  constexpr std::size_t kSampleTime = 3;
  if (header.type != PERF_RECORD_SAMPLE) return words.back();
  return words.size() > kSampleTime ? words[kSampleTime] : 0;
}

}  // namespace

PerfRecord parse_perf_record(PerfWords words, bool has_chains) {
  if (words.empty()) return {};
  const perf_event_header header = header_of(words);
  if (header.type == PERF_RECORD_SAMPLE) return parse_sample(words, header.misc, has_chains);
  if (words.size() < 1 + 1 + kTrailer) return {};
  return parse_body(header, words.subspan(1, words.size() - 1 - kTrailer));
}

std::vector<PerfEntry> perf_records_in(PerfWords words) {
  std::vector<PerfEntry> entries;
  for (std::size_t begin = 0; begin < words.size();) {
    const PerfWords rest = words.subspan(begin);
    const perf_event_header header = header_of(rest);
    const std::size_t size = header.size / kWord;
    if (header.size % kWord != 0 || size == 0 || size > rest.size()) break;
    entries.push_back({.time = time_of(header, rest.first(size)), .begin = begin, .size = size});
    begin += size;
  }
  std::ranges::stable_sort(entries, {}, &PerfEntry::time);
  return entries;
}

}  // namespace laggard::collect
