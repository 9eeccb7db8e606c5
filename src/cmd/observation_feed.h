#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/time.h"
#include "derive/derivation_table.h"
#include "engine/diagnoser.h"
#include "model/detector.h"
#include "model/observation_source.h"
#include "model/sample_table.h"
#include "model/series_source.h"

namespace laggard::cmd {

struct AnalysisSetup;

/// Who asks for events and profiles.
struct Witnesses {
  std::span<const DetectorSpec> detectors;
  std::span<const derive::Derivation> derivations;
};

/// Where events and profiles go.
struct ObservationConsumer {
  std::function<void(const EventTable&)> events;
  std::function<void(const ProfileTable&)> profiles = nullptr;
  std::function<void(const SampleTable&)> work = nullptr;  ///< Background work, and hosts' load.
  /// Everything before this was handed over, samples too; where samples are derived.
  std::function<void(WallTime)> complete = nullptr;
};

using AddSamples = std::function<void(std::span<const SampleTable>)>;

/// Everything.
[[nodiscard]] ObservationConsumer all_of(engine::Diagnoser& diagnoser);
/// What detectors ask for, where the diagnoser takes what others judged.
[[nodiscard]] ObservationConsumer detectors_of(engine::Diagnoser& diagnoser);

/// Events and profiles of recordings, the background work of their disks and the load of their hosts, on
/// their way to a diagnoser, beside the samples that are judged: before samples from some time on are added,
/// what happened until then is. Of what nobody asks for nothing is read.
class ObservationFeed {
 public:
  /// By shape, host and kind: how many were read.
  using Counts = std::map<std::tuple<ObservationShape, std::string, std::string>, std::uint64_t>;

  /// \param source     outlives this; null: there are none. \param request  its span of time.
  [[nodiscard]] static Result<ObservationFeed> open(ObservationSource* source, const ReadRequest& request,
                                                    const Witnesses& witnesses);

  /// Without this, neither background work nor load. \param source  outlives this. \param request  a
  /// work_request.
  [[nodiscard]] Status open_work(SeriesSource& source, const ReadRequest& request);

  /// Hands over all tables that begin before `until`: samples of a time before that have been added.
  [[nodiscard]] Status read_until(WallTime until, const ObservationConsumer& consumer);
  [[nodiscard]] Status read_rest(const ObservationConsumer& consumer) {
    return read_until(WallTime::max(), consumer);
  }
  /// Hands over what belongs before these samples, and adds them: all at once, or, where samples are derived
  /// from events among these, those of each time by themselves, so that no more events wait than have to.
  [[nodiscard]] Status read_beside(std::span<const SampleTable> tables, const ObservationConsumer& consumer,
                                   const AddSamples& add);
  /// The same of all samples that `read` hands to what it is given.
  [[nodiscard]] Status read_along(const std::function<Status(const AddSamples&)>& read,
                                  const ObservationConsumer& consumer, const AddSamples& add);
  [[nodiscard]] const Counts& counts() const { return counts_; }
  /// The last sample of background work that may be recorded late (detect::WorkGauge::latest); the beginning
  /// of time when none was read.
  [[nodiscard]] WallTime last_late_work() const { return last_late_work_; }

 private:
  /// A reader and the table that it gave last, which is not due yet.
  template <typename Table>
  struct Stream {
    std::unique_ptr<ObservationReader<Table>> reader;
    std::optional<Table> next;
  };
  /// When the stream's next table begins; nothing at its end.
  template <typename Table>
  [[nodiscard]] static Result<std::optional<WallTime>> begin_of_next(Stream<Table>& stream);
  template <typename Table>
  void hand_over(Stream<Table>& stream, const std::function<void(const Table&)>& consume);

  [[nodiscard]] Status read_work_until(WallTime until, const ObservationConsumer& consumer);

  Stream<EventTable> events_;
  Stream<ProfileTable> profiles_;
  bool derives_ = false;
  std::unique_ptr<TableReader> work_;
  std::optional<SampleTable> next_work_;
  WallTime last_late_work_ = WallTime::min();
  Counts counts_;
};

/// As read_all, with the events that samples are derived from beside them.
[[nodiscard]] Status read_all_derived(AnalysisSetup& setup, std::string_view doing,
                                      const ObservationConsumer& events, const AddSamples& add);

/// Up to where observations must have been added before these samples are: their last table's first time.
[[nodiscard]] WallTime begin_of(std::span<const SampleTable> tables);

/// For how long background work of a request may be recorded late.
[[nodiscard]] Duration latest_work(const ReadRequest& request);

/// What a request leaves of background work and load that was recorded (detect::work_gauges, load_inputs);
/// nothing when there is none.
[[nodiscard]] std::optional<ReadRequest> work_request(ReadRequest request, const Inventory& inventory);

/// The streams of a source that somebody asks for.
[[nodiscard]] Result<std::vector<ObservationStream>> wanted_streams(ObservationSource& source,
                                                                    const Witnesses& witnesses);

}  // namespace laggard::cmd
