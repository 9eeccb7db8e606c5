#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/time.h"
#include "collect/import/import.h"
#include "collect/import/line_reader.h"
#include "collect/import/members.h"
#include "model/event.h"
#include "model/observation_source.h"

namespace laggard::collect {

/// What importers of events have in common: reads files line by line, packed or archives of many, and gathers
/// events by host until they go to a sink. In the result `values` are events.
class EventImport {
 public:
  /// Where lines come from.
  struct Place {
    std::filesystem::path file;
    std::string where;  ///< With the member of an archive.
  };
  /// Reads a member to its end. The place of an error is added where it has none.
  using ReadLines = std::function<Status(LineReader& lines, const Place& place)>;
  /// Adds one event; false when the table has no room.
  using Append = std::function<bool(EventTable& table)>;

  EventImport(std::string kind, ObservationSink& sink, ImportObserver& observer, const UnpackLimits& limits)
      : kind_(std::move(kind)), sink_(sink), observer_(observer), limits_(limits) {}

  /// A bad file is reported in the result, what stood before its bad line stays, and the next one is read.
  /// Fails as a whole only when the sink fails.
  [[nodiscard]] Status run(std::span<const std::filesystem::path> files, const ReadLines& read);
  [[nodiscard]] Status put(std::string_view host, WallTime time, const Append& append);
  /// Counts a line, and tells how far the import is.
  void count_line() { ++state_.lines; }
  void notice(const std::string& sentence) { observer_.notice(sentence); }
  [[nodiscard]] ImportResult finish();

 private:
  [[nodiscard]] Status read_file(const std::filesystem::path& file, const ReadLines& read);
  [[nodiscard]] Status read_member(const std::filesystem::path& file, Members& members,
                                   const ReadLines& read);
  [[nodiscard]] EventTable& table_of(std::string_view host);
  [[nodiscard]] Status flush();

  std::string kind_;
  ObservationSink& sink_;
  ImportObserver& observer_;
  UnpackLimits limits_;
  ImportState state_;
  ImportResult result_;
  std::uint64_t done_ = 0;  ///< Bytes of the files that are finished.
  std::map<std::string, EventTable, std::less<>> waiting_;
  std::size_t events_waiting_ = 0;
  std::set<std::string, std::less<>> hosts_;
  bool sink_failed_ = false;
};

}  // namespace laggard::collect
