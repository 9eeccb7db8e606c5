#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "lab/bench/layout.h"

namespace laggard::lab::bench {

/// A setting of the kernel that the bench changes. There are no others: a journal names one of these, never a
/// path.
enum class Setting : std::uint8_t {
  kScheduler,  ///< These seven of a block device of the bench, in the order in which they are restored.
  kMaxSectors,
  kRotational,
  kRequests,   ///< A new scheduler sets it anew.
  kReadAhead,  ///< So does a new limit of sectors.
  kStrictLimit,
  kMaxRatio,
  kCongestionControl,  ///< Of the machine: what TCP may use.
  kMemoryController,   ///< Of the machine: whether control groups of version 2 have memory.
};

/// \param loop  the block device (`loop7`); empty for a setting of the machine
[[nodiscard]] std::filesystem::path path_of(Setting setting, std::string_view loop);
[[nodiscard]] bool is_of_machine(Setting setting);

/// A setting before the bench changed it.
struct Change {
  Setting setting = Setting::kScheduler;
  std::string loop;  ///< Empty for a setting of the machine.
  std::string old;   ///< Empty for kMemoryController.
  bool operator==(const Change&) const = default;
};

/// Whether a journal can hold it: a loop device where one is needed, a value such as the setting can have.
[[nodiscard]] bool is_sound(const Change& change);

/// What a bench has to remember: who it is, which finds everything that it made, and what it cannot find that
/// way.
struct JournalText {
  Instance instance;
  std::vector<Change> changes;
};

/// `bench TAB 2 TAB id TAB boot id TAB mount namespace`, then a line per change: `setting TAB loop TAB old`.
/// A last line without an end was cut off: the change it announces was never begun, and it is left out.
/// Anything else that a bench does not write is an error (`journal:LINE`): a change that is not understood
/// would not be undone, and who writes one wrong line may have written the others.
[[nodiscard]] Result<JournalText> parse_journal(std::string_view text);
[[nodiscard]] std::string to_line(const Instance& instance);
[[nodiscard]] std::string to_line(const Change& change);

/// What the bench has changed on the machine, on disk before it is changed, so that it can be undone by
/// another process after this one was killed.
class Journal {
 public:
  virtual ~Journal() = default;
  /// On disk when this returns. Of a setting that is changed twice the first value counts.
  [[nodiscard]] virtual Status enter(const Change& change) = 0;
};

/// The journal of a bench, which is its lock too: as long as one is open, no second one can be.
class FileJournal final : public Journal {
 public:
  /// A new one; an error when there is one, because then a bench is running or was not taken down.
  [[nodiscard]] static Result<FileJournal> create(const std::filesystem::path& path,
                                                  const Instance& instance);
  /// What a killed bench has left; nothing when there is none. An error when a bench is running, and when it
  /// is not a file that only we can have written.
  [[nodiscard]] static Result<std::optional<FileJournal>> open(const std::filesystem::path& path);
  [[nodiscard]] Status enter(const Change& change) override;
  [[nodiscard]] const Instance& instance() const { return text_.instance; }
  [[nodiscard]] const std::vector<Change>& changes() const { return text_.changes; }
  /// All is undone.
  void remove();

 private:
  FileJournal(std::filesystem::path path, Fd fd, JournalText text)
      : path_(std::move(path)), fd_(std::move(fd)), text_(std::move(text)) {}
  std::filesystem::path path_;
  Fd fd_;
  JournalText text_;
};

}  // namespace laggard::lab::bench
