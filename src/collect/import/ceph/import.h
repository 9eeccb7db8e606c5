#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <istream>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/time.h"
#include "collect/import/import.h"
#include "collect/import/line_reader.h"
#include "collect/import/unpack.h"
#include "model/background_work.h"
#include "model/series_source.h"

namespace laggard::collect {

/// The level of `ceph_work` (model/background_work.h) that the state of a placement group stands for:
/// `active+clean+scrubbing+deep` is a deep scrub. Work that is only waiting (`backfill_wait`, …) does not
/// count.
[[nodiscard]] std::uint64_t ceph_work_of(std::string_view state);

/// The background work of OSDs at one time.
struct CephSnapshot {
  WallTime time;
  std::map<std::int64_t, std::uint64_t> work;  ///< By OSD, never 0; all other OSDs did none.
};

/// Reads saved output of any length, any number of documents one after the other: of `ceph pg dump` (or `pg
/// dump pgs`) and `ceph pg ls`, with `-f json`. A dump says when it was made; a listing does not, and needs a
/// line with the time before it, as `date -u +%FT%TZ` prints it.
///
/// Scrubbing, repairing or trimming a placement group is work for its acting OSDs; recovery and backfill are
/// work for its future OSDs (`up`), too. The states do not tell which of them reads and which writes.
class PgStates {
 public:
  using Source = LineReader::Source;
  /// \param where  names the text in errors.
  PgStates(Source source, std::string where);
  PgStates(const PgStates&) = delete;
  PgStates& operator=(const PgStates&) = delete;
  ~PgStates();

  /// The next snapshot; nothing at the end. Those of a manager that does not know all placement groups yet
  /// (`pg_ready`) are skipped and counted.
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
  std::optional<WallTime> said_;  ///< The time of the line before a listing.
  std::size_t passed_over_ = 0;
};

/// Imports the background work of Ceph's OSDs from saved snapshots of the placement groups (PgStates), packed
/// or not, as the gauge `ceph_work` of the disk that an OSD keeps its data on. A snapshot gives a sample for
/// each disk with a known OSD, 0 if it was idle; the work of several OSDs on one disk is combined.
///
/// A bad file is reported in the result and the next one is read; the snapshots before the bad place are
/// imported. Fails as a whole only when the sink fails.
[[nodiscard]] Result<ImportResult> import_ceph_work(std::span<const std::filesystem::path> files,
                                                    const OsdDisks& osds, TableSink& sink,
                                                    ImportObserver& observer,
                                                    const UnpackLimits& limits = {});

}  // namespace laggard::collect
