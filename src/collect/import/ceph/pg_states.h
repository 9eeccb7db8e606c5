#pragma once

#include <cstddef>
#include <cstdint>
#include <istream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/time.h"
#include "collect/import/line_reader.h"

namespace laggard::collect {

/// The level of `ceph_work` (model/ceph_work.h) that the state of a placement group stands for:
/// `active+clean+scrubbing+deep` is a deep scrub. Work that only waits (`backfill_wait`, …) is none.
[[nodiscard]] std::uint64_t ceph_work_of(std::string_view state);

/// What OSDs did by themselves at one time.
struct CephSnapshot {
  WallTime time;
  std::map<std::int64_t, std::uint64_t> work;  ///< By OSD, never 0; all others did none.
};

/// Reads a saved text of any length, in which each of these may stand any number of times, one after the
/// other: `ceph pg dump` (or `pg dump pgs`) and `ceph pg ls`, with `-f json`. A dump says when it was made; a
/// listing does not, and has a line with the time before it, as `date -u +%FT%TZ` prints it.
///
/// A placement group that is scrubbed, repaired or trimmed is work for its acting OSDs; recovery and backfill
/// for those that shall have it (`up`), too. Which of them reads and which writes the states do not tell.
class PgStates {
 public:
  using Source = LineReader::Source;
  /// \param where  names the text in errors.
  PgStates(Source source, std::string where);
  PgStates(const PgStates&) = delete;
  PgStates& operator=(const PgStates&) = delete;
  ~PgStates();

  /// The next snapshot; nothing at the end. Those of a manager that has not heard of all placement groups yet
  /// (`pg_ready`) are passed over and counted.
  [[nodiscard]] Result<std::optional<CephSnapshot>> next();
  [[nodiscard]] std::size_t passed_over() const { return passed_over_; }

 private:
  class Text;
  [[nodiscard]] Status read_line();
  [[nodiscard]] Result<std::optional<CephSnapshot>> read_document();
  [[nodiscard]] std::string place() const;

  std::string where_;
  std::unique_ptr<Text> text_;
  std::istream stream_;
  std::optional<WallTime> said_;  ///< By the line before a listing.
  std::size_t passed_over_ = 0;
};

}  // namespace laggard::collect
