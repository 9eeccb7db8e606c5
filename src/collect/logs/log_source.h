#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "collect/logs/followed_log.h"
#include "collect/logs/journal_follower.h"
#include "collect/logs/log_forms.h"
#include "collect/record/event_sources.h"
#include "model/log_line.h"

namespace laggard::collect {

/// Records the lines of logs as they are written: `laggard record logs`. Events of the kind `log`, the same
/// that an import makes of the same lines (import_logs).
///
/// Each table has a bookmark, which says how far every log was read (LogPositions). It is stored with the
/// lines or not at all, and a recorder that goes on reads from there, so that whatever ends a recorder, no
/// line is lost or comes twice. Lines that are not read yet wait where they are.
class LogSource final : public EventSource {
 public:
  [[nodiscard]] static Result<std::unique_ptr<EventSource>> open(const EventSourceSetup& setup);
  [[nodiscard]] static std::span<const EventSourceOption> options();

  [[nodiscard]] std::string_view kind() const override { return kLogKind; }
  [[nodiscard]] std::optional<int> descriptor() const override;
  [[nodiscard]] bool keeps_unread() const override { return true; }
  [[nodiscard]] Status read(Clock& clock, ObservationBatch& batch, std::size_t most) override;
  void finish(Clock& clock, ObservationBatch& batch) override;

 private:
  struct Plan {
    std::vector<std::string> files;
    bool journal = false;
    std::filesystem::path journal_folder;  ///< Empty: this machine's.
    bool from_start = false;
    std::optional<Duration> zone;    ///< Of times that name none; nothing: the machine's own.
    std::vector<std::string> names;  ///< Of this host, in logs.
    FollowedLog::Say say;
    std::function<Result<std::vector<std::string>>(const std::string& kind)> bookmarks;
  };
  class Filling;

  explicit LogSource(Plan plan) : plan_(std::move(plan)) {}
  [[nodiscard]] static Result<Plan> plan_of(const EventSourceSetup& setup);

  [[nodiscard]] Status begin(Clock& clock);
  [[nodiscard]] Status read_journal(MonoTime now, Filling& filling);
  void read_log(FollowedLog& log, MonoTime now, Filling& filling);
  [[nodiscard]] bool is_of_this_host(std::string_view host);
  [[nodiscard]] std::string next_bookmark();
  void tell_zone(const LogForms& forms, Duration zone);

  Plan plan_;
  bool begun_ = false;
  std::vector<FollowedLog> logs_;
  std::unique_ptr<JournalFollower> journal_;  ///< Null: not read.
  std::string journal_cursor_;                ///< Where the journal was left off by a recorder that read it.
  std::uint64_t number_ = 0;                  ///< Of the last bookmark.
  std::size_t first_ = 0;                     ///< Of `logs_`, the one that is read first.
  std::uint64_t others_ = 0;                  ///< Lines of other hosts.
  std::uint64_t not_lines_ = 0;
  bool told_zone_ = false;
};

}  // namespace laggard::collect
