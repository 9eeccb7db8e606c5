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

/// A kernel setting that the bench changes. A journal can name only these, never a path.
enum class Setting : std::uint8_t {
  kScheduler,  ///< The first seven belong to a block device of the bench, in the order of restoring.
  kMaxSectors,
  kRotational,
  kRequests,   ///< Reset by a new scheduler.
  kReadAhead,  ///< Reset by a new limit of sectors.
  kStrictLimit,
  kMaxRatio,
  kCongestionControl,  ///< Of the machine: what TCP may use.
  kMemoryController,   ///< Of the machine: whether control groups of version 2 have memory.
  kCpuController,      ///< The same for processors.
};

/// \param loop  the block device (`loop7`); empty for a setting of the machine
[[nodiscard]] std::filesystem::path path_of(Setting setting, std::string_view loop);
[[nodiscard]] bool is_of_machine(Setting setting);
/// Whether it is a controller of groups of version 2: what is written there is a change and not a value.
[[nodiscard]] bool is_controller(Setting setting);

/// A setting before the bench changed it.
struct Change {
  Setting setting = Setting::kScheduler;
  std::string loop;  ///< Empty for a setting of the machine.
  std::string old;   ///< Empty for a controller.
  bool operator==(const Change&) const = default;
};

/// Whether a journal may contain it: a loop device where one is needed, and a possible value of the setting.
[[nodiscard]] bool is_sound(const Change& change);

/// The contents of a journal: the instance, by which everything that the bench made can be found, and the
/// changed settings, which cannot be found that way.
struct JournalText {
  Instance instance;
  std::vector<Change> changes;
};

/// `bench TAB 2 TAB id TAB boot id TAB mount namespace`, then a line per change: `setting TAB loop TAB old`.
/// A last line without an end was cut off; its change was never made, and it is ignored. Anything else that a
/// bench does not write is an error (`journal:LINE`): a change that is not understood would not be undone,
/// and the author of one wrong line may have written the others.
[[nodiscard]] Result<JournalText> parse_journal(std::string_view text);
[[nodiscard]] std::string to_line(const Instance& instance);
[[nodiscard]] std::string to_line(const Change& change);

/// A write-ahead journal of what the bench changes on the machine, so that another process can undo it after
/// this one was killed.
class Journal {
 public:
  virtual ~Journal() = default;
  /// The entry is on disk when this returns. For a setting that is changed twice, the first value counts.
  [[nodiscard]] virtual Status enter(const Change& change) = 0;
};

/// The journal file of a bench, which is also its lock: only one process can have it open.
class FileJournal final : public Journal {
 public:
  /// Creates a new one; an error when it exists, because then a bench is running or was not taken down.
  [[nodiscard]] static Result<FileJournal> create(const std::filesystem::path& path,
                                                  const Instance& instance);
  /// Opens the journal of a killed bench; nothing when there is none. An error when a bench is running, or
  /// when another user may have written the file.
  [[nodiscard]] static Result<std::optional<FileJournal>> open(const std::filesystem::path& path);
  [[nodiscard]] Status enter(const Change& change) override;
  [[nodiscard]] const Instance& instance() const { return text_.instance; }
  [[nodiscard]] const std::vector<Change>& changes() const { return text_.changes; }
  /// Removes the file, once everything is undone.
  void remove();

 private:
  FileJournal(std::filesystem::path path, Fd fd, JournalText text)
      : path_(std::move(path)), fd_(std::move(fd)), text_(std::move(text)) {}
  std::filesystem::path path_;
  Fd fd_;
  JournalText text_;
};

}  // namespace laggard::lab::bench
