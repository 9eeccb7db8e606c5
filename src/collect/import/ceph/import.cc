#include "collect/import/ceph/import.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <streambuf>
#include <system_error>
#include <utility>
#include <vector>

#include "base/node_set.h"
#include "base/text.h"
#include "collect/import/members.h"
#include "collect/import/sample_collector.h"
#include "model/background_work.h"

namespace laggard::collect {

namespace {

using Json = nlohmann::json;

/// CRUSH's placeholder where it found no OSD (CRUSH_ITEM_NONE).
constexpr std::uint64_t kNoOsd = 2147483647;
constexpr std::size_t kDeepestNesting = 32;  ///< Ceph nests six deep.
constexpr std::uint64_t kMoves = bit_of(CephWork::kRecovery) | bit_of(CephWork::kBackfill);

/// One document: each placement group is added to the work of its OSDs as it is parsed, so that a dump of any
/// size needs little memory.
class PgDocument final : public nlohmann::json_sax<Json> {
 public:
  std::map<std::int64_t, std::uint64_t> work;
  std::string stamp;
  bool has_groups = false;
  bool ready = true;
  bool too_deep = false;

  bool null() override { return true; }
  bool boolean(bool yes) override {
    if (depth_ == 1 && top().key == "pg_ready") ready = yes;
    return true;
  }
  bool number_integer(number_integer_t /*negative*/) override { return true; }
  bool number_unsigned(number_unsigned_t number) override {
    if (number < kNoOsd && depth_ >= 2 && !top().object) add_member(static_cast<std::int64_t>(number));
    return true;
  }
  bool number_float(number_float_t /*number*/, const string_t& /*text*/) override { return true; }
  bool string(string_t& text) override {
    if (depth_ == 0 || !top().object) return true;
    if (top().key == "state") top().state = text;
    if (top().key == "pgid") top().is_group = true;
    if (top().key == "stamp" && depth_ <= 2) stamp = text;
    return true;
  }
  bool binary(binary_t& /*bytes*/) override { return true; }
  bool start_object(std::size_t /*size*/) override { return enter(true); }
  bool start_array(std::size_t /*size*/) override { return enter(false); }
  bool key(string_t& name) override {
    top().key = name;
    has_groups = has_groups || name == "pg_stats";
    return true;
  }
  bool end_object() override {
    if (top().is_group) fold(top());
    --depth_;
    return true;
  }
  bool end_array() override {
    --depth_;
    return true;
  }
  bool parse_error(std::size_t /*position*/, const std::string& /*token*/,
                   const nlohmann::detail::exception& /*error*/) override {
    return false;
  }

 private:
  struct Container {
    bool object = false;
    bool is_group = false;
    std::string key;  ///< The last one of an object.
    std::string state;
    std::vector<std::int64_t> up;
    std::vector<std::int64_t> acting;
  };

  Container& top() { return containers_[depth_ - 1]; }

  bool enter(bool object) {
    if (depth_ == kDeepestNesting) {
      too_deep = true;
      return false;
    }
    if (containers_.size() == depth_) containers_.emplace_back();
    Container& entered = containers_[depth_++];
    entered.object = object;
    entered.is_group = false;
    entered.key.clear();
    entered.state.clear();
    entered.up.clear();
    entered.acting.clear();
    return true;
  }

  /// A number in an array.
  void add_member(std::int64_t osd) {
    Container& group = containers_[depth_ - 2];
    if (group.key == "up") group.up.push_back(osd);
    if (group.key == "acting") group.acting.push_back(osd);
  }

  /// Luminous prints a bare list of groups, without the key `pg_stats`.
  void fold(const Container& group) {
    has_groups = true;
    const std::uint64_t level = ceph_work_of(group.state);
    if (level == 0) return;
    for (const std::int64_t osd : group.acting) work[osd] |= level;
    if ((level & kMoves) == 0) return;
    for (const std::int64_t osd : group.up) work[osd] |= level & kMoves;
  }

  std::vector<Container> containers_;  ///< The first `depth_` are open; the others keep their memory.
  std::size_t depth_ = 0;
};

}  // namespace

std::uint64_t ceph_work_of(std::string_view state) {
  using enum CephWork;
  std::uint64_t level = 0;
  bool deep = false;
  for (const std::string_view part : split(state, '+')) {
    if (part == "scrubbing") level |= bit_of(kScrub);
    if (part == "repair") level |= bit_of(kRepair);
    if (part == "recovering") level |= bit_of(kRecovery);
    if (part == "backfilling" || part == "backfill") level |= bit_of(kBackfill);
    if (part == "snaptrim") level |= bit_of(kSnapTrim);
    deep = deep || part == "deep";
  }
  if (deep && (level & bit_of(kScrub)) != 0) level ^= bit_of(kScrub) | bit_of(kDeepScrub);
  return level;
}

/// A stream buffer over the text that counts lines.
class PgStates::Text final : public std::streambuf {
 public:
  explicit Text(Source source) : source_(std::move(source)), buffer_(std::size_t{64} << 10U) {}

  [[nodiscard]] std::size_t line() const { return 1 + lines_ + line_ends(gptr()); }
  [[nodiscard]] const Status& status() const { return status_; }

 protected:
  int_type underflow() override {
    if (gptr() < egptr()) return traits_type::to_int_type(*gptr());
    lines_ += line_ends(egptr());
    setg(nullptr, nullptr, nullptr);
    if (!status_) return traits_type::eof();
    Result<std::size_t> got = source_(buffer_);
    if (!got) status_ = forward(got);
    if (!status_ || *got == 0) return traits_type::eof();
    setg(buffer_.data(), buffer_.data(), buffer_.data() + *got);
    return traits_type::to_int_type(*gptr());
  }

 private:
  [[nodiscard]] std::size_t line_ends(const char* end) const {
    return static_cast<std::size_t>(std::count(static_cast<const char*>(eback()), end, '\n'));
  }

  Source source_;
  std::vector<char> buffer_;
  std::size_t lines_ = 0;  ///< Line ends before the buffer.
  Status status_;
};

PgStates::PgStates(Source source, std::string where)
    : where_(std::move(where)), text_(std::make_unique<Text>(std::move(source))), stream_(text_.get()) {}

PgStates::~PgStates() = default;

std::string PgStates::place() const { return fmt::format("{}:{}", where_, text_->line()); }

/// Reads a line outside of the documents: a time, or the `dumped …` of ceph's standard error.
Status PgStates::read_line() {
  constexpr std::size_t kLongest = 200;
  const std::string here = place();
  std::string line;
  for (int c = stream_.get(); c != '\n' && stream_ && line.size() < kLongest; c = stream_.get()) {
    line.push_back(static_cast<char>(c));
  }
  const std::string_view text = trim(line);
  if (text.starts_with("dumped ")) return {};
  if (text.front() < '0' || text.front() > '9') {
    return fail(ErrorCode::kBadInput, here, "is neither a time nor what `ceph pg dump -f json` prints");
  }
  Result<WallTime> time = parse_time(text);
  if (!time) return fail(ErrorCode::kBadInput, here, time.error().what);
  said_ = *time;
  return {};
}

Result<std::optional<CephSnapshot>> PgStates::read_document() {
  const std::string here = place();
  PgDocument document;
  const bool parsed = Json::sax_parse(stream_, &document, Json::input_format_t::json, false);
  if (!text_->status()) return tl::unexpected<Error>(text_->status().error());
  if (document.too_deep) return fail(ErrorCode::kBadInput, place(), "is nested deeper than Ceph does");
  if (!parsed) return fail(ErrorCode::kBadInput, place(), "is no JSON from here on");
  if (!document.has_groups) {
    return fail(ErrorCode::kBadInput, here, "is neither `ceph pg dump` nor `ceph pg ls` with -f json");
  }
  std::optional<WallTime> time = std::exchange(said_, std::nullopt);
  if (!document.stamp.empty()) {
    Result<WallTime> stamp = parse_time(document.stamp);
    if (!stamp) return fail(ErrorCode::kBadInput, here, stamp.error().what);
    time = *stamp;
  }
  if (!document.ready) {
    ++passed_over_;
    return std::nullopt;
  }
  if (!time) {
    return fail(ErrorCode::kBadInput, here,
                "a listing does not say when: write a line with the time before it (date -u +%FT%TZ)");
  }
  return CephSnapshot{*time, std::move(document.work)};
}

Result<std::optional<CephSnapshot>> PgStates::next() {
  while (true) {
    stream_ >> std::ws;
    const int first = stream_ ? stream_.peek() : std::istream::traits_type::eof();
    if (!text_->status()) return tl::unexpected<Error>(text_->status().error());
    if (first == std::istream::traits_type::eof()) return std::nullopt;
    if (first == '{' || first == '[') {
      auto snapshot = read_document();
      if (!snapshot || *snapshot) return snapshot;
      continue;
    }
    if (Status line = read_line(); !line) return forward(line);
  }
}

namespace {

class CephWorkImport {
 public:
  CephWorkImport(TableSink& sink, ImportObserver& observer, const UnpackLimits& limits)
      : sink_(sink), collector_(sink_), observer_(observer), limits_(limits) {}

  void place_osds(const OsdDisks& osds);
  [[nodiscard]] Status run(std::span<const std::filesystem::path> files);
  [[nodiscard]] ImportResult finish();

 private:
  struct Disk {
    StreamId stream;
    ColumnId column;
    std::uint64_t level = 0;  ///< In the snapshot at hand.
  };

  [[nodiscard]] Status read_file(const std::filesystem::path& file);
  [[nodiscard]] Status read_member(Members& members);
  void add(const CephSnapshot& snapshot);

  WatchedSink sink_;
  SampleCollector collector_;
  ImportObserver& observer_;
  UnpackLimits limits_;
  ImportState state_;
  ImportResult result_;
  std::uint64_t done_ = 0;  ///< Bytes of the files that are finished.
  std::vector<Disk> disks_;
  std::map<std::int64_t, std::size_t> disk_of_;  ///< By OSD.
  std::set<std::int64_t> homeless_;
  std::size_t passed_over_ = 0;
};

void CephWorkImport::place_osds(const OsdDisks& osds) {
  std::map<std::pair<std::string, std::string>, std::size_t> known;
  std::set<std::string> hosts;
  for (const auto& [id, place] : osds) {
    const auto [at, first] = known.try_emplace({place.host, place.disk}, disks_.size());
    disk_of_.emplace(id, at->second);
    if (!first) continue;
    hosts.insert(place.host);
    const StreamId stream = collector_.stream(place.host, DeviceKind::kDisk);
    const TableCounter counter{std::string(kCephWorkCounter), CounterForm::kGauge};
    disks_.push_back({stream, collector_.column(stream, place.disk, counter), 0});
  }
  result_.hosts = hosts.size();
}

void CephWorkImport::add(const CephSnapshot& snapshot) {
  for (Disk& disk : disks_) disk.level = 0;
  for (const auto& [osd, level] : snapshot.work) {
    const auto disk = disk_of_.find(osd);
    if (disk == disk_of_.end()) {
      homeless_.insert(osd);
    } else {
      disks_[disk->second].level |= level;
    }
  }
  for (const Disk& disk : disks_) collector_.add(disk.stream, disk.column, snapshot.time, disk.level);
  result_.first = result_.first ? std::min(*result_.first, snapshot.time) : snapshot.time;
  result_.last = result_.last ? std::max(*result_.last, snapshot.time) : snapshot.time;
}

Status CephWorkImport::read_member(Members& members) {
  PgStates states([&](std::span<char> buffer) { return members.read(buffer); }, members.where());
  bool any = false;
  while (true) {
    auto snapshot = states.next();
    state_.done = done_ + members.consumed();
    state_.values = collector_.values();
    observer_.progress(state_);
    if (!snapshot) return forward(snapshot);
    if (!*snapshot) break;
    add(**snapshot);
    result_.sources += any ? 0 : 1;
    any = true;
    if (!collector_.full()) continue;
    if (Status flushed = collector_.flush_older(); !flushed) return flushed;
  }
  passed_over_ += states.passed_over();
  if (any || states.passed_over() > 0) return {};
  return fail(ErrorCode::kBadInput, members.where(), "is empty");
}

Status CephWorkImport::read_file(const std::filesystem::path& file) {
  return read_members(file, limits_, [&](Members& members) { return read_member(members); });
}

Status CephWorkImport::run(std::span<const std::filesystem::path> files) {
  const auto size_of = [](const std::filesystem::path& file) -> std::uint64_t {
    std::error_code unknown;
    const auto size = std::filesystem::file_size(file, unknown);
    return unknown ? 0 : size;
  };
  for (const auto& file : files) state_.total += size_of(file);
  for (const auto& file : files) {
    state_.source = file.string();
    if (Status read = read_file(file); !read) {
      // A failed sink ends the import: it would only fail again.
      if (sink_.failed()) return read;
      result_.errors.push_back(read.error());
    }
    done_ += size_of(file);
  }
  return collector_.flush_all();
}

ImportResult CephWorkImport::finish() {
  if (!homeless_.empty()) {
    std::vector<std::string> names;
    for (const std::int64_t osd : homeless_) names.push_back(fmt::format("osd.{}", osd));
    observer_.notice(
        fmt::format("OSDs that worked, on no known disk, were left out: {}", fold_node_set(names)));
  }
  if (passed_over_ > 0) {
    observer_.notice(fmt::format(
        "snapshots of a manager that had not heard of all placement groups were left out: {}", passed_over_));
  }
  result_.values = collector_.values();
  return std::move(result_);
}

}  // namespace

Result<ImportResult> import_ceph_work(std::span<const std::filesystem::path> files, const OsdDisks& osds,
                                      TableSink& sink, ImportObserver& observer, const UnpackLimits& limits) {
  CephWorkImport import(sink, observer, limits);
  import.place_osds(osds);
  if (Status status = import.run(files); !status) return forward(status);
  return import.finish();
}

}  // namespace laggard::collect
