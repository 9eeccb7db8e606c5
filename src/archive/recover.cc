#include "archive/recover.h"

#include <algorithm>

#include "archive/file_set.h"
#include "archive/format.h"
#include "archive/inventory.h"
#include "archive/salvage.h"
#include "archive/table_reader.h"
#include "archive/writer.h"

namespace laggard::archive {

namespace {

namespace fs = std::filesystem;

/// The file whose write-ahead log this is, or the path itself.
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
  for (const fs::path& folder : {path, path / kStreamFolder}) {
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
  Recoverer(Writer& writer, bool single) : writer_(writer), single_(single) {}

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
    const bool sound = inventory && inventory->notices.empty() && !one.files().empty();
    if (sound) return copy(one, *inventory);
    const std::vector<std::string>& absent = one.absent();
    recovery_.lost.insert(recovery_.lost.end(), absent.begin(), absent.end());
    return salvage(path);
  }

  Recovery finish() {
    recovery_.cells = writer_.stats().cells_added;
    return std::move(recovery_);
  }

 private:
  Status copy(FileSet& files, const Inventory& inventory) {
    for (const DeviceInfo& device : inventory.devices) {
      if (Status described = writer_.describe(device); !described) return described;
    }
    const std::unique_ptr<TableReader> reader = make_table_reader(files, {});
    for (;;) {
      Result<std::optional<SampleTable>> table = reader->next();
      if (!table) return forward(table);
      if (!table->has_value()) break;
      if (Status added = writer_.append(**table); !added) return added;
    }
    std::vector<Gap> notes;
    for (const ClockStep& step : inventory.clock_steps) {
      notes.push_back({.host = step.host, .from = step.before, .to = step.after, .reason = step.reason});
    }
    for (const Gap& gap : inventory.gaps) {
      if (!gap.reason.starts_with(kClockStepped)) notes.push_back(gap);
    }
    return note_gaps(notes);
  }

  Status note_gaps(const std::vector<Gap>& gaps) {
    for (const Gap& gap : gaps) {
      if (gap.reason.empty()) continue;
      if (Status noted = writer_.note_gap(gap); !noted) return noted;
    }
    return {};
  }

  Status give_up(const fs::path& path, std::string_view why) {
    ++recovery_.damaged_files;
    recovery_.lost.push_back(fmt::format("{}: {}", path.string(), why));
    return {};
  }

  Status salvage(const fs::path& path) {
    Result<Salvage> found = salvage_file(path);
    // What cannot be read must not keep the rest from being saved.
    if (!found) return give_up(path, found.error().what);
    ++recovery_.damaged_files;
    for (const auto& [fact, value] : found->facts) {
      DeviceInfo device;
      device.host = found->host;
      device.kind = *device_kind(fact.kind);
      device.device = fact.device;
      device.facts = {{fact.key, value}};
      if (device.host.empty()) continue;
      if (Status described = writer_.describe(device); !described) return described;
    }
    for (const SampleTable& table : found->tables) {
      if (Status added = writer_.append(table); !added) return added;
    }
    std::vector<Gap> gaps;
    for (const GapRow& gap : found->gaps) {
      gaps.push_back({.host = found->host, .from = gap.first, .to = gap.last, .reason = gap.reason});
    }
    report(path, *found, gaps);
    return note_gaps(gaps);
  }

  void report(const fs::path& path, const Salvage& found, std::vector<Gap>& gaps) {
    if (found.tables.empty()) {
      recovery_.lost.push_back(fmt::format("{}: nothing could be found in this file", path.string()));
    }
    for (const LostBlock& lost : found.lost) {
      recovery_.lost.push_back(fmt::format(
          "{}: {} samples from {} to {}: {} lost", path.string(), lost.kind, to_iso8601(lost.earliest),
          to_iso8601(lost.latest), lost.what == "all counters" ? "all counters are" : lost.what + " is"));
      gaps.push_back(
          {.host = found.host, .from = lost.earliest, .to = lost.latest, .reason = "damaged block"});
    }
    report_holes(path, found);
    if (found.cut && !found.tables.empty()) {
      WallTime last = WallTime::min();
      for (const SampleTable& table : found.tables) last = std::max(last, std::ranges::max(table.times()));
      recovery_.lost.push_back(fmt::format("{}: the file was cut; what was recorded after {} is lost",
                                           path.string(), to_iso8601(last)));
    }
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

  /// Stretches between what was found, longer than any rhythm explains, of which no trace is left.
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

  Writer& writer_;
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
  WriterOptions options;
  options.flush_interval = Duration::zero();
  options.existing = Existing::kSkipEqual;
  Result<std::unique_ptr<Writer>> writer = Writer::open(out, options, clock);
  if (!writer) return forward(writer);
  Recoverer recoverer{**writer, files.size() == 1};
  for (const fs::path& file : files) {
    Status added = recoverer.add(file);
    if (added) continue;
    // A part must not pass for the whole, and the same words may be typed once more: the folder was empty, so
    // that all in it is ours.
    writer->reset();
    fs::remove_all(out / kStreamFolder, error);
    fs::remove(out, error);
    return forward(added);
  }
  if (Status closed = (*writer)->close(); !closed) return forward(closed);
  return recoverer.finish();
}

}  // namespace laggard::archive
