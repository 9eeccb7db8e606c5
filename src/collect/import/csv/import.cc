#include "collect/import/csv/import.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <system_error>
#include <utility>

#include "base/text.h"
#include "collect/import/csv/column.h"
#include "collect/import/csv/reader.h"
#include "collect/import/line_reader.h"
#include "collect/import/members.h"

namespace laggard::collect {

namespace {

/// Visits what --gauge and --counter say; ends at the first error.
template <typename Visit>
Status each_column(const CsvForm& form, const Visit& visit) {
  for (const bool cumulative : {false, true}) {
    for (const std::string& text : cumulative ? form.counters : form.gauges) {
      Result<CsvColumn> column = parse_column(text, cumulative, form.kind);
      if (!column) return forward(column);
      visit(*column);
    }
  }
  return {};
}

/// Every column says of which device it is, or none does.
Status check_columns(const CsvForm& form) {
  std::size_t named = 0;
  std::size_t all = 0;
  Status parsed = each_column(form, [&](const CsvColumn& column) {
    if (!column.device.empty()) ++named;
    ++all;
  });
  if (!parsed || named == 0) return parsed;
  if (!form.component.empty()) {
    return fail(ErrorCode::kBadUse, "--component", "excludes columns of one device each (DEVICE/COUNTER)");
  }
  if (named == all) return {};
  return fail(ErrorCode::kBadUse, "--gauge",
              "say of every column of which device it is (DEVICE/COUNTER), or of none");
}

bool names_devices(const CsvForm& form) {
  bool any = false;
  static_cast<void>(each_column(form, [&](const CsvColumn& column) { any = any || !column.device.empty(); }));
  return any;
}

}  // namespace

Status CsvForm::check() const {
  if (!wide()) return check_format(times.format);
  if (time.empty())
    return fail(ErrorCode::kBadUse, "", "a wide file needs --time with the name of its time column");
  if (delimiter == decimal) {
    return fail(ErrorCode::kBadUse, "--delimiter", "is the same as --decimal; give one of them");
  }
  if (Status format = check_format(times.format); !format) return format;
  if (Status columns = check_columns(*this); !columns) return columns;
  if (component.empty() && !names_devices(*this)) {
    return fail(
        ErrorCode::kBadUse, "",
        "a wide file needs --component with the column that names the device, or columns of one device each "
        "(--gauge '*_await=*/await:ms')");
  }
  if (host.empty() == host_column.empty()) {
    return fail(ErrorCode::kBadUse, "",
                host.empty()
                    ? "a wide file needs --host with the host's name, or --host-column with its column"
                    : "--host and --host-column exclude each other");
  }
  if (gauges.empty() && counters.empty()) {
    return fail(ErrorCode::kBadUse, "", "a wide file needs --gauge or --counter with the columns to import");
  }
  for (const std::string& name : gauges) {
    if (std::find(counters.begin(), counters.end(), name) == counters.end()) continue;
    return fail(ErrorCode::kBadUse, "", fmt::format("`{}` is named by --gauge and by --counter", name));
  }
  return {};
}

namespace {

/// Notices about the members of one archive.
constexpr std::size_t kMostTold = 20;

/// Archives whose members are not in the order of their names are held in memory to be sorted, up to here.
constexpr std::size_t kMostHeld = std::size_t{256} << 20U;

class CsvImport {
 public:
  CsvImport(const CsvForm& form, TableSink& sink, ImportObserver& observer, const UnpackLimits& limits)
      : sink_(sink), collector_(sink_), reader_(form, collector_), observer_(observer), limits_(limits) {}

  [[nodiscard]] Status run(std::span<const std::filesystem::path> files) {
    for (const auto& file : files) {
      std::error_code unknown;
      const auto size = file == "-" ? 0 : std::filesystem::file_size(file, unknown);
      if (!unknown) state_.total += size;
    }
    for (const auto& file : files) {
      state_.source = file.string();
      if (Status status = read_file(file); !status) {
        // A failed sink ends the import: it would only fail again.
        if (sink_.failed()) return status;
        result_.errors.push_back(status.error());
      }
      std::error_code unknown;
      const auto size = file == "-" ? 0 : std::filesystem::file_size(file, unknown);
      done_ += unknown ? 0 : size;
    }
    return collector_.flush_all();
  }

  [[nodiscard]] ImportResult finish() {
    if (!reader_.unknown_counters().empty()) {
      const auto& unknown = reader_.unknown_counters();
      observer_.notice(
          fmt::format("not in the catalogue, kept as gauges: {}",
                      first_few(std::vector<std::string>(unknown.begin(), unknown.end()), kMostTold)));
    }
    result_.values = collector_.values();
    result_.lines = state_.lines;
    result_.first = reader_.first();
    result_.last = reader_.last();
    return std::move(result_);
  }

 private:
  [[nodiscard]] Status read_file(const std::filesystem::path& file) {
    Result<std::vector<std::string>> names = list_members(file, limits_);
    if (!names) return forward(names);
    const bool sorted = std::is_sorted(names->begin(), names->end(), natural_less);
    Result<Members> members = Members::open(file, limits_);
    if (!members) return forward(members);
    const std::size_t before = result_.sources;
    left_out_.clear();
    if (Status status = sorted ? read_in_order(*members) : read_sorted(*members); !status) return status;
    if (result_.sources == before) {
      if (left_out_.empty()) return fail(ErrorCode::kBadInput, file.string(), "is empty");
      return fail(ErrorCode::kBadInput, left_out_.front().first, left_out_.front().second);
    }
    tell_left_out(file.string());
    return {};
  }

  /// Bounded, because an archive can hold a hundred thousand files that are not CSV.
  void tell_left_out(const std::string& file) {
    std::size_t told = 0;
    for (const auto& [where, why] : left_out_) {
      if (told++ == kMostTold) break;
      observer_.notice(fmt::format("{}: left out: {}", where, why));
    }
    if (left_out_.size() <= kMostTold) return;
    observer_.notice(fmt::format("{}: left out: {} more", file, left_out_.size() - kMostTold));
  }

  [[nodiscard]] Status read_in_order(Members& members) {
    while (true) {
      Result<std::optional<Members::Member>> member = members.next();
      if (!member) return forward(member);
      if (!*member) return {};
      LineReader lines([&](std::span<char> buffer) { return members.read(buffer); });
      if (Status status = read_member(lines, members.where(), &members); !status) return status;
    }
  }

  /// Holds members in memory to sort them; one that no longer fits is read at once, before the others, which
  /// only costs the archive some merging.
  [[nodiscard]] Status read_sorted(Members& members) {
    std::map<std::string, std::pair<std::string, std::string>, decltype(&natural_less)> held(&natural_less);
    std::size_t bytes = 0;
    while (true) {
      Result<std::optional<Members::Member>> member = members.next();
      if (!member) return forward(member);
      if (!*member) break;
      std::string content;
      Result<bool> whole = hold(members, content, kMostHeld - bytes);
      if (!whole) return forward(whole);
      if (*whole) {
        bytes += content.size();
        held.insert_or_assign((*member)->name, std::pair(members.where(), std::move(content)));
        continue;
      }
      std::size_t given = 0;
      LineReader lines([&](std::span<char> buffer) -> Result<std::size_t> {
        if (given == content.size()) return members.read(buffer);
        const std::size_t n = content.copy(buffer.data(), buffer.size(), given);
        given += n;
        return n;
      });
      if (Status status = read_member(lines, members.where(), &members); !status) return status;
    }
    for (auto& [name, file] : held) {
      std::size_t given = 0;
      LineReader lines([&, &text = file.second](std::span<char> buffer) -> Result<std::size_t> {
        const std::size_t n = text.copy(buffer.data(), buffer.size(), given);
        given += n;
        return n;
      });
      if (Status status = read_member(lines, file.first, &members); !status) return status;
      file.second = {};
    }
    return {};
  }

  /// False when the member is longer than `most`; `content` then holds its beginning.
  [[nodiscard]] static Result<bool> hold(Members& members, std::string& content, std::size_t most) {
    constexpr std::size_t kStep = std::size_t{1} << 20U;
    while (content.size() <= most) {
      const std::size_t size = content.size();
      content.resize(size + kStep);
      Result<std::size_t> got = members.read(std::span(content).subspan(size));
      if (!got) return forward(got);
      content.resize(size + *got);
      if (*got == 0) return true;
    }
    return false;
  }

  [[nodiscard]] Status read_member(LineReader& lines, const std::string& where, const Members* members) {
    if (Status status = reader_.read_header(lines); !status) {
      if (!status.error().where.empty()) return status;
      left_out_.emplace_back(where, status.error().what);
      return {};
    }
    report_ignored(where);
    report_unknown(where);
    const std::uint64_t before = state_.lines;
    const std::uint64_t values_before = collector_.values();
    Result<std::uint64_t> read = reader_.read_rows(lines, where, [&](std::uint64_t count) {
      state_.lines = before + count;
      report_progress(members);
    });
    if (!read) return forward(read);
    state_.lines = before + *read;
    report_progress(members);
    if (collector_.values() == values_before) {
      left_out_.emplace_back(where, *read == 0 ? "has a header and no lines" : "has no value on any line");
      return {};
    }
    ++result_.sources;
    return {};
  }

  void report_progress(const Members* members) {
    state_.done = done_ + members->consumed();
    state_.values = collector_.values();
    observer_.progress(state_);
  }

  void report_ignored(const std::string& where) {
    const std::vector<std::string>& ignored = reader_.layout().ignored;
    if (ignored.empty() || ignored == ignored_) return;
    ignored_ = ignored;
    observer_.notice(
        fmt::format("{}: columns that were not asked for: {}", where, first_few(ignored, kMostTold)));
  }

  /// What no metric knows is not compared, and a sick disk may show in nothing else.
  void report_unknown(const std::string& where) {
    const std::vector<std::string>& unknown = reader_.layout().unknown;
    if (unknown.empty() || unknown == unknown_) return;
    unknown_ = unknown;
    observer_.notice(
        fmt::format("{}: kept, but no metric is made of it, so it is not compared: {}; say what it is "
                    "(--gauge '{}=await:ms'; await, rd_sec, wr_sec, latency, throughput)",
                    where, first_few(unknown, kMostTold), unknown.front()));
  }

  WatchedSink sink_;
  SampleCollector collector_;
  CsvReader reader_;
  ImportObserver& observer_;
  UnpackLimits limits_;
  ImportState state_;
  ImportResult result_;
  std::uint64_t done_ = 0;  ///< Bytes of the files that are finished.
  std::vector<std::pair<std::string, std::string>> left_out_;
  std::vector<std::string> ignored_;
  std::vector<std::string> unknown_;
};

}  // namespace

Result<ImportResult> import_csv(std::span<const std::filesystem::path> files, const CsvForm& form,
                                TableSink& sink, ImportObserver& observer, const UnpackLimits& limits) {
  if (Status status = form.check(); !status) return forward(status);
  CsvImport import(form, sink, observer, limits);
  if (Status status = import.run(files); !status) return forward(status);
  return import.finish();
}

}  // namespace laggard::collect
