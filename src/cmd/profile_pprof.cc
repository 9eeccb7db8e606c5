#include <pprof.pb.h>
#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "cmd/profile_forms.h"
#include "cmd/profile_frames.h"
#include "model/code_profile.h"

namespace laggard::cmd {

namespace {

/// The profile as it is put together.
class PprofProfile {
 public:
  PprofProfile() { static_cast<void>(string("")); }

  void set_type(pprof::ValueType& value, std::string_view type, std::string_view unit) {
    value.set_type(string(type));
    value.set_unit(string(unit));
  }
  void add_sample(std::string_view host, const std::vector<ProfileFrame>& frames,
                  std::span<const std::uint64_t> values) {
    pprof::Sample& sample = *profile_.add_samples();
    std::for_each(frames.rbegin(), frames.rend(),
                  [&](const ProfileFrame& frame) { sample.add_locations(place_of(frame)); });
    for (const std::uint64_t value : values) sample.add_values(static_cast<std::int64_t>(value));
    pprof::Label& label = *sample.add_labels();
    label.set_key(string("host"));
    label.set_text(string(host));
  }

  [[nodiscard]] pprof::Profile& profile() { return profile_; }

 private:
  std::int64_t string(std::string_view text) {
    const auto [found, is_new] = strings_.try_emplace(std::string(text), profile_.strings_size());
    if (is_new) profile_.add_strings(found->first);
    return found->second;
  }
  std::uint64_t mapping_of(const std::string& binary) {
    if (binary.empty()) return 0;
    const auto [found, is_new] = mappings_.try_emplace(binary, mappings_.size() + 1);
    if (!is_new) return found->second;
    pprof::Mapping& mapping = *profile_.add_mappings();
    mapping.set_id(found->second);
    mapping.set_file(string(binary));
    mapping.set_has_functions(true);
    return found->second;
  }
  std::uint64_t place_of(const ProfileFrame& frame) {
    const auto [found, is_new] = places_.try_emplace(frame, places_.size() + 1);
    if (!is_new) return found->second;
    // A place of each function is enough, with the same number: nobody knows lines or addresses.
    pprof::Function& function = *profile_.add_functions();
    function.set_id(found->second);
    function.set_name(string(frame.name));
    function.set_system_name(string(frame.name));
    function.set_file(string(frame.binary));
    pprof::Location& location = *profile_.add_locations();
    location.set_id(found->second);
    location.set_mapping(mapping_of(frame.binary));
    location.add_lines()->set_function(found->second);
    return found->second;
  }

  pprof::Profile profile_;
  std::map<std::string, std::int64_t, std::less<>> strings_;
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

  void add_types(PprofProfile& made) const;

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

void PprofWriter::add_types(PprofProfile& made) const {
  if (kind_ == kSamplesKind || kind_ == kStacksKind) {
    made.set_type(*made.profile().add_sample_types(), "samples", "count");
  } else {
    made.set_type(*made.profile().add_sample_types(), kind_,
                  kind_ == kCallTimeKind || kind_ == kKernelTimeKind ? "nanoseconds" : "count");
  }
  if (!is_time_known_) return;
  made.set_type(*made.profile().add_sample_types(), "cpu", "nanoseconds");
  made.set_type(*made.profile().mutable_period_type(), "cpu", "nanoseconds");
}

Status PprofWriter::finish() {
  PprofProfile made;
  is_time_known_ = is_time_known_ && each_;
  add_types(made);
  for (const auto& [key, sum] : sums_) {
    std::vector<std::uint64_t> values{sum.count};
    if (is_time_known_) {
      values.push_back(static_cast<std::uint64_t>(std::min(sum.cpu_ns, 9e18)));
    }
    made.add_sample(key.host, frames_of(key.kind, key.word), values);
  }
  if (first_ < end_) {
    made.profile().set_begin_ns(to_unix_ns(first_));
    made.profile().set_length_ns((end_ - first_).count());
  }
  if (is_time_known_) made.profile().set_period(each_->count());
  return out_.write(gzipped(made.profile().SerializeAsString()));
}

}  // namespace

std::unique_ptr<ProfileWriter> make_pprof_writer(LineWriter& out, const std::vector<std::string>& /*kept*/) {
  return std::make_unique<PprofWriter>(out);
}

}  // namespace laggard::cmd
