#pragma once

#include <sys/types.h>

#include <array>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "base/time.h"
#include "collect/logs/journal_stream.h"

namespace laggard::collect {

/// Follows systemd's journal through `journalctl --follow -o export`: the format of the journal's files is
/// journald's own affair. When journalctl ends, for whatever reason, that is said, and it is started again
/// behind the last entry; what has not been read waits in the journal.
class JournalFollower {
 public:
  struct Options {
    std::filesystem::path folder = {};   ///< Of the journal; empty: this machine's.
    std::string cursor = {};             ///< Goes on behind this entry; empty: `since`, …
    std::optional<WallTime> since = {};  ///< … or, without it, from the journal's beginning.
    std::string program = "journalctl";
    std::function<void(const std::string& sentence)> say = [](const std::string&) {};
  };

  [[nodiscard]] static Result<std::unique_ptr<JournalFollower>> open(Options options);
  JournalFollower(const JournalFollower&) = delete;
  JournalFollower& operator=(const JournalFollower&) = delete;
  ~JournalFollower();

  /// Readable when there are entries, or when journalctl has ended.
  [[nodiscard]] int descriptor() const { return any_.get(); }
  /// The next entry, the same until it is taken; null when there is none now. Starts journalctl when it does
  /// not run and it is time to. An error when it cannot be started at all.
  [[nodiscard]] Result<const JournalEntry*> peek(MonoTime now);
  /// Requires that `peek` found one.
  void take();
  /// Of the entry that was taken last, or what it began behind.
  [[nodiscard]] const std::string& cursor() const { return options_.cursor; }
  /// Of journalctl, while it runs; for tests.
  [[nodiscard]] std::optional<pid_t> process() const { return process_; }

 private:
  explicit JournalFollower(Options options) : options_(std::move(options)) {}

  [[nodiscard]] std::vector<std::string> command() const;
  [[nodiscard]] Status start();
  /// False when there is nothing to read now.
  [[nodiscard]] bool read();
  void stop(int signal);
  [[nodiscard]] Status wait_for_end(MonoTime now);

  Options options_;
  Fd any_;   ///< An epoll descriptor of the pipe, which is another one after each start.
  Fd pipe_;  ///< Not valid once journalctl has closed it.
  std::optional<pid_t> process_;
  std::optional<MonoTime> end_due_;       ///< When it must have ended, …
  MonoTime start_due_ = MonoTime::min();  ///< … and is started again.
  Duration pause_{};                      ///< Before the next start; grows while they are in vain.
  bool has_read_ = false;
  std::array<char, std::size_t{1} << 16> buffer_{};
  std::string_view unread_;  ///< In `buffer_`.
  JournalStream stream_;
};

}  // namespace laggard::collect
