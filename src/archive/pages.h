#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "archive/write_ahead_log.h"
#include "base/error.h"

/// What is left of an SQLite file, read without SQLite: page by page, trusting no pointer between tables. For
/// salvage only. The layout is https://www.sqlite.org/fileformat2.html.
namespace laggard::archive {

/// The pages, of kPageBytes each, of a database file and of its write-ahead log.
class Pages {
 public:
  enum class View : std::uint8_t {
    kLaid,   ///< The committed pages of the log over those of the file, as a reader would see them.
    kFile,   ///< The file alone: the log may belong to another file, or be damaged.
    kFrames  ///< All pages of the log, the last of each number, whether their checksums hold or not.
  };

  /// Either file may be missing or empty; kNotFound when both are. Begins with kLaid.
  [[nodiscard]] static Result<Pages> load(const std::filesystem::path& path);
  void use(View view);
  [[nodiscard]] bool has_log() const { return !log_.empty(); }

  /// Numbered from 1, as SQLite does.
  [[nodiscard]] std::uint32_t count() const { return count_; }
  /// Whether there are fewer pages than the first one states: the file was cut.
  [[nodiscard]] bool is_cut() const;
  /// Empty for a page that does not exist.
  [[nodiscard]] std::string_view page(std::uint32_t number) const;

 private:
  std::string file_;
  std::string log_;
  LogIndex index_;                              ///< Of `log_`.
  std::map<std::uint32_t, std::size_t> newer_;  ///< Page number -> its place in `log_`.
  std::uint32_t count_ = 0;
};

using Field = std::variant<std::monostate, std::int64_t, double, std::string>;

/// A row of any table.
struct RawRow {
  std::int64_t id = 0;
  std::vector<Field> fields;
  /// False when the end of the row could not be found: it then has only its first fields, and the last one
  /// may be cut.
  bool whole = true;

  [[nodiscard]] std::optional<std::string_view> text(std::size_t field) const {
    const auto* value = field < fields.size() ? std::get_if<std::string>(&fields[field]) : nullptr;
    return value == nullptr ? std::nullopt : std::optional<std::string_view>(*value);
  }
  [[nodiscard]] std::optional<std::int64_t> integer(std::size_t field) const {
    const auto* value = field < fields.size() ? std::get_if<std::int64_t>(&fields[field]) : nullptr;
    return value == nullptr ? std::nullopt : std::optional(*value);
  }
};

/// Calls `f` for every row on every page that looks like a leaf of any table. That includes pages that SQLite
/// has freed, with older rows on them.
void for_each_row(const Pages& pages, const std::function<void(const RawRow&)>& f);

}  // namespace laggard::archive
