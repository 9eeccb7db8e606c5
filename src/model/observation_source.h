#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/time.h"
#include "model/event.h"
#include "model/profile.h"

namespace laggard {

/// The observations that are no series, beside SeriesSource: happenings and counts.
enum class ObservationShape : std::uint8_t { kEvents, kProfiles };

/// What a source holds of one kind on one host.
struct ObservationStream {
  ObservationShape shape = ObservationShape::kEvents;
  std::string host;
  std::string kind;
  WallTime first;  ///< Earliest time of an event, start of a period, or of a loss.
  WallTime last;
  std::uint64_t count = 0;   ///< Events, or periods.
  std::uint64_t lost = 0;    ///< As the stream itself tells.
  std::uint64_t blocks = 0;  ///< That they are stored in; a reader fetches whole ones.
};

/// What of a source to read. Empty lists mean everything.
struct ObservationRequest {
  std::optional<WallTime> from;  ///< Inclusive.
  std::optional<WallTime> to;    ///< Exclusive.
  std::vector<std::string> kinds;
  std::vector<std::string> hosts;
};

/// Yields tables: of one host and kind in the order of recording, and over hosts by the first time of the
/// table.
template <typename Table>
class ObservationReader {
 public:
  virtual ~ObservationReader() = default;
  /// The next table, or nothing at the end. Tables may be of any length and may hold losses only; what lies
  /// outside [from, to) is cut.
  [[nodiscard]] virtual Result<std::optional<Table>> next() = 0;
};
using EventReader = ObservationReader<EventTable>;
using ProfileReader = ObservationReader<ProfileTable>;

/// Where events and profiles come from. A reader must not outlive its source.
class ObservationSource {
 public:
  virtual ~ObservationSource() = default;
  /// By shape, host and kind.
  [[nodiscard]] virtual Result<std::vector<ObservationStream>> observations() = 0;
  [[nodiscard]] virtual Result<std::unique_ptr<EventReader>> read_events(
      const ObservationRequest& request) = 0;
  [[nodiscard]] virtual Result<std::unique_ptr<ProfileReader>> read_profiles(
      const ObservationRequest& request) = 0;
};

/// Where events and profiles go. Errors as those of TableSink::append: on kNoSpace the sink has taken the
/// table nevertheless. A bookmark (EventTable) is stored together with the events of its table where these
/// are of one day of the recording (recording_day), and with the last ones of them otherwise.
class ObservationSink {
 public:
  virtual ~ObservationSink() = default;
  [[nodiscard]] virtual Status append(const EventTable& table) = 0;
  [[nodiscard]] virtual Status append(const ProfileTable& table) = 0;
};

}  // namespace laggard
