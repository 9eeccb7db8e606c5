#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/time.h"
#include "collect/import/csv/moment.h"

namespace laggard::collect {

/// One probe as a line of a table tells it. Texts point into the line or into what its reader keeps, until
/// the next line.
struct ProbeRow {
  WallTime time;  ///< When it was begun.
  std::string_view client;
  std::string_view target;
  std::string_view operation;       ///< A name of PingOperation.
  std::optional<Duration> latency;  ///< Nothing: it was never seen to end.
  std::string_view outcome;         ///< As PingRounds has them.
  /// What else is known of it, whole numbers and words.
  std::vector<std::pair<std::string_view, std::string_view>> attributes;
};

/// What a table of probes leaves out.
struct ProbeDefaults {
  std::string client;                           ///< Of tables that name none.
  std::string operation = "WrEx";               ///< The same.
  Duration deadline = std::chrono::seconds(1);  ///< What took longer was slow, where no outcome is written.
  CsvTimes times{};
};

/// Reads tables of probes: lines of fields with commas (RFC 4180) under a header that names them, in any
/// order:
///
///     time                       as `import csv` reads it
///     client or host             who probed
///     target or subject          what
///     operation                  CrWr, WrEx or RmEx
///     latency_s, latency_ms, latency_us, latency_ns or duration_s
///     outcome or what            ok, slow, timeout, error or skipped
///     error                      of what was refused, such as ENOSPC
///     kind                       only lines of the kind `ping` are probes
///     attributes                 words KEY=VALUE, separated by blanks
///
/// Only time, a target and a latency or an outcome have to be there. Where no outcome is written, a probe
/// with a latency was ok or slow, and one without has timed out. The table that `laggard export --events
/// ping` writes is one of these. Other columns are passed over.
class ProbeRows {
 public:
  /// \param header  the first line.
  [[nodiscard]] static Result<ProbeRows> under(std::string_view header, ProbeDefaults defaults);

  /// Nothing for a line of another kind. An error has no place.
  [[nodiscard]] Result<std::optional<ProbeRow>> read(std::string_view line);
  /// Columns that it does not know.
  [[nodiscard]] const std::vector<std::string>& ignored() const { return ignored_; }

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  explicit ProbeRows(ProbeDefaults defaults) : defaults_(std::move(defaults)) {}
  [[nodiscard]] Status place(std::string_view name, std::size_t field);
  [[nodiscard]] Status check() const;
  [[nodiscard]] std::string_view text(std::size_t field) const;
  [[nodiscard]] Status read_latency(ProbeRow& row) const;
  [[nodiscard]] Status read_outcome(ProbeRow& row) const;
  [[nodiscard]] Status read_attributes(ProbeRow& row) const;

  ProbeDefaults defaults_;
  std::size_t count_ = 0;  ///< Of fields.
  std::size_t time_ = kNone;
  std::size_t client_ = kNone;
  std::size_t target_ = kNone;
  std::size_t operation_ = kNone;
  std::size_t latency_ = kNone;
  std::size_t outcome_ = kNone;
  std::size_t error_ = kNone;
  std::size_t kind_ = kNone;
  std::size_t attributes_ = kNone;
  double latency_unit_ns_ = 0;
  std::vector<std::string> ignored_;
  std::vector<std::string_view> fields_;
  std::string scratch_;
};

}  // namespace laggard::collect
