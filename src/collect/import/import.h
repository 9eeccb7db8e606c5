#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/time.h"
#include "model/series_source.h"

namespace laggard::collect {

/// The progress of an import; every reader reports it about once a megabyte.
struct ImportState {
  std::string source;       ///< File or server that is being read.
  std::uint64_t done = 0;   ///< Packed bytes of the files, or milliseconds of the time range.
  std::uint64_t total = 0;  ///< 0 when unknown.
  std::uint64_t lines = 0;
  std::uint64_t values = 0;  ///< Handed on so far.
};

/// Receives the progress of an import; exists so that only the command knows about terminals.
class ImportObserver {
 public:
  virtual ~ImportObserver() = default;
  virtual void progress(const ImportState& state) = 0;
  /// One sentence about something that was left out or assumed.
  virtual void notice(const std::string& sentence) = 0;
};

/// The outcome of an import. A source that failed has an entry in `errors`; the others were still imported.
struct ImportResult {
  std::uint64_t values = 0;  ///< Values read and handed to the sink.
  std::uint64_t lines = 0;
  std::size_t sources = 0;  ///< Files, members or series that held samples.
  std::size_t hosts = 0;
  std::optional<WallTime> first;
  std::optional<WallTime> last;
  std::vector<Error> errors;
  /// Lines that were none, where such are passed over and counted.
  std::optional<std::uint64_t> passed_over{};
};

/// Remembers whether the sink behind it failed: a bad source only ends that source, but a failed sink ends
/// the whole import.
class WatchedSink final : public TableSink {
 public:
  explicit WatchedSink(TableSink& sink) : sink_(sink) {}
  [[nodiscard]] Status append(const SampleTable& table) override { return watch(sink_.append(table)); }
  [[nodiscard]] Status describe(const DeviceInfo& device) override { return watch(sink_.describe(device)); }
  [[nodiscard]] bool failed() const { return failed_; }

 private:
  [[nodiscard]] Status watch(Status status) {
    failed_ = failed_ || !status;
    return status;
  }

  TableSink& sink_;
  bool failed_ = false;
};

}  // namespace laggard::collect
