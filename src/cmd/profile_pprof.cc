#include "cmd/profile_pprof.h"

#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/time.h"
#include "cmd/profile_frames.h"
#include "cmd/proto_writer.h"
#include "model/code_profile.h"

namespace laggard::cmd {

namespace {

/// Numbers of fields of profile.proto.
namespace field {
enum Profile : std::uint32_t {
  kSampleType = 1,
  kSample = 2,
  kMapping = 3,
  kLocation = 4,
  kFunction = 5,
  kStringTable = 6,
  kTimeNanos = 9,
  kDurationNanos = 10,
  kPeriodType = 11,
  kPeriod = 12
};
enum ValueType : std::uint32_t { kType = 1, kUnit = 2 };
enum Sample : std::uint32_t { kLocationId = 1, kValue = 2, kLabel = 3 };
enum Label : std::uint32_t { kKey = 1, kStr = 2 };
enum Mapping : std::uint32_t { kMappingId = 1, kMappingFile = 5, kHasFunctions = 7 };
enum Location : std::uint32_t { kLocationNumber = 1, kLocationMapping = 2, kLine = 4 };
enum Line : std::uint32_t { kLineFunction = 1 };
enum Function : std::uint32_t { kFunctionId = 1, kName = 2, kSystemName = 3, kFile = 4 };
}  // namespace field

/// Strings by number; the first is the empty one.
class Strings {
 public:
  Strings() { static_cast<void>((*this)("")); }
  std::uint64_t operator()(std::string_view text) {
    const auto [found, is_new] = numbers_.try_emplace(std::string(text), list_.size());
    if (is_new) list_.emplace_back(text);
    return found->second;
  }
  [[nodiscard]] const std::vector<std::string>& list() const { return list_; }

 private:
  std::map<std::string, std::uint64_t, std::less<>> numbers_;
  std::vector<std::string> list_;
};

/// The profile as it is put together. Mappings, functions and places have numbers from one on.
class PprofProfile {
 public:
  void add_type(std::uint32_t which, std::string_view type, std::string_view unit) {
    ProtoWriter value;
    value.number(field::kType, strings_(type));
    value.number(field::kUnit, strings_(unit));
    profile_.message(which, std::move(value));
  }
  void add_sample(std::string_view host, const std::vector<ProfileFrame>& frames,
                  std::span<const std::uint64_t> values) {
    std::vector<std::uint64_t> places;
    places.reserve(frames.size());
    for (const ProfileFrame& frame : frames) places.push_back(place_of(frame));
    std::ranges::reverse(places);  // The innermost comes first there.
    ProtoWriter label;
    label.number(field::kKey, strings_("host"));
    label.number(field::kStr, strings_(host));
    ProtoWriter sample;
    sample.numbers(field::kLocationId, places);
    sample.numbers(field::kValue, values);
    sample.message(field::kLabel, std::move(label));
    profile_.message(field::kSample, std::move(sample));
  }
  void set(std::uint32_t which, std::int64_t value) {
    profile_.number(which, static_cast<std::uint64_t>(value));
  }
  [[nodiscard]] std::string take() {
    for (const std::string& text : strings_.list()) profile_.text(field::kStringTable, text);
    return profile_.take();
  }

 private:
  std::uint64_t mapping_of(const std::string& binary) {
    if (binary.empty()) return 0;
    const auto [found, is_new] = mappings_.try_emplace(binary, mappings_.size() + 1);
    if (!is_new) return found->second;
    ProtoWriter mapping;
    mapping.number(field::kMappingId, found->second);
    mapping.number(field::kMappingFile, strings_(binary));
    mapping.number(field::kHasFunctions, 1);
    profile_.message(field::kMapping, std::move(mapping));
    return found->second;
  }
  std::uint64_t place_of(const ProfileFrame& frame) {
    const auto [found, is_new] = places_.try_emplace(frame, places_.size() + 1);
    if (!is_new) return found->second;
    // A place of each function is enough, with the same number: nobody knows lines or addresses.
    const std::uint64_t number = found->second;
    ProtoWriter function;
    function.number(field::kFunctionId, number);
    function.number(field::kName, strings_(frame.name));
    function.number(field::kSystemName, strings_(frame.name));
    function.number(field::kFile, strings_(frame.binary));
    profile_.message(field::kFunction, std::move(function));
    ProtoWriter line;
    line.number(field::kLineFunction, number);
    ProtoWriter location;
    location.number(field::kLocationNumber, number);
    location.number(field::kLocationMapping, mapping_of(frame.binary));
    location.message(field::kLine, std::move(line));
    profile_.message(field::kLocation, std::move(location));
    return number;
  }

  ProtoWriter profile_;
  Strings strings_;
  std::map<std::string, std::uint64_t, std::less<>> mappings_;
  std::map<ProfileFrame, std::uint64_t> places_;
};

/// With no time in it, so that the same profile gives the same bytes.
std::string gzipped(std::string bytes) {
  constexpr int kGzip = 16;
  z_stream stream{};
  LAGGARD_CHECK(deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + kGzip, MAX_MEM_LEVEL,
                             Z_DEFAULT_STRATEGY) == Z_OK);
  std::string packed;
  std::string_view rest = bytes;
  int done = Z_OK;
  std::vector<Bytef> buffer(std::size_t{1} << 16U);
  while (done != Z_STREAM_END) {
    constexpr std::size_t kAtOnce = std::size_t{1} << 30U;  // zlib counts in 32 bits.
    if (stream.avail_in == 0 && !rest.empty()) {
      const std::string_view part = rest.substr(0, kAtOnce);
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(part.data()));
      stream.avail_in = static_cast<uInt>(part.size());
      rest.remove_prefix(part.size());
    }
    stream.next_out = buffer.data();
    stream.avail_out = static_cast<uInt>(buffer.size());
    done = deflate(&stream, rest.empty() ? Z_FINISH : Z_NO_FLUSH);
    LAGGARD_CHECK(done == Z_OK || done == Z_STREAM_END);
    packed.append(reinterpret_cast<const char*>(buffer.data()), buffer.size() - stream.avail_out);
  }
  deflateEnd(&stream);
  return packed;
}

constexpr std::uint64_t kMostValue = std::numeric_limits<std::int64_t>::max();

class PprofWriter final : public ProfileWriter {
 public:
  explicit PprofWriter(LineWriter& out) : out_(out) {}

  [[nodiscard]] Status add(const ProfileTable& table, std::span<const std::uint32_t> periods) override;
  [[nodiscard]] Status finish() override;

 private:
  struct Key {
    std::string host;
    std::string kind;
    std::string word;
    auto operator<=>(const Key&) const = default;
  };
  struct Sum {
    std::uint64_t count = 0;
    double cpu_ns = 0;
  };

  void add_types(PprofProfile& profile) const;

  LineWriter& out_;
  std::map<Key, Sum> sums_;
  std::string kind_ = std::string(kSamplesKind);
  WallTime first_ = WallTime::max();
  WallTime end_ = WallTime::min();
  std::optional<Duration> each_;  ///< Of all periods; zero where they differ.
  bool is_time_known_ = true;
};

Status PprofWriter::add(const ProfileTable& table, std::span<const std::uint32_t> periods) {
  kind_ = table.kind();
  for (const std::uint32_t p : periods) {
    const ProfileTable::Period& period = table.periods()[p];
    first_ = std::min(first_, period.start);
    end_ = std::max(end_, period.start + period.length);
    each_ = each_.value_or(period.each) == period.each ? period.each : Duration::zero();
    is_time_known_ = is_time_known_ && period.each > Duration::zero();
    for (std::size_t i = 0; i < table.seen(p).size(); ++i) {
      const std::string_view word = table.words().text(table.seen(p)[i]);
      const std::uint64_t count = std::min(table.counts(p)[i], kMostValue);
      Sum& sum = sums_[{table.host(), table.kind(), std::string(word)}];
      sum.count = std::min(sum.count + count, kMostValue);
      sum.cpu_ns += static_cast<double>(count) * static_cast<double>(period.each.count());
    }
  }
  return {};
}

void PprofWriter::add_types(PprofProfile& profile) const {
  if (kind_ == kSamplesKind || kind_ == kStacksKind) {
    profile.add_type(field::kSampleType, "samples", "count");
  } else {
    profile.add_type(field::kSampleType, kind_, kind_ == kCallTimeKind ? "nanoseconds" : "count");
  }
  if (!is_time_known_) return;
  profile.add_type(field::kSampleType, "cpu", "nanoseconds");
  profile.add_type(field::kPeriodType, "cpu", "nanoseconds");
}

Status PprofWriter::finish() {
  PprofProfile profile;
  is_time_known_ = is_time_known_ && each_;
  add_types(profile);
  for (const auto& [key, sum] : sums_) {
    std::vector<std::uint64_t> values{sum.count};
    if (is_time_known_) {
      values.push_back(static_cast<std::uint64_t>(std::min(sum.cpu_ns, 9e18)));
    }
    profile.add_sample(key.host, frames_of(key.kind, key.word), values);
  }
  if (first_ < end_) {
    profile.set(field::kTimeNanos, to_unix_ns(first_));
    profile.set(field::kDurationNanos, (end_ - first_).count());
  }
  if (is_time_known_) profile.set(field::kPeriod, each_->count());
  return out_.write(gzipped(profile.take()));
}

}  // namespace

std::unique_ptr<ProfileWriter> make_pprof_writer(LineWriter& out) {
  return std::make_unique<PprofWriter>(out);
}

}  // namespace laggard::cmd
