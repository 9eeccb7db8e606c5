#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "collect/logs/log_file.h"
#include "collect/logs/log_positions.h"

namespace laggard::collect {

/// A log as its user names it: whatever file has that path now, and those that had it until a moment ago.
/// When a log is rotated by renaming, its program writes to the old file until it notices, so the old one is
/// read until nothing has come for kLinger; its lines come before those of the new one. When it is copied and
/// truncated, what had not been read then is read from the copy. What was rotated twice while nobody looked
/// is found by its name (`messages.1`, `messages-20261120`), unless it is packed by then.
///
/// It looks at the path whenever it is asked to: a look costs two system calls, works on every file system
/// (inotify does not tell what other machines write), and needs nothing to be undone.
class FollowedLog {
 public:
  static constexpr Duration kLinger = std::chrono::seconds(30);
  /// Old files; beyond that the oldest is done with.
  static constexpr std::size_t kMostOld = 16;
  using Say = std::function<void(const std::string& sentence)>;

  struct Options {
    std::string path;
    bool from_start = false;  ///< Whether lines count that are there at the first look.
    /// Of earlier recorders: where they stopped, then `from_start` does not matter.
    std::vector<FilePosition> positions = {};
    Say say = [](const std::string&) {};
  };

  explicit FollowedLog(Options options) : options_(std::move(options)) {}

  /// Looks what has become of the path and of its files. What is wrong is said once, not an error: the log
  /// may come, or be readable, later.
  void look(MonoTime now);
  /// The next line, the same until it is taken and valid until the next call; false when there is none now.
  [[nodiscard]] bool peek(std::string_view& line);
  /// Requires that `peek` found one.
  void take();
  /// Adds how far its files were read.
  void add_positions(std::vector<FilePosition>& positions) const;

 private:
  struct Part {
    LogFile file;
    MonoTime grown;        ///< When it was last seen to grow.
    bool is_old = false;   ///< Another one has its path, or nothing and it is removed.
    bool is_over = false;  ///< Nothing more is waited for.
  };

  void begin(MonoTime now);
  [[nodiscard]] std::optional<LogFile> find_positions(MonoTime now);
  [[nodiscard]] bool resume_old(const FilePosition& position, MonoTime now);
  [[nodiscard]] std::optional<LogFile> find_copy(const FilePosition& position);
  void add_rotated_since(std::int64_t modified_ns, MonoTime now);
  void look_at_files(MonoTime now);
  bool add_copy(const FilePosition& before, std::size_t at, MonoTime now);
  void look_at_path(MonoTime now);
  void open_path(MonoTime now, bool from_start);
  void end_oldest();
  void say_once(const std::string& sentence);
  [[nodiscard]] Part* current();

  Options options_;
  bool begun_ = false;
  std::vector<Part> parts_;                ///< The oldest first.
  std::size_t peeked_ = 0;                 ///< That the line is of.
  std::optional<std::int64_t> newest_ns_;  ///< When one of its files was last seen to be written.
  std::optional<FilePosition> left_;       ///< Of the last file that was done with.
  std::set<std::string> said_;
};

}  // namespace laggard::collect
