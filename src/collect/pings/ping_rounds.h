#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/time.h"
#include "collect/pings/latency_histogram.h"
#include "collect/pings/ping.h"
#include "collect/pings/ping_processes.h"
#include "collect/record/clocks.h"
#include "collect/record/event_recorder.h"

namespace laggard::collect {

/// What to probe and when.
struct PingPlan {
  std::vector<PingTargetSpec> targets;
  std::vector<PingOperation> operations;
  Duration interval = std::chrono::seconds(60);
  /// A request that takes longer has failed (K §IV-A: one second, since 99 % of Blue Waters' take less).
  Duration deadline = std::chrono::seconds(1);
  bool prepares = false;  ///< PingBackend::prepares.
};

/// Orders a round of probes at once and then at each multiple of the interval on the wall clock, so that all
/// clients probe together, and tells what became of each as an event: when it was begun, how long it took,
/// the target as subject, the outcome as what happened, and the attribute `operation`. Outcomes:
/// - `ok`: done before the deadline
/// - `timeout`: not done at the deadline, told then and without a duration; as long as it goes on nothing
///   else is asked of that target by that operation, and each round tells another `timeout` with the
///   attribute `waiting_ns`
/// - `slow`: done after the deadline. Where a timeout was told of it before, it has the attribute `timed_out`
///   and the time at which it was done: its beginning may be long past, and has been told
/// - `error`: refused, after so long, with the attribute `error`, such as `ENOSPC`; `timed_out` as above
/// - `skipped`: could not be tried: there was no file to remove, its file came to lie on another target
///   (`error` EXDEV), or the process that does it is gone; and, as a timeout is told, while what it needs of
///   other parts of the system is not there (PingPhase::kPreparing): its own time begins after that
/// The attribute `probe` numbers them, `direct` is 0 where the file system refused direct I/O. Latencies are
/// of the monotonic clock; a step of the wall clock moves the rounds after it and nothing else.
class PingRounds {
 public:
  using Say = std::function<void(const std::string& sentence)>;

  /// The runner outlives this.
  PingRounds(PingPlan plan, PingRunner& runner, Say say);

  /// Takes what has been answered, tells what is overdue and begins the round that is due.
  void step(Clock& clock, ObservationBatch& batch);
  /// What is under way is not known to have failed or not, and is told as lost.
  void finish(Clock& clock, ObservationBatch& batch);
  /// From the last step until the next one has something to do, unless answers come.
  [[nodiscard]] Duration until_next() const { return until_next_; }

 private:
  struct UnderWay {
    std::uint64_t probe = 0;
    WallTime begun;
    MonoTime began;
    bool is_prepared = true;
    bool overdue = false;    ///< Told as such: as a timeout, or as skipped while it is not prepared.
    bool timed_out = false;  ///< Told as a timeout.
  };
  struct Slot {
    std::size_t target = 0;
    PingOperation operation = PingOperation::kCreateWrite;
    std::optional<UnderWay> under_way{};
  };
  /// An event to be told.
  struct Told {
    WallTime time;
    std::optional<Duration> latency{};
    std::uint64_t probe = 0;
    std::string_view outcome;
    int error = 0;
    bool timed_out = false;
    bool direct = true;
    std::optional<Duration> waiting{};
  };

  void tell(const Slot& slot, const Told& told, EventTable& events);
  void take(const PingAnswer& answer, Clock& clock, EventTable& events);
  void enter(PingPhase phase, std::uint64_t probe, Clock& clock);
  [[nodiscard]] Slot* slot_of(std::uint64_t probe);
  void tell_overdue(MonoTime now, EventTable& events);
  void begin_round(Clock& clock, EventTable& events);
  void say_once(std::size_t target, int what, const std::string& sentence);
  void plan_next(Clock& clock);

  PingPlan plan_;
  PingRunner& runner_;
  Say say_;
  TickSchedule schedule_;
  std::vector<Slot> slots_;
  LatencyHistogram histogram_;
  std::optional<MonoTime> next_round_;
  Duration until_next_{};
  std::uint64_t probes_ = 0;
  std::set<std::pair<std::size_t, int>> said_;
};

}  // namespace laggard::collect
