#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/time.h"
#include "engine/diagnoser.h"
#include "model/detector.h"
#include "model/observation_source.h"
#include "model/sample_table.h"
#include "model/series_source.h"

namespace laggard::cmd {

/// Events and profiles of recordings on their way to a diagnoser, beside the samples: before samples from
/// some time on are added, what happened until then is. Of what no detector asks for nothing is read.
class ObservationFeed {
 public:
  /// By shape, host and kind: how many were read.
  using Counts = std::map<std::tuple<ObservationShape, std::string, std::string>, std::uint64_t>;

  /// \param source     outlives this. \param request  its span of time.
  [[nodiscard]] static Result<ObservationFeed> open(ObservationSource& source, const ReadRequest& request,
                                                    std::span<const DetectorSpec> detectors);

  /// Adds all tables that begin before `until`.
  [[nodiscard]] Status read_until(WallTime until, engine::Diagnoser& diagnoser);
  [[nodiscard]] Status read_rest(engine::Diagnoser& diagnoser) {
    return read_until(WallTime::max(), diagnoser);
  }
  [[nodiscard]] const Counts& counts() const { return counts_; }

 private:
  /// A reader and the table that it gave last, which is not due yet.
  template <typename Table>
  struct Stream {
    std::unique_ptr<ObservationReader<Table>> reader;
    std::optional<Table> next;
  };
  template <typename Table>
  [[nodiscard]] Status read_until(Stream<Table>& stream, WallTime until, engine::Diagnoser& diagnoser);

  Stream<EventTable> events_;
  Stream<ProfileTable> profiles_;
  Counts counts_;
};

/// Up to where observations must have been added before these samples are: their last table's first time.
[[nodiscard]] WallTime begin_of(std::span<const SampleTable> tables);

/// The streams of a source that some detector asks for.
[[nodiscard]] Result<std::vector<ObservationStream>> wanted_streams(ObservationSource& source,
                                                                    std::span<const DetectorSpec> detectors);

}  // namespace laggard::cmd
