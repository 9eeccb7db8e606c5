#include "archive/writer.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <unordered_set>

#include "archive/file_name.h"
#include "archive/file_writer.h"
#include "archive/format.h"
#include "archive/join.h"
#include "archive/lock.h"
#include "base/fd.h"

namespace laggard::archive {

namespace {

/// Makes the new name in a directory survive a power cut.
Status sync_directory(const std::filesystem::path& directory) {
  const Fd fd{::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (!fd.valid()) return fail_errno(errno, directory.string(), "cannot open");
  // Some file systems cannot sync a directory and say so; then there is nothing to be done.
  if (::fsync(fd.get()) != 0 && errno != EINVAL) return fail_errno(errno, directory.string(), "cannot sync");
  return {};
}

Status make_directory(const std::filesystem::path& directory) {
  std::error_code error;
  if (std::filesystem::is_directory(directory, error)) return {};
  if (directory.has_parent_path() && directory.parent_path() != directory) {
    if (Status made = make_directory(directory.parent_path()); !made) return made;
  }
  std::filesystem::create_directory(directory, error);
  if (error) return fail_errno(error.value(), directory.string(), "cannot create the folder");
  return sync_directory(directory.has_parent_path() ? directory.parent_path() : ".");
}

template <typename Names>
bool has_duplicates(const Names& names) {
  std::unordered_set<std::string_view> seen;
  return std::ranges::any_of(names, [&](const std::string& name) { return !seen.insert(name).second; });
}

Status check_host(const std::string& host) {
  constexpr std::size_t kLongestFileHost = 200;
  if (host.empty())
    return fail(ErrorCode::kBadInput, "", "samples without a host name; give one with --host");
  if (escape_host(host).size() > kLongestFileHost) {
    return fail(ErrorCode::kBadInput, "", fmt::format("host name '{}…' is too long", host.substr(0, 40)));
  }
  return {};
}

/// Refuses what a block could not hold or a reader would refuse.
Status check_table(const SampleTable& table) {
  if (Status host = check_host(table.host()); !host) return host;
  const auto refuse = [&](std::string_view what) {
    return fail(ErrorCode::kBadInput, "", fmt::format("samples of host {}: {}", table.host(), what));
  };
  const auto too_long = [](const std::string& name) { return name.size() > kMaxNameBytes; };
  if (table.counters().size() > kMaxCounters) return refuse("too many different counters");
  if (table.devices().size() > kMaxDevices ||
      table.devices().size() * table.counters().size() > kMaxSampleCells) {
    return refuse("too many devices");
  }
  std::vector<std::string> counters;
  for (const TableCounter& counter : table.counters()) counters.push_back(counter.name);
  if (has_duplicates(counters) || has_duplicates(table.devices())) {
    return refuse("a device or counter is named twice at one time");
  }
  if (std::ranges::any_of(counters, too_long) || std::ranges::any_of(table.devices(), too_long) ||
      too_long(table.boot())) {
    return refuse("a name is longer than 4096 bytes");
  }
  return {};
}

}  // namespace

class Writer::Impl {
 public:
  Impl(std::filesystem::path folder, const WriterOptions& options, Clock& clock)
      : folder_(std::move(folder)), options_(options), clock_(clock), codec_(options.zstd_level) {}

  Status append(const SampleTable& table);
  Status describe(const DeviceInfo& device);
  Status note_gap(const Gap& gap);
  Status flush();
  Status close();
  [[nodiscard]] const WriteStats& stats() const { return stats_; }

 private:
  struct OpenFile {
    std::unique_ptr<FileWriter> writer;
    std::optional<HostLock> lock;  ///< Of the host; the first of its open files holds it.
    std::uint64_t used = 0;
  };

  Status append_rows(const SampleTable& table, std::size_t begin, std::size_t end);
  Result<FileWriter*> writer_for(const SampleTable& table, WallTime t);
  Result<FileWriter*> add_writer(const FileIdentity& identity, std::int64_t day);
  Result<std::unique_ptr<DayFile>> open_file(const FileIdentity& identity, std::int64_t day, WallTime first);
  Result<std::unique_ptr<DayFile>> find_file(const FileIdentity& identity, std::int64_t day);
  Status close_others(const FileWriter& keep);
  Status close_least_used();
  Status bound_pending();
  [[nodiscard]] std::size_t pending_bytes() const;
  Status finish(std::size_t index);
  Status flush_when_due();
  Status lock_host(const std::string& host, OpenFile& open);

  std::filesystem::path folder_;
  WriterOptions options_;
  Clock& clock_;
  ZstdCodec codec_;
  WriteStats stats_;
  std::vector<OpenFile> files_;
  std::map<std::string, Facts> facts_;
  std::uint64_t order_ = 0;
  std::optional<MonoTime> due_;  ///< When the oldest pending sample must be on disk.
  bool disk_full_ = false;
};

Status Writer::Impl::append(const SampleTable& table) {
  if (Status ok = check_table(table); !ok) return ok;
  const std::size_t rows = table.times().size();
  const std::size_t width = std::max<std::size_t>(1, table.devices().size() * table.counters().size());
  if (rows == 0 || table.cells() == 0) return {};
  const std::size_t most = std::min(kBlockSamples, std::max<std::size_t>(1, kMaxBlockCells / width));
  Status result;
  for (std::size_t begin = 0; begin < rows;) {
    const std::int64_t day = recording_day(table.times()[begin]);
    std::size_t end = begin + 1;
    while (end < rows && end - begin < most && recording_day(table.times()[end]) == day) ++end;
    // A full disk must not keep the rest of the table from being held in memory.
    Status added = append_rows(table, begin, end);
    if (!added && added.error().code != ErrorCode::kNoSpace) return added;
    if (!added) result = added;
    begin = end;
  }
  const Status flushed = flush_when_due();
  return flushed ? result : flushed;
}

Status Writer::Impl::append_rows(const SampleTable& table, std::size_t begin, std::size_t end) {
  Result<FileWriter*> writer = writer_for(table, table.times()[begin]);
  if (!writer) return forward(writer);
  const bool whole = begin == 0 && end == table.times().size();
  (*writer)->add(whole ? table : slice(table, begin, end), ++order_);
  if (options_.flush_interval > Duration::zero() && !due_) due_ = clock_.mono() + options_.flush_interval;
  if (Status open = disk_full_ ? Status{} : (*writer)->ensure_open();
      !open && open.error().code != ErrorCode::kNoSpace) {
    const auto bad =
        std::ranges::find_if(files_, [&](const OpenFile& f) { return f.writer.get() == *writer; });
    files_.erase(bad);
    return open;
  }
  if (options_.existing == Existing::kAppend) {
    if (Status closed = close_others(**writer); !closed && closed.error().code != ErrorCode::kNoSpace)
      return closed;
  }
  if ((*writer)->has_full_block() && !disk_full_) {
    if (Status flushed = (*writer)->flush(stats_); !flushed) {
      disk_full_ = flushed.error().code == ErrorCode::kNoSpace;
      if (!disk_full_) return flushed;
    }
  }
  return bound_pending();
}

Result<FileWriter*> Writer::Impl::writer_for(const SampleTable& table, WallTime t) {
  const FileIdentity identity{.host = table.host(), .boot = table.boot()};
  const std::int64_t day = recording_day(t);
  OpenFile* found = nullptr;
  for (OpenFile& open : files_) {
    if (open.writer->identity() != identity) continue;
    if (open.writer->day() == day) {
      found = &open;
      break;
    }
    // Only a recorder meets clocks that are set back; an import must find each sample's file again.
    if (options_.existing == Existing::kAppend && stays_in_day(t, open.writer->day())) found = &open;
  }
  if (found == nullptr) return add_writer(identity, day);
  found->used = order_;
  return found->writer.get();
}

Result<FileWriter*> Writer::Impl::add_writer(const FileIdentity& identity, std::int64_t day) {
  if (files_.size() >= options_.max_open_files) {
    // When the disk is full it stays open, one file too many, rather than lose what waits in it.
    Status closed = close_least_used();
    if (!closed && closed.error().code != ErrorCode::kNoSpace) return forward(closed);
  }
  OpenFile open;
  if (Status locked = lock_host(identity.host, open); !locked) return forward(locked);
  open.writer = std::make_unique<FileWriter>(
      identity, day, options_.existing,
      [this, identity, day](WallTime first) { return open_file(identity, day, first); }, codec_);
  open.used = order_;
  if (const auto facts = facts_.find(identity.host); facts != facts_.end())
    open.writer->set_facts(facts->second);
  files_.push_back(std::move(open));
  return files_.back().writer.get();
}

Status Writer::Impl::lock_host(const std::string& host, OpenFile& open) {
  const bool ours =
      std::ranges::any_of(files_, [&](const OpenFile& f) { return f.writer->identity().host == host; });
  if (ours) return {};
  Result<HostLock> lock = HostLock::acquire(folder_, host);
  // No room for a lock file is no room for samples either: the flush will say so.
  if (!lock && lock.error().code == ErrorCode::kNoSpace) return {};
  if (!lock) return forward(lock);
  open.lock = std::move(*lock);
  return {};
}

Result<std::unique_ptr<DayFile>> Writer::Impl::open_file(const FileIdentity& identity, std::int64_t day,
                                                         WallTime first) {
  Result<std::unique_ptr<DayFile>> found = find_file(identity, day);
  if (!found || *found != nullptr) return found;
  FileName name{.host = identity.host, .start = first, .copy = 1};
  for (;; ++name.copy) {
    const std::filesystem::path path = folder_ / to_file_name(name);
    std::error_code error;
    if (std::filesystem::exists(path, error)) {
      // Taken by another boot, unless a crash left it before anything was committed.
      Result<std::unique_ptr<DayFile>> taken = DayFile::open_for_reading(path, options_.vfs);
      if (taken || taken.error().code != ErrorCode::kNotFound) continue;
    }
    Result<std::unique_ptr<DayFile>> file = DayFile::create(path, identity, options_.vfs);
    if (!file) return file;
    if (Status synced = sync_directory(folder_); !synced) return forward(synced);
    return file;
  }
}

Result<std::unique_ptr<DayFile>> Writer::Impl::find_file(const FileIdentity& identity, std::int64_t day) {
  std::vector<std::filesystem::path> candidates;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder_, error)) {
    const std::optional<FileName> name = parse_file_name(entry.path().filename().string());
    if (!name || name->host != identity.host) continue;
    if (recording_day(name->start) == day) candidates.push_back(entry.path());
  }
  if (error) return fail_errno(error.value(), folder_.string(), "cannot list the folder");
  std::ranges::sort(candidates);
  for (const std::filesystem::path& path : candidates) {
    Result<std::unique_ptr<DayFile>> file = DayFile::open_for_reading(path, options_.vfs);
    if (!file) {
      const ErrorCode code = file.error().code;
      // Nothing is appended to a damaged file: a new one is begun beside it. A recorder also does so beside
      // what it wrote before it was upgraded; an import could not know what is there already.
      const bool recorder = options_.existing == Existing::kAppend;
      if (code == ErrorCode::kNotFound || code == ErrorCode::kDamaged || code == ErrorCode::kBadInput ||
          (code == ErrorCode::kTooOld && recorder)) {
        continue;
      }
      return file;
    }
    if ((*file)->identity() != identity) continue;
    const Result<std::vector<BlockRow>> rows = (*file)->rows();
    if (!rows && rows.error().code == ErrorCode::kDamaged) continue;
    file->reset();
    return DayFile::open_for_writing(path, options_.vfs);
  }
  return std::unique_ptr<DayFile>{};
}

Status Writer::Impl::finish(std::size_t index) {
  if (Status done = files_[index].writer->finish(stats_); !done) return done;
  const std::string host = files_[index].writer->identity().host;
  std::optional<HostLock> lock = std::move(files_[index].lock);
  files_.erase(files_.begin() + static_cast<std::ptrdiff_t>(index));
  if (!lock) return {};
  const auto heir =
      std::ranges::find_if(files_, [&](const OpenFile& f) { return f.writer->identity().host == host; });
  if (heir != files_.end()) heir->lock = std::move(lock);
  return {};
}

Status Writer::Impl::close_others(const FileWriter& keep) {
  for (std::size_t i = files_.size(); i-- > 0;) {
    const FileWriter& other = *files_[i].writer;
    if (&other == &keep || other.identity().host != keep.identity().host) continue;
    if (Status done = finish(i); !done) return done;
  }
  return {};
}

Status Writer::Impl::close_least_used() {
  const auto least = std::ranges::min_element(files_, {}, &OpenFile::used);
  return finish(static_cast<std::size_t>(least - files_.begin()));
}

std::size_t Writer::Impl::pending_bytes() const {
  std::size_t sum = 0;
  for (const OpenFile& open : files_) sum += open.writer->pending_bytes();
  return sum;
}

Status Writer::Impl::bound_pending() {
  if (pending_bytes() <= options_.max_pending_bytes) return {};
  Status flushed = flush();
  if (flushed || flushed.error().code != ErrorCode::kNoSpace) return flushed;
  while (pending_bytes() > options_.max_pending_bytes) {
    const auto oldest = std::ranges::min_element(files_, {}, [](const OpenFile& open) {
      return open.writer->oldest().value_or(std::numeric_limits<std::uint64_t>::max());
    });
    stats_.samples_lost += oldest->writer->drop_oldest();
  }
  return flushed;
}

Status Writer::Impl::flush_when_due() {
  if (!due_ || clock_.mono() < *due_) return {};
  return flush();
}

Status Writer::Impl::flush() {
  Status result;
  due_.reset();
  for (OpenFile& open : files_) {
    if (Status flushed = open.writer->flush(stats_); !flushed && result) result = flushed;
  }
  disk_full_ = !result && result.error().code == ErrorCode::kNoSpace;
  if (disk_full_ && options_.flush_interval > Duration::zero())
    due_ = clock_.mono() + options_.flush_interval;
  return result;
}

Status Writer::Impl::close() {
  Status result = flush();
  if (!result) return result;
  while (!files_.empty()) {
    if (Status done = finish(files_.size() - 1); !done) return done;
  }
  return {};
}

Status Writer::Impl::describe(const DeviceInfo& device) {
  if (Status host = check_host(device.host); !host) return host;
  const auto too_long = [](const auto& fact) {
    return fact.first.size() > kMaxNameBytes || fact.second.size() > kMaxFactBytes;
  };
  if (device.device.size() > kMaxNameBytes || std::ranges::any_of(device.facts, too_long)) {
    return fail(ErrorCode::kBadInput, "",
                fmt::format("a fact of a device of host {} is longer than any can be", device.host));
  }
  Facts& facts = facts_[device.host];
  for (const auto& [key, value] : device.facts) {
    facts[{.kind = std::string(to_name(device.kind)), .device = device.device, .key = key}] = value;
  }
  for (OpenFile& open : files_) {
    if (open.writer->identity().host == device.host) open.writer->set_facts(facts);
  }
  return {};
}

Status Writer::Impl::note_gap(const Gap& gap) {
  for (OpenFile& open : files_) {
    if (open.writer->identity().host != gap.host) continue;
    open.writer->add_gap({.first = gap.from, .last = gap.to, .lost = 0, .reason = gap.reason});
    return {};
  }
  return {};  // Nothing of this host was recorded yet, so there is nothing the gap could be in.
}

Writer::Writer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Writer::~Writer() { static_cast<void>(impl_->close()); }

Result<std::unique_ptr<Writer>> Writer::open(const std::filesystem::path& directory,
                                             const WriterOptions& options, Clock& clock) {
  const std::filesystem::path folder = directory / kStreamFolder;
  if (Status made = make_directory(folder); !made) return forward(made);
  return std::unique_ptr<Writer>{new Writer(std::make_unique<Impl>(folder, options, clock))};
}

Status Writer::append(const SampleTable& table) { return impl_->append(table); }
Status Writer::describe(const DeviceInfo& device) { return impl_->describe(device); }
Status Writer::note_gap(const Gap& gap) { return impl_->note_gap(gap); }
Status Writer::flush() { return impl_->flush(); }
Status Writer::close() { return impl_->close(); }
WriteStats Writer::stats() const { return impl_->stats(); }

}  // namespace laggard::archive
