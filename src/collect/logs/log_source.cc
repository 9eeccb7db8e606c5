#include "collect/logs/log_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <ctime>
#include <utility>

#include "base/file.h"
#include "base/recording_day.h"
#include "base/text.h"
#include "collect/import/csv/moment.h"
#include "collect/logs/journal.h"
#include "model/address.h"

namespace laggard::collect {

namespace {

/// How far this machine's time of day is east of Greenwich.
Duration own_zone(WallTime when) {
  const auto seconds = static_cast<std::time_t>(to_unix_ns(when) / 1'000'000'000);
  std::tm parts{};
  if (::localtime_r(&seconds, &parts) == nullptr) return {};
  return std::chrono::seconds(parts.tm_gmtoff);
}

std::string zone_text(Duration zone) {
  const auto minutes = std::chrono::duration_cast<std::chrono::minutes>(zone).count();
  return fmt::format("{}{:02}:{:02}", minutes < 0 ? '-' : '+', std::abs(minutes) / 60,
                     std::abs(minutes) % 60);
}

/// One of two words.
Result<bool> choice(const EventSourceSetup& setup, const std::string& option, const std::string& yes,
                    const std::string& no) {
  const std::string word = setup.option(option);
  if (word == yes || word == no) return word == yes;
  return fail(ErrorCode::kBadUse, "--" + option, word + " is neither " + yes + " nor " + no);
}

/// `1,203 lines`
std::string lines_text(std::uint64_t count) {
  return with_separators(count) + (count == 1 ? " line" : " lines");
}

}  // namespace

/// Fills one batch with lines.
class LogSource::Filling {
 public:
  Filling(LogSource& source, LogForms& forms, ObservationBatch& batch, std::size_t most)
      : source_(source),
        forms_(forms),
        batch_(batch),
        most_(most),
        before_(batch.events.size()),
        appender_(batch.events) {}

  [[nodiscard]] bool has_room() const { return !batch_.is_full && batch_.events.size() < most_; }
  [[nodiscard]] bool has_added() const { return batch_.events.size() > before_; }

  /// False when the line goes into the next batch.
  [[nodiscard]] bool take(const std::optional<WrittenLine>& line) {
    if (!line || line->text.empty()) {
      ++source_.not_lines_;
      return true;
    }
    if (!line->host.empty() && !source_.is_of_this_host(line->host)) return true;
    EventTable& events = batch_.events;
    // A bookmark is stored with the lines of one day only.
    const bool is_another_day =
        events.size() > 0 && recording_day(events.times().back()) != recording_day(line->time);
    if (!is_another_day && appender_.append({.time = line->time,
                                             .program = line->program,
                                             .pid = line->pid,
                                             .severity = line->severity,
                                             .text = line->text})) {
      return true;
    }
    if (events.size() == 0) return true;  // No table has room for it.
    batch_.is_full = true;
    return false;
  }

  [[nodiscard]] bool take_text(std::string_view text) {
    if (!text.starts_with('{')) return take(forms_.parse(text));
    const std::optional<JournalEntry> entry = parse_journal_json(text);
    return take(entry ? entry->line() : std::nullopt);
  }

 private:
  LogSource& source_;
  LogForms& forms_;
  ObservationBatch& batch_;
  std::size_t most_;
  std::size_t before_;
  LogAppender appender_;
};

std::span<const EventSourceOption> LogSource::options() {
  static constexpr std::array kOptions{
      EventSourceOption{"file", "Logs to follow, whatever their rotation does; else the journal", "PATH,...",
                        "", true},
      EventSourceOption{"journal", "Whether to follow systemd's journal; else only where no file is named",
                        "yes|no", "", false},
      EventSourceOption{"begin",
                        "With what is written from now on, or with all that is there; a recording is "
                        "continued where it ends",
                        "now|start", "now", false},
      EventSourceOption{"tz", "Of times that name no zone: their distance from UTC; else this machine's",
                        "+HH:MM", "", false},
  };
  return kOptions;
}

Result<LogSource::Plan> LogSource::plan_of(const EventSourceSetup& setup) {
  Plan plan;
  plan.files = setup.options_of("file");
  for (std::size_t f = 0; f < plan.files.size(); ++f) {
    if (std::ranges::count(plan.files, plan.files[f]) > 1) {
      return fail(ErrorCode::kBadUse, "--file", plan.files[f] + " is given twice");
    }
  }
  plan.journal = plan.files.empty();
  if (!setup.option("journal").empty()) {
    auto journal = choice(setup, "journal", "yes", "no");
    if (!journal) return forward(journal);
    plan.journal = *journal;
  }
  if (plan.files.empty() && !plan.journal) {
    return fail(ErrorCode::kBadUse, "--file", "is missing: without the journal there is nothing to follow");
  }
  auto from_start = choice(setup, "begin", "start", "now");
  if (!from_start) return forward(from_start);
  plan.from_start = *from_start;
  if (const std::string zone = setup.option("tz"); !zone.empty()) {
    auto parsed = parse_zone(zone);
    if (!parsed) return forward(parsed);
    plan.zone = *parsed;
  }
  plan.journal_folder = setup.from;
  if (setup.from.empty() && setup.root != "/") plan.journal_folder = setup.root / "var/log/journal";
  plan.names = {setup.host};
  if (const auto own = read_file(setup.root / "proc/sys/kernel/hostname")) {
    if (const std::string name(trim(*own)); !name.empty()) plan.names.push_back(name);
  }
  plan.say = setup.say ? setup.say : [](const std::string&) {};
  plan.bookmarks = setup.bookmarks;
  return plan;
}

Result<std::unique_ptr<EventSource>> LogSource::open(const EventSourceSetup& setup) {
  auto plan = plan_of(setup);
  if (!plan) return forward(plan);
  return std::unique_ptr<EventSource>(new LogSource(std::move(*plan)));
}

std::optional<int> LogSource::descriptor() const {
  return journal_ == nullptr ? std::nullopt : std::optional(journal_->descriptor());
}

/// Where the recording ends, or else where the user wants it to begin.
Status LogSource::begin(Clock& clock) {
  std::optional<LogPositions> left_off;
  if (plan_.bookmarks) {
    auto bookmarks = plan_.bookmarks(std::string(kLogKind));
    if (!bookmarks) return forward(bookmarks);
    left_off = latest_positions(*bookmarks);
  }
  const LogPositions before = left_off.value_or(LogPositions{});
  number_ = before.number;
  journal_cursor_ = before.cursor;
  for (const std::string& path : plan_.files) {
    FollowedLog::Options options{
        .path = path, .from_start = plan_.from_start, .positions = {}, .say = plan_.say};
    for (const FilePosition& position : before.files) {
      if (position.path == path) options.positions.push_back(position);
    }
    logs_.emplace_back(std::move(options));
  }
  if (plan_.journal) {
    JournalFollower::Options options{
        .folder = plan_.journal_folder, .cursor = before.cursor, .say = plan_.say};
    if (!plan_.from_start) options.since = clock.wall();
    auto journal = JournalFollower::open(std::move(options));
    if (!journal) return forward(journal);
    journal_ = std::move(*journal);
  }
  begun_ = true;
  return {};
}

/// Whether a line that names this host is recorded: those of others are theirs to record.
bool LogSource::is_of_this_host(std::string_view host) {
  const auto is_it = [&](const std::string& name) { return may_be_same_host(host, name); };
  if (host == "localhost" || std::ranges::any_of(plan_.names, is_it)) return true;
  if (others_++ == 0) {
    plan_.say(
        fmt::format("lines of other hosts, such as {}, are passed over: record them there, or import "
                    "them",
                    host));
  }
  return false;
}

std::string LogSource::next_bookmark() {
  LogPositions positions{
      .number = ++number_, .cursor = journal_ == nullptr ? journal_cursor_ : journal_->cursor(), .files = {}};
  for (const FollowedLog& log : logs_) log.add_positions(positions.files);
  return to_bookmark(positions);
}

void LogSource::tell_zone(const LogForms& forms, Duration zone) {
  if (plan_.zone || !forms.assumed_zone() || std::exchange(told_zone_, true)) return;
  plan_.say(fmt::format("times that name no zone are taken for this machine's, {} (--tz)", zone_text(zone)));
}

void LogSource::read_log(FollowedLog& log, MonoTime now, Filling& filling) {
  log.look(now);
  std::string_view text;
  while (filling.has_room() && log.peek(text)) {
    if (!trim(text).empty() && !filling.take_text(text)) return;
    log.take();
  }
}

Status LogSource::read_journal(MonoTime now, Filling& filling) {
  while (filling.has_room()) {
    auto entry = journal_->peek(now);
    if (!entry) return forward(entry);
    if (*entry == nullptr || !filling.take((*entry)->line())) return {};
    journal_->take();
  }
  return {};
}

Status LogSource::read(Clock& clock, ObservationBatch& batch, std::size_t most) {
  if (!begun_) {
    if (Status begun = begin(clock); !begun) return begun;
  }
  const WallTime wall = clock.wall();
  const Duration zone = plan_.zone.value_or(own_zone(wall));
  LogForms forms({.zone = zone, .year = {}, .latest = wall});
  Filling filling(*this, forms, batch, most);
  const MonoTime now = clock.mono();
  for (std::size_t i = 0; i < logs_.size(); ++i) read_log(logs_[(first_ + i) % logs_.size()], now, filling);
  ++first_;  // None waits for ever behind another one that is long.
  Status read = journal_ == nullptr ? Status{} : read_journal(now, filling);
  if (filling.has_added()) batch.events.set_bookmark(next_bookmark());
  tell_zone(forms, zone);
  return read;
}

void LogSource::finish(Clock& clock, ObservationBatch& batch) {
  constexpr std::size_t kMostAtTheEnd = std::size_t{1} << 14;
  if (!batch.is_full) static_cast<void>(read(clock, batch, kMostAtTheEnd));
  journal_.reset();
  if (not_lines_ > 0) {
    plan_.say(fmt::format("{} passed over: no time, or no form that is known", lines_text(not_lines_)));
  }
  if (others_ > 0) plan_.say(fmt::format("{} of other hosts passed over", lines_text(others_)));
}

}  // namespace laggard::collect
