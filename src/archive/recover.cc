#include "archive/recover.h"

#include <algorithm>

#include "archive/file_set.h"
#include "archive/file_set_readers.h"
#include "archive/format.h"
#include "archive/salvage.h"
#include "archive/writer.h"

namespace laggard::archive {

namespace {

namespace fs = std::filesystem;

/// The file that this is the write-ahead log of, or the path itself.
fs::path database_of(const fs::path& path) {
  constexpr std::string_view kLog = "-wal";
  const std::string name = path.string();
  const bool is_log = name.ends_with(std::string(kFileSuffix) + std::string(kLog));
  return is_log ? fs::path(name.substr(0, name.size() - kLog.size())) : path;
}

Status collect_files(const fs::path& path, std::vector<fs::path>& files) {
  std::error_code error;
  if (!fs::exists(path, error))
    return fail(ErrorCode::kNotFound, path.string(), "there is no such recording");
  if (!fs::is_directory(path, error)) {
    files.push_back(database_of(path));
    return {};
  }
  std::vector<fs::path> found;
  std::vector<fs::path> folders{path};
  for (const Stream stream : kStreams) folders.push_back(path / folder_of(stream));
  for (const fs::path& folder : folders) {
    if (!fs::is_directory(folder, error)) continue;
    for (fs::directory_iterator at{folder, error}, end; !error && at != end; at.increment(error)) {
      const fs::path file = database_of(at->path());
      if (file.filename().string().ends_with(kFileSuffix)) found.push_back(file);
    }
    if (error) return fail_errno(error.value(), folder.string(), "cannot list the folder");
  }
  std::ranges::sort(found);
  found.erase(std::unique(found.begin(), found.end()), found.end());
  files.insert(files.end(), found.begin(), found.end());
  return {};
}

class Recoverer {
 public:
  Recoverer(fs::path out, Clock& clock, bool single)
      : out_(std::move(out)), clock_(clock), observations_(out_, options(), clock), single_(single) {}

  Status add(const fs::path& path) {
    ++recovery_.files;
    FileSet one{ReaderOptions{.verify = true}};
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (fs::exists(status) && !fs::is_regular_file(status)) return give_up(path, "is no file");
    Status opened = fs::exists(status) ? one.add(path) : Status{};
    if (opened) opened = one.name_foreign_files();
    const bool other_version =
        !opened && (opened.error().code == ErrorCode::kTooOld || opened.error().code == ErrorCode::kTooNew);
    if (other_version && !single_) {
      return give_up(path, opened.error().what);
    }
    if (!opened && opened.error().code != ErrorCode::kBadInput) return opened;
    Result<Inventory> inventory = take_inventory(one, true);
    if (!inventory && inventory.error().code != ErrorCode::kDamaged) return forward(inventory);
    if (Result<std::vector<ObservationStream>> listed = list_observations(one, true); !listed) {
      if (listed.error().code != ErrorCode::kDamaged) return forward(listed);
      one.notice(listed.error().message());
    }
    const bool sound = inventory && one.notices().empty() && !one.files().empty();
    if (sound) return copy(one, *inventory);
    const std::vector<std::string>& absent = one.absent();
    recovery_.lost.insert(recovery_.lost.end(), absent.begin(), absent.end());
    return salvage(path);
  }

  Result<Recovery> finish() {
    if (writer_ != nullptr) {
      if (Status closed = writer_->close(); !closed) return forward(closed);
      recovery_.cells = writer_->stats().cells_added;
    }
    if (Status closed = observations_.close(); !closed) return forward(closed);
    recovery_.observations = observations_.stats().rows_added;
    return std::move(recovery_);
  }

 private:
  static WriterOptions options() {
    WriterOptions options;
    options.flush_interval = Duration::zero();
    options.existing = Existing::kSkipEqual;
    return options;
  }

  /// Made with the first samples, so that a recording of events alone gets no empty folder for them.
  Result<Writer*> samples() {
    if (writer_ == nullptr) {
      Result<std::unique_ptr<Writer>> writer = Writer::open(out_, options(), clock_);
      if (!writer) return forward(writer);
      writer_ = std::move(*writer);
    }
    return writer_.get();
  }

  Status copy(FileSet& files, const Inventory& inventory) {
    if (files.files().front().stream != Stream::kMetrics) return copy_observations(files);
    Result<Writer*> writer = samples();
    if (!writer) return forward(writer);
    for (const DeviceInfo& device : inventory.devices) {
      if (Status described = (*writer)->describe(device); !described) return described;
    }
    const std::unique_ptr<TableReader> reader = make_table_reader(files, {});
    for (;;) {
      Result<std::optional<SampleTable>> table = reader->next();
      if (!table) return forward(table);
      if (!table->has_value()) break;
      if (Status added = (*writer)->append(**table); !added) return added;
    }
    std::vector<Gap> notes;
    for (const ClockStep& step : inventory.clock_steps) {
      notes.push_back({.host = step.host, .from = step.before, .to = step.after, .reason = step.reason});
    }
    for (const Gap& gap : inventory.gaps) {
      if (!gap.reason.starts_with(kClockStepped)) notes.push_back(gap);
    }
    return note_gaps(Stream::kMetrics, notes);
  }

  Status copy_observations(FileSet& files) {
    const Stream stream = files.files().front().stream;
    Status copied = stream == Stream::kEvents
                        ? copy_tables(*make_observation_reader<EventTable>(files, {}))
                        : copy_tables(*make_observation_reader<ProfileTable>(files, {}));
    if (!copied) return copied;
    Result<DayFile*> file = files.open(0);
    if (!file) return forward(file);
    Result<Notes> notes = (*file)->notes(files.codec());
    if (!notes) return forward(notes);
    return note_gaps(stream, gaps_of(files.files().front().host, notes->gaps));
  }

  template <typename Table>
  Status copy_tables(ObservationReader<Table>& reader) {
    for (;;) {
      Result<std::optional<Table>> table = reader.next();
      if (!table) return forward(table);
      if (!table->has_value()) return {};
      if (Status added = observations_.append(**table); !added) return added;
    }
  }

  static std::vector<Gap> gaps_of(const std::string& host, const std::vector<GapRow>& rows) {
    std::vector<Gap> gaps;
    gaps.reserve(rows.size());
    for (const GapRow& gap : rows) {
      gaps.push_back({.host = host, .from = gap.first, .to = gap.last, .reason = gap.reason});
    }
    return gaps;
  }

  Status note_gaps(Stream stream, const std::vector<Gap>& gaps) {
    for (const Gap& gap : gaps) {
      if (gap.reason.empty() || gap.host.empty()) continue;
      if (Status noted = note_gap(stream, gap); !noted) return noted;
    }
    return {};
  }

  Status note_gap(Stream stream, const Gap& gap) {
    if (stream != Stream::kMetrics) {
      const bool events = stream == Stream::kEvents;
      return observations_.note_gap(events ? ObservationShape::kEvents : ObservationShape::kProfiles, gap);
    }
    Result<Writer*> writer = samples();
    return writer ? (*writer)->note_gap(gap) : Status(forward(writer));
  }

  Status give_up(const fs::path& path, std::string_view why) {
    ++recovery_.damaged_files;
    recovery_.lost.push_back(fmt::format("{}: {}", path.string(), why));
    return {};
  }

  Status salvage(const fs::path& path) {
    Result<Salvage> found = salvage_file(path);
    // A file that cannot be read must not prevent the rest from being saved.
    if (!found) return give_up(path, found.error().what);
    ++recovery_.damaged_files;
    if (Status written = write_samples(*found); !written) return written;
    for (const Batch& batch : found->observations) {
      const auto* events = std::get_if<EventTable>(&batch);
      Status added = events != nullptr ? observations_.append(*events)
                                       : observations_.append(std::get<ProfileTable>(batch));
      if (!added) return added;
    }
    std::vector<Gap> gaps = gaps_of(found->host, found->gaps);
    report(path, *found, gaps);
    return note_gaps(found->stream, gaps);
  }

  Status write_samples(const Salvage& found) {
    if (found.tables.empty() && found.facts.empty()) return {};
    Result<Writer*> writer = samples();
    if (!writer) return forward(writer);
    for (const auto& [fact, value] : found.facts) {
      DeviceInfo device;
      device.host = found.host;
      device.kind = *device_kind(fact.kind);
      device.device = fact.device;
      device.facts = {{fact.key, value}};
      if (device.host.empty()) continue;
      if (Status described = (*writer)->describe(device); !described) return described;
    }
    for (const SampleTable& table : found.tables) {
      if (Status added = (*writer)->append(table); !added) return added;
    }
    return {};
  }

  void report(const fs::path& path, const Salvage& found, std::vector<Gap>& gaps) {
    const bool nothing = found.tables.empty() && found.observations.empty();
    if (nothing) {
      recovery_.lost.push_back(fmt::format("{}: nothing could be found in this file", path.string()));
    }
    for (const LostBlock& lost : found.lost) {
      recovery_.lost.push_back(fmt::format("{}: {} {} from {} to {}: {}", path.string(), lost.kind,
                                           things_of(found.stream), to_iso8601(lost.earliest),
                                           to_iso8601(lost.latest), what_is_lost(found.stream, lost)));
      gaps.push_back(
          {.host = found.host, .from = lost.earliest, .to = lost.latest, .reason = "damaged block"});
    }
    report_holes(path, found);
    if (found.cut && !nothing) {
      WallTime last = WallTime::min();
      for (const SampleTable& table : found.tables) last = std::max(last, std::ranges::max(table.times()));
      for (const Batch& batch : found.observations) last = std::max(last, extent_of(batch).to);
      recovery_.lost.push_back(fmt::format("{}: the file was cut; what was recorded after {} is lost",
                                           path.string(), to_iso8601(last)));
    }
  }

  static std::string what_is_lost(Stream stream, const LostBlock& lost) {
    if (stream != Stream::kMetrics) return lost.what;
    return lost.what + (lost.what == "all counters" ? " are lost" : " is lost");
  }

  /// Whether the file itself says that samples between `from` and `to` are gone.
  static bool names_a_loss(const Salvage& found, std::string_view kind, WallTime from, WallTime to) {
    return std::ranges::any_of(found.lost,
                               [&](const LostBlock& lost) {
                                 return lost.kind == kind && lost.earliest <= to && lost.latest >= from;
                               }) ||
           std::ranges::any_of(found.gaps,
                               [&](const GapRow& gap) { return gap.first <= to && gap.last >= from; });
  }

  /// Reports holes in what was found that are longer than the sampling interval explains and left no other
  /// trace.
  void report_holes(const fs::path& path, const Salvage& found) {
    std::map<DeviceKind, std::vector<std::pair<WallTime, WallTime>>> spans;
    std::map<DeviceKind, Duration> beats;
    for (const SampleTable& table : found.tables) {
      const auto [first, last] = std::ranges::minmax(table.times());
      spans[table.kind()].emplace_back(first, last);
      if (table.times().size() < 2) continue;
      const Duration beat = (last - first) / static_cast<std::int64_t>(table.times().size() - 1);
      Duration& known = beats.try_emplace(table.kind(), beat).first->second;
      known = std::min(known, beat);
    }
    for (auto& [kind, list] : spans) {
      std::ranges::sort(list);
      WallTime end = list.front().second;
      for (const auto& [first, last] : list) {
        const bool explained = names_a_loss(found, to_name(kind), end, first);
        if (beats.contains(kind) && first - end > 3 * beats[kind] && !explained) {
          recovery_.lost.push_back(fmt::format("{}: no {} samples were found between {} and {}",
                                               path.string(), to_name(kind), to_iso8601(end),
                                               to_iso8601(first)));
        }
        end = std::max(end, last);
      }
    }
  }

  fs::path out_;
  Clock& clock_;
  std::unique_ptr<Writer> writer_;
  ObservationWriter observations_;
  bool single_;  ///< There is no other file.
  Recovery recovery_;
};

}  // namespace

Result<Recovery> recover(std::span<const fs::path> recordings, const fs::path& out, Clock& clock) {
  std::vector<fs::path> files;
  for (const fs::path& recording : recordings) {
    if (Status found = collect_files(recording, files); !found) return forward(found);
  }
  if (files.empty())
    return fail(ErrorCode::kNotFound, recordings.front().string(), "this folder holds no recording");
  std::error_code error;
  if (fs::exists(out, error) && !fs::is_empty(out, error)) {
    return fail(ErrorCode::kBadUse, out.string(),
                "this folder is not empty; name one that does not exist yet");
  }
  auto recoverer = std::make_unique<Recoverer>(out, clock, files.size() == 1);
  for (const fs::path& file : files) {
    Status added = recoverer->add(file);
    if (added) continue;
    // A part must not pass for the whole, and the user may repeat the command. The folder was empty, so
    // everything in it is ours.
    recoverer.reset();
    for (const Stream stream : kStreams) fs::remove_all(out / folder_of(stream), error);
    fs::remove(out, error);
    return forward(added);
  }
  return recoverer->finish();
}

}  // namespace laggard::archive
