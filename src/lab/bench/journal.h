#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/fd.h"

namespace laggard::lab::bench {

enum class ChangeKind : std::uint8_t {
  kFolder,       ///< A folder was created; with all that is in it.
  kSetting,      ///< A file of /proc or /sys held `old`.
  kNetwork,      ///< A network namespace of that name was created, processes and all.
  kMount,        ///< Something was mounted there.
  kLoop,         ///< A block device was attached to that file.
  kMemoryGroup,  ///< A control group was created.
};

/// One change of the machine, by what it takes to undo it.
struct Change {
  ChangeKind kind = ChangeKind::kFolder;
  std::string what;
  std::string old;  ///< Of kSetting only.
  bool operator==(const Change&) const = default;
};

/// The changes in a journal's text, a line each: `kind TAB what TAB old`. A last line without an end was cut
/// off by a crash: the change it announces was never begun, and it is left out. Anything else that cannot be
/// read is an error, because a change that is not understood is one that would not be undone.
[[nodiscard]] Result<std::vector<Change>> parse_journal(std::string_view text);
[[nodiscard]] std::string to_line(const Change& change);

/// What the bench has changed on the machine, on disk before it is changed, so that it can be undone by
/// another process after this one was killed.
class Journal {
 public:
  virtual ~Journal() = default;
  /// On disk when this returns.
  [[nodiscard]] virtual Status enter(const Change& change) = 0;
};

/// The journal of a bench, which is its lock too: as long as one is open, no second one can be.
class FileJournal final : public Journal {
 public:
  /// \param path  continued when it is there: then `entries` is what somebody who was killed has left.
  [[nodiscard]] static Result<FileJournal> open(const std::filesystem::path& path);
  [[nodiscard]] Status enter(const Change& change) override;
  [[nodiscard]] const std::vector<Change>& entries() const { return entries_; }
  /// All is undone: an empty journal, still locked.
  [[nodiscard]] Status clear();
  /// All is undone and nothing will follow.
  void remove();

 private:
  FileJournal(std::filesystem::path path, Fd fd) : path_(std::move(path)), fd_(std::move(fd)) {}
  std::filesystem::path path_;
  Fd fd_;
  std::vector<Change> entries_;
};

}  // namespace laggard::lab::bench
