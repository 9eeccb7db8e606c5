#include "collect/import/ceph/import.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <system_error>
#include <utility>

#include "base/node_set.h"
#include "collect/import/ceph/pg_states.h"
#include "collect/import/members.h"
#include "collect/import/sample_collector.h"
#include "model/ceph_work.h"

namespace laggard::collect {

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
  std::uint64_t done_ = 0;  ///< Bytes of the files that are behind us.
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
    const TableCounter counter{std::string(kCephWorkCounter), CounterForm::kLevel};
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
  // A damaged file is refused before its first value is taken.
  Result<std::vector<std::string>> names = list_members(file, limits_);
  if (!names) return forward(names);
  Result<Members> members = Members::open(file, limits_);
  if (!members) return forward(members);
  for (bool any = false;; any = true) {
    Result<std::optional<Members::Member>> member = members->next();
    if (!member) return forward(member);
    if (!*member) return any ? Status{} : fail(ErrorCode::kBadInput, file.string(), "is empty");
    if (Status read = read_member(*members); !read) return read;
  }
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
      // The sink's own failure ends the import: it would only fail again.
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
