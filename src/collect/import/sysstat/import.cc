#include "collect/import/sysstat/import.h"

#include <algorithm>
#include <map>
#include <set>
#include <system_error>
#include <utility>

#include "base/file.h"
#include "base/text.h"
#include "collect/import/members.h"
#include "collect/import/sample_collector.h"
#include "collect/import/sysstat/sadf.h"
#include "collect/import/unpack.h"

namespace laggard::collect {

namespace {

/// Notices about the members of one archive.
constexpr std::size_t kMostNotices = 20;

/// sysstat's magic number 0xd596 in either byte order.
bool looks_like_sa(std::string_view head) {
  return head.starts_with("\x96\xd5") || head.starts_with("\xd5\x96");
}

struct Activity {
  std::string_view name;
  std::vector<std::string> arguments;
  bool of_host = false;
};

const std::vector<Activity>& activities() {
  static const std::vector<Activity> all{{"A_DISK", {"-d"}},
                                         {"A_NET_DEV", {"-n", "DEV"}},
                                         {"A_NET_EDEV", {"-n", "EDEV"}},
                                         {"A_CPU", {"-u", "ALL"}, true},
                                         {"A_SWAP", {"-W"}, true},
                                         {"A_PAGE", {"-B"}, true},
                                         {"A_MEMORY", {"-r"}, true},
                                         {"A_QUEUE", {"-q", "LOAD"}, true},
                                         {"A_PSI_CPU", {"-q", "CPU"}, true},
                                         {"A_PSI_IO", {"-q", "IO"}, true},
                                         {"A_PSI_MEM", {"-q", "MEM"}, true}};
  return all;
}

class SysstatImport {
 public:
  SysstatImport(const SysstatOptions& options, TableSink& sink, ImportObserver& observer)
      : options_(options), sink_(sink), collector_(sink_), observer_(observer) {}

  [[nodiscard]] Status run(std::span<const std::filesystem::path> files) {
    for (const auto& file : files) {
      std::error_code unknown;
      const auto size = std::filesystem::file_size(file, unknown);
      if (!unknown) state_.total += size;
    }
    for (const auto& file : files) {
      state_.source = file.string();
      Status status = read_path(file);
      if (!status) {
        if (hopeless(status.error())) return status;
        result_.errors.push_back(std::move(status.error()));
      }
      std::error_code unknown;
      const auto size = std::filesystem::file_size(file, unknown);
      done_ += unknown ? 0 : size;
      report_progress(0);
    }
    if (Status status = collector_.flush_all(); !status) return status;
    return describe();
  }

  [[nodiscard]] ImportResult finish() {
    result_.values = collector_.values();
    result_.lines = state_.lines;
    result_.hosts = hosts_.size();
    return std::move(result_);
  }

 private:
  struct Span {
    std::string source;
    WallTime first;
    WallTime last;
  };

  /// Reads a file that the user named: an activity file, or an archive of some.
  [[nodiscard]] Status read_path(const std::filesystem::path& path) {
    if (Result<std::vector<std::string>> sound = list_members(path, options_.unpack); !sound)
      return forward(sound);
    Result<Members> members = Members::open(path, options_.unpack);
    if (!members) return forward(members);
    std::size_t found = 0;
    std::vector<std::string> others;
    while (true) {
      Result<std::optional<Members::Member>> member = members->next();
      if (!member) return forward(member);
      if (!*member) break;
      Result<bool> taken = read_member_or_note_error(*members, path, (*member)->name);
      if (!taken) return forward(taken);
      if (!*taken) others.push_back(members->where());
      if (*taken) ++found;
      report_progress(members->consumed());
    }
    if (found == 0) {
      return fail(ErrorCode::kBadInput, path.string(),
                  others.empty() ? "is empty" : "is no sysstat activity file and holds none");
    }
    for (std::size_t i = 0; i < std::min(others.size(), kMostNotices); ++i) {
      observer_.notice(fmt::format("{}: left out: is no sysstat activity file", others[i]));
    }
    if (others.size() > kMostNotices) {
      observer_.notice(fmt::format("{}: left out: {} more", path.string(), others.size() - kMostNotices));
    }
    return {};
  }

  /// Like read_member, but a bad member of an archive only ends that member.
  /// \param name  of the member; empty for a file that is no archive.
  [[nodiscard]] Result<bool> read_member_or_note_error(Members& members, const std::filesystem::path& path,
                                                       const std::string& name) {
    const bool alone = name.empty();
    Result<bool> taken = read_member(members, path, alone ? path.filename().string() : name);
    if (taken || alone || hopeless(taken.error())) return taken;
    result_.errors.push_back(std::move(taken.error()));
    return true;
  }

  /// Whether the next file would fail as well: the sink has failed or sadf is missing.
  [[nodiscard]] bool hopeless(const Error& error) const {
    return sink_.failed() || error.code == ErrorCode::kUnavailable;
  }

  /// False when the member is not an activity file.
  [[nodiscard]] Result<bool> read_member(Members& members, const std::filesystem::path& path,
                                         const std::string& name) {
    std::vector<char> buffer(std::size_t{1} << 20U);
    Result<std::size_t> got = members.read(buffer);
    if (!got) return forward(got);
    if (!looks_like_sa(std::string_view(buffer.data(), *got))) return false;
    if (!members.packed()) {
      Status status = read_activity_file({.path = path}, members.where(), name);
      if (!status) return forward(status);
      return true;
    }
    Result<Fd> file = unpack(members, buffer, *got);
    if (!file) return forward(file);
    Status status = read_activity_file({.path = {}, .unnamed = file->get()}, members.where(), name);
    if (!status) return forward(status);
    return true;
  }

  [[nodiscard]] Result<Fd> unpack(Members& members, std::vector<char>& buffer, std::size_t filled) const {
    const std::string where = members.where();
    Result<Fd> out = nameless_file(options_.scratch, where, "is unpacked");
    if (!out) return out;
    while (filled > 0) {
      Status kept = write_all(out->get(), {buffer.data(), filled}, where,
                              fmt::format("cannot be unpacked in {} (TMPDIR)", options_.scratch.string()));
      if (!kept) return forward(kept);
      Result<std::size_t> got = members.read(buffer);
      if (!got) return forward(got);
      filled = *got;
    }
    return out;
  }

  [[nodiscard]] Status read_activity_file(const SadfFile& file, const std::string& shown,
                                          const std::string& name) {
    Sadf sadf(options_, file, shown);
    Result<SadfHeader> header = sadf.header();
    if (!header) return forward(header);
    if (header->readable) return read_current(sadf, *header, shown, name);
    Result<Fd> converted = nameless_file(options_.scratch, shown, "is converted");
    if (!converted) return forward(converted);
    if (Status status = sadf.convert(converted->get(), header->version); !status) return status;
    Sadf reader(options_, {.path = {}, .unnamed = converted->get()}, shown);
    Result<SadfHeader> now = reader.header();
    if (!now) return forward(now);
    if (!now->readable) return fail(ErrorCode::kBadInput, shown, "sadf cannot read what it converted itself");
    return read_current(reader, *now, shown, name);
  }

  [[nodiscard]] std::string host_of(const SadfHeader& header, const std::string& name) const {
    if (!options_.host.empty()) return options_.host;
    const std::filesystem::path file = std::filesystem::path(name).filename();
    return file.extension() == ".sa" && !file.stem().empty() ? file.stem().string() : header.host;
  }

  [[nodiscard]] Status read_current(Sadf& sadf, const SadfHeader& header, const std::string& shown,
                                    const std::string& name) {
    const std::string host = host_of(header, name);
    if (host.empty()) return fail(ErrorCode::kBadInput, shown, "does not name its host; give it with --host");
    std::optional<WallTime> first;
    std::optional<WallTime> last;
    const bool any = std::ranges::any_of(activities(), [&](const Activity& activity) {
      return !activity.of_host && header.has(activity.name);
    });
    if (!any) {
      return fail(ErrorCode::kBadInput, shown,
                  "holds neither disk nor network statistics (sadc -S DISK collects disks)");
    }
    for (const Activity& activity : activities()) {
      if (!header.has(activity.name)) continue;
      SadfRawReader reader(host, options_.disks, collector_, activity.of_host);
      Status status =
          sadf.read(activity.arguments, collector_, reader, [&] { report_progress(state_.done - done_); });
      if (reader.first()) {
        first = first ? std::min(*first, *reader.first()) : reader.first();
        last = last ? std::max(*last, *reader.last()) : reader.last();
      }
      for (const auto& [device, known] : reader.devices())
        devices_[{host, known.kind, device}] = known.number;
      state_.lines += reader.samples();
      if (!status) {
        note_span(host, shown, first, last);
        return status;
      }
    }
    if (!header.has("A_DISK")) {
      observer_.notice(fmt::format("{}: holds no disk statistics (sadc -S DISK collects them)", shown));
    }
    if (!first)
      return fail(ErrorCode::kBadInput, shown, "holds fewer than two samples of disks or interfaces");
    note_span(host, shown, first, last);
    return {};
  }

  /// Notes the time span of a file, and warns when two files of one host overlap: unless they are copies, two
  /// hosts probably share a name.
  void note_span(const std::string& host, const std::string& shown, std::optional<WallTime> first,
                 std::optional<WallTime> last) {
    if (!first) return;
    ++result_.sources;
    result_.first = result_.first ? std::min(*result_.first, *first) : *first;
    result_.last = result_.last ? std::max(*result_.last, *last) : *last;
    std::vector<Span>& spans = hosts_[host];
    // Our times may be up to a second off, so consecutive files may seem to overlap by as much.
    constexpr Duration kSlack = std::chrono::seconds(2);
    const auto clash = std::find_if(spans.begin(), spans.end(), [&](const Span& span) {
      return *first + kSlack < span.last && span.first + kSlack < *last;
    });
    if (clash != spans.end() && options_.host.empty()) {
      observer_.notice(
          fmt::format("{} and {} both hold host {} between {} and {}; if these are two hosts, import each "
                      "with its --host",
                      clash->source, shown, host, to_iso8601(std::max(clash->first, *first)),
                      to_iso8601(std::min(clash->last, *last))));
    }
    spans.push_back({shown, *first, *last});
  }

  [[nodiscard]] Status describe() {
    for (const auto& [key, number] : devices_) {
      if (number.empty()) continue;
      DeviceInfo info;
      std::tie(info.host, info.kind, info.device) = key;
      info.facts = {{"number", number}};
      if (Status status = sink_.describe(info); !status) return status;
    }
    return {};
  }

  void report_progress(std::uint64_t consumed) {
    state_.done = done_ + consumed;
    state_.values = collector_.values();
    observer_.progress(state_);
  }

  const SysstatOptions& options_;
  WatchedSink sink_;
  SampleCollector collector_;
  ImportObserver& observer_;
  ImportState state_;
  ImportResult result_;
  std::uint64_t done_ = 0;
  std::map<std::tuple<std::string, DeviceKind, std::string>, std::string> devices_;  ///< -> major:minor
  std::map<std::string, std::vector<Span>> hosts_;
};

}  // namespace

Result<ImportResult> import_sysstat(std::span<const std::filesystem::path> files,
                                    const SysstatOptions& options, TableSink& sink,
                                    ImportObserver& observer) {
  SysstatImport import(options, sink, observer);
  if (Status status = import.run(files); !status) return forward(status);
  return import.finish();
}

}  // namespace laggard::collect
