#include "collect/import/sysstat/sadf_raw.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

#include "base/text.h"

namespace laggard::collect {

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kHundredth = kSecond / 100;

std::string boot_label(std::int64_t boot_ns, int steps_back) {
  constexpr Duration kGrid = std::chrono::minutes(2);
  std::string label = "since " + to_iso8601(floor_to(from_unix_ns(boot_ns) + kGrid / 2, kGrid));
  if (steps_back > 0) label += fmt::format(" step {}", steps_back);
  return label;
}

}  // namespace

void SampleClock::restart() {
  anchor_ns_.reset();
  steps_back_ = 0;
}

SampleClock::Stamp SampleClock::stamp(std::int64_t wall_s, std::int64_t uptime_cs) {
  const std::int64_t wall_ns = wall_s * kSecond;
  const std::int64_t up_ns = uptime_cs * kHundredth;
  if (!anchor_ns_) {
    anchor_ns_ = wall_ns - up_ns;
    boot_ = boot_label(*anchor_ns_, 0);
  } else if (std::abs(*anchor_ns_ + up_ns - wall_ns) > 2 * kSecond) {
    // The uptime tells whether the clock was set back or an earlier record is read again.
    const bool back = wall_ns <= last_ns_ && uptime_cs > last_uptime_cs_;
    anchor_ns_ = wall_ns - up_ns;
    if (back) boot_ = boot_label(*anchor_ns_, ++steps_back_);
  }
  last_ns_ = *anchor_ns_ + up_ns;
  last_uptime_cs_ = uptime_cs;
  return {from_unix_ns(last_ns_), boot_};
}

namespace {

struct Field {
  std::string_view sadf;
  std::string_view ours;
  std::uint64_t times = 1;  ///< Our unit in theirs.
  CounterForm form = CounterForm::kCumulative;
};

/// sadf labels raw counters with the names of the rates that sar computes from them: rkB/s is a count of
/// sectors, aqu-sz the weighted milliseconds. Values that are not counters (speed, duplex) and counters that
/// we do not use are left out.
constexpr std::array kDiskFields{
    Field{"tps", "ios"},          Field{"rkB/s", "rd_sectors"},    Field{"rd_sec/s", "rd_sectors"},
    Field{"wkB/s", "wr_sectors"}, Field{"wr_sec/s", "wr_sectors"}, Field{"dkB/s", "dc_sectors"},
    Field{"rd_ticks", "rd_ms"},   Field{"wr_ticks", "wr_ms"},      Field{"dc_ticks", "dc_ms"},
    Field{"tot_ticks", "io_ms"},  Field{"aqu-sz", "weighted_ms"},  Field{"avgqu-sz", "weighted_ms"},
};
constexpr std::array kNetFields{
    Field{"rxpck/s", "rx_packets"}, Field{"txpck/s", "tx_packets"}, Field{"rxkB/s", "rx_bytes"},
    Field{"txkB/s", "tx_bytes"},    Field{"rxerr/s", "rx_errors"},  Field{"txerr/s", "tx_errors"},
    Field{"rxdrop/s", "rx_drop"},   Field{"txdrop/s", "tx_drop"},
};

/// Processors are counted in hundredths of seconds, pressure in microseconds. What guests use has been taken
/// off what the host's users do. Several that are one of ours are added up.
constexpr std::uint64_t kMsPerTick = 10;
constexpr std::array kHostFields{
    Field{"%usr", "cpu_user_ms", kMsPerTick},
    Field{"%nice", "cpu_user_ms", kMsPerTick},
    Field{"%guest", "cpu_user_ms", kMsPerTick},
    Field{"%gnice", "cpu_user_ms", kMsPerTick},
    Field{"%sys", "cpu_system_ms", kMsPerTick},
    Field{"%irq", "cpu_irq_ms", kMsPerTick},
    Field{"%soft", "cpu_irq_ms", kMsPerTick},
    Field{"%idle", "cpu_idle_ms", kMsPerTick},
    Field{"%iowait", "cpu_iowait_ms", kMsPerTick},
    Field{"%steal", "cpu_steal_ms", kMsPerTick},
    Field{"%scpu", "psi_cpu_us"},
    Field{"%sio", "psi_io_us"},
    Field{"%fio", "psi_io_full_us"},
    Field{"%smem", "psi_memory_us"},
    Field{"%fmem", "psi_memory_full_us"},
    Field{"pswpin/s", "swap_in"},
    Field{"pswpout/s", "swap_out"},
    Field{"majflt/s", "major_faults"},
    Field{"kbavail", "mem_available_kb", 1, CounterForm::kGauge},
    Field{"runq-sz", "procs_running", 1, CounterForm::kGauge},
    Field{"blocked", "procs_blocked", 1, CounterForm::kGauge},
};

std::span<const Field> fields_of(DeviceKind kind) {
  if (kind == DeviceKind::kHost) return kHostFields;
  return kind == DeviceKind::kDisk ? std::span<const Field>(kDiskFields) : std::span<const Field>(kNetFields);
}

/// Null for what we do not use.
const Field* find_field(DeviceKind kind, std::string_view sadf) {
  const std::span<const Field> fields = fields_of(kind);
  const auto found = std::ranges::find(fields, sadf, &Field::sadf);
  return found == fields.end() ? nullptr : &*found;
}

tl::unexpected<Error> unlikely(std::string what) {
  return fail(ErrorCode::kBadInput, "", "sadf's output cannot be trusted: " + std::move(what));
}

void split_tokens(std::string_view line, std::vector<std::string_view>& tokens) {
  tokens.clear();
  while (true) {
    const std::size_t end = line.find(';');
    tokens.push_back(trim(line.substr(0, end)));
    if (end == std::string_view::npos) return;
    line.remove_prefix(end + 1);
  }
}

/// The value after the key `name` of `# key; value; key; value …`.
std::string_view value_of(const std::vector<std::string_view>& tokens, std::string_view name) {
  for (std::size_t i = 0; i + 1 < tokens.size(); i += 2) {
    std::string_view key = tokens[i];
    if (key.starts_with('#')) key = trim(key.substr(1));
    if (key == name) return tokens[i + 1];
  }
  return {};
}

/// `tps [DEC]` -> tps
std::string_view without_tag(std::string_view token) { return trim(token.substr(0, token.find('['))); }

/// Seconds since midnight of `13:20:09`; nothing when the text is no time of day.
std::optional<std::int64_t> seconds_of_day(std::string_view text) {
  const std::vector<std::string_view> parts = split(text, ':');
  if (parts.size() != 3) return std::nullopt;
  const auto hours = to_number<std::int64_t>(parts[0]);
  const auto minutes = to_number<std::int64_t>(parts[1]);
  const auto seconds = to_number<std::int64_t>(parts[2]);
  if (!hours || !minutes || !seconds || *hours < 0 || *minutes < 0 || *seconds < 0) return std::nullopt;
  if (*hours > 23 || *minutes > 59 || *seconds > 60) return std::nullopt;
  return (*hours * 60 + *minutes) * 60 + *seconds;
}

/// Whether a Unix time and a local time of day can be the same moment: time zones differ by multiples of a
/// quarter of an hour. This catches files of the other byte order that sadf does not swap.
bool times_agree(std::int64_t wall_s, std::int64_t of_day) {
  constexpr std::int64_t kQuarter = 900;
  constexpr std::int64_t kSlack = 2;
  const std::int64_t rest = ((wall_s - of_day) % kQuarter + kQuarter) % kQuarter;
  return rest <= kSlack || rest >= kQuarter - kSlack;
}

}  // namespace

Status SadfRawReader::read(std::string_view line) {
  if (line.starts_with("# uptime_cs;")) return read_record_header(line);
  if (line.starts_with("# name;")) return read_announcement(line);
  if (line.empty() || line.starts_with('#')) return {};
  return read_item(line);
}

Status SadfRawReader::read_record_header(std::string_view line) {
  if (Status status = check_whole_sample(); !status) return status;
  split_tokens(line, tokens_);
  const auto uptime = to_number<std::int64_t>(value_of(tokens_, "uptime_cs"));
  const auto wall = to_number<std::int64_t>(value_of(tokens_, "ust_time"));
  const auto type = to_number<int>(value_of(tokens_, "record_type"));
  const auto of_day = seconds_of_day(value_of(tokens_, "HH:MM:SS"));
  if (!uptime || !wall || !type || !of_day) return unlikely("a record without a time");
  constexpr int kStats = 1;
  constexpr int kRestart = 2;
  constexpr int kLastStats = 3;
  if (*type == kRestart) {
    clock_.restart();
    baseline_.reset();
    current_.reset();
    return {};
  }
  if (*type != kStats && *type != kLastStats) {
    current_.reset();
    return {};
  }
  constexpr std::int64_t kLatest = to_unix_ns(kLatestTime) / 1'000'000'000;
  constexpr std::int64_t kLongestUptime = 1'000'000'000'000;  // 317 years
  if (*wall < 0 || *wall > kLatest || *uptime < 0 || *uptime > kLongestUptime ||
      !times_agree(*wall, *of_day)) {
    return unlikely(
        fmt::format("a record of {} with an uptime of {} hundredths of seconds, whose time of day is {}",
                    *wall >= 0 && *wall <= kLatest ? to_iso8601(from_unix_ns(*wall * 1'000'000'000))
                                                   : std::to_string(*wall),
                    *uptime, value_of(tokens_, "HH:MM:SS")));
  }
  current_ = Record{clock_.stamp(*wall, *uptime), false};
  ++record_;
  if (!baseline_) {
    baseline_ = current_;
    boot_record_ = record_ + 1;
  }
  return {};
}

Status SadfRawReader::read_announcement(std::string_view line) {
  split_tokens(line, tokens_);
  const auto count = to_number<std::uint64_t>(value_of(tokens_, "nr_curr"));
  if (!count || !current_) return unlikely("an announcement of devices outside of a record");
  current_->counted = true;
  announced_ = of_host_ ? 1 : *count;
  items_ = 0;
  return {};
}

Status SadfRawReader::check_whole_sample() {
  if (!current_ || !current_->counted || items_ == announced_) return {};
  return unlikely(fmt::format("{} of the {} devices of the sample of {}", items_, announced_,
                              to_iso8601(current_->stamp.time)));
}

Status SadfRawReader::finish() { return check_whole_sample(); }

Status SadfRawReader::read_item(std::string_view line) {
  split_tokens(line, tokens_);
  if (tokens_.size() > 1 && tokens_[1].starts_with("LINUX-RESTART")) return {};
  if (of_host_) return read_host_item(line);
  const auto marker = std::find_if(tokens_.begin(), tokens_.end(), [](std::string_view token) {
    return without_tag(token) == "DEV" || without_tag(token) == "IFACE";
  });
  if (marker == tokens_.end() || tokens_.end() - marker < 3) {
    return unlikely(fmt::format("a line that is none of a device: `{}`", line.substr(0, 80)));
  }
  if (!current_ || !current_->counted) return unlikely("a device outside of a record");
  ++items_;
  const DeviceKind kind = without_tag(*marker) == "DEV" ? DeviceKind::kDisk : DeviceKind::kNet;
  const bool fresh = marker->find('[') != std::string_view::npos;
  const std::string device(marker[1]);
  if (device.empty()) return unlikely("a device without a name");
  const bool wanted = kind != DeviceKind::kDisk || disk_globs_.empty() ||
                      std::any_of(disk_globs_.begin(), disk_globs_.end(),
                                  [&](const std::string& glob) { return glob_match(glob, device); });
  if (!wanted) return {};
  const auto first_key = static_cast<std::size_t>(marker - tokens_.begin()) + 2;
  if (Status status = read_counters(first_key, kind, device); !status) return status;
  Device& known = devices_[device];
  known.kind = kind;
  if (kind == DeviceKind::kDisk && marker - tokens_.begin() >= 5) {
    known.number = fmt::format("{}:{}", tokens_[2], tokens_[4]);
  }
  return store(kind, device, fresh);
}

/// `1795626630; CPU; -1; %usr; …` of all processors together, `1795626630; pswpin/s; …`
Status SadfRawReader::read_host_item(std::string_view line) {
  if (!current_ || !current_->counted)
    return unlikely(fmt::format("a line outside of a record: `{}`", line.substr(0, 80)));
  std::size_t first = 1;
  if (tokens_.size() > 2 && without_tag(tokens_[1]) == "CPU") {
    if (tokens_[2] != "-1" && tokens_[2] != "all") return {};
    first = 3;
  }
  ++items_;
  const std::string device(kHostDevice);
  if (Status status = read_counters(first, DeviceKind::kHost, device); !status) return status;
  devices_[device].kind = DeviceKind::kHost;
  return store(DeviceKind::kHost, device, false);
}

void SadfRawReader::add_value(std::string_view name, CounterForm form, std::uint64_t before,
                              std::uint64_t after) {
  const auto same = std::ranges::find(names_, name);
  if (same != names_.end()) {
    const auto at = static_cast<std::size_t>(same - names_.begin());
    before_[at] += before;
    after_[at] += after;
    return;
  }
  names_.push_back(name);
  forms_.push_back(form);
  before_.push_back(before);
  after_.push_back(after);
}

/// Reads `key; previous; current;` from token `first` on; of a gauge `key; current;`.
Status SadfRawReader::read_counters(std::size_t first, DeviceKind kind, std::string_view device) {
  names_.clear();
  forms_.clear();
  before_.clear();
  after_.clear();
  for (std::size_t key = first; key + 2 <= tokens_.size(); ++key) {
    const Field* const field = find_field(kind, without_tag(tokens_[key]));
    if (field == nullptr) continue;
    const std::size_t numbers = field->form == CounterForm::kGauge ? 1 : 2;
    if (key + numbers >= tokens_.size()) break;
    const auto before = to_number<std::uint64_t>(tokens_[key + 1]);
    const auto after = to_number<std::uint64_t>(tokens_[key + numbers]);
    if (!before || !after) return unlikely(fmt::format("no number after `{}` of {}", tokens_[key], device));
    add_value(field->ours, field->form, *before * field->times, *after * field->times);
    key += numbers;
  }
  if (names_.empty()) return unlikely(fmt::format("no counter of {}", device));
  return {};
}

Status SadfRawReader::store(DeviceKind kind, const std::string& device, bool fresh) {
  Series& series = series_[device];
  if (series.record == record_) return unlikely(fmt::format("two devices named {} in one sample", device));
  if (series.names.empty()) series.names = names_;
  if (series.names != names_) return unlikely(fmt::format("other counters of {} than before", device));
  const bool after_baseline = record_ == boot_record_;
  if (!fresh && !after_baseline && !of_host_ && (series.record + 1 != record_ || series.values != before_)) {
    return unlikely(fmt::format("counters of {} at {} that do not follow from the sample before", device,
                                to_iso8601(current_->stamp.time)));
  }
  if (!fresh && after_baseline) emit(series, kind, device, true);
  emit(series, kind, device, false);
  series.values = after_;
  series.record = record_;
  ++samples_;
  return {};
}

void SadfRawReader::emit(Series& series, DeviceKind kind, const std::string& device, bool previous) {
  const SampleClock::Stamp& stamp = (previous ? *baseline_ : *current_).stamp;
  const StreamId stream = collector_.stream(host_, kind, stamp.boot);
  if (stream != series.stream) {
    series.stream = stream;
    series.columns.clear();
    for (std::size_t i = 0; i < names_.size(); ++i) {
      series.columns.push_back(collector_.column(stream, device, {std::string(names_[i]), forms_[i]}));
    }
  }
  const std::vector<std::uint64_t>& values = previous ? before_ : after_;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (previous && forms_[i] == CounterForm::kGauge)
      continue;  // Only counters are told of the sample before.
    collector_.add(stream, series.columns[i], stamp.time, values[i]);
  }
  first_ = first_ ? std::min(*first_, stamp.time) : stamp.time;
  last_ = last_ ? std::max(*last_, stamp.time) : stamp.time;
}

}  // namespace laggard::collect
