#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <variant>

#include "model/observation_source.h"
#include "model/series_source.h"

namespace laggard::collect {

/// Delivers tables to the sink on a separate thread, so that a hung disk, which may be the very disk that is
/// being recorded, does not stop the sampling.
///
/// While the sink hangs, tables wait here up to a limit; beyond it the oldest are dropped and counted, and a
/// gap is noted in the sink, or a loss in the stream of events or profiles. Events that the sink cannot hold
/// (kBadInput) become a loss, too. A full disk is handled by the sink (TableSink): it keeps what it was
/// given, and the recording goes on.
class Outbox {
 public:
  struct Options {
    std::size_t most_cells = std::size_t{4} << 20;  ///< Some 40 MB: 40 minutes of 100 disks at 1 s.
    /// Runs on the delivering thread once `deliver_soon` has delivered everything: syncs it to disk, enforces
    /// retention.
    std::function<Status()> afterwards;
  };
  struct Counts {
    std::uint64_t tables_delivered = 0;
    std::uint64_t tables_waiting = 0;
    std::uint64_t tables_dropped = 0;
    std::uint64_t rows_dropped = 0;            ///< Sample times of the dropped tables.
    std::uint64_t observations_delivered = 0;  ///< Events and periods.
    std::uint64_t observations_dropped = 0;
    /// Why the last delivery wrote nothing, for a reason that may pass: the disk is full, …
    std::optional<Error> refusal = std::nullopt;
  };

  Outbox(TableSink& sink, Options options) : Outbox(&sink, nullptr, std::move(options)) {}
  Outbox(ObservationSink& sink, Options options) : Outbox(nullptr, &sink, std::move(options)) {}
  Outbox(const Outbox&) = delete;
  Outbox& operator=(const Outbox&) = delete;
  ~Outbox();

  void put(DeviceInfo facts);
  void put(SampleTable table);
  void put(Gap note);
  void put(EventTable table);
  void put(ProfileTable table);

  /// Wakes the thread to deliver what is waiting and returns at once. The first call starts the thread.
  void deliver_soon();
  /// The same, but nothing runs afterwards: for what is much, of which the sink makes large blocks as long as
  /// it need not sync it.
  void hand_on_soon();

  /// Ends the thread and delivers the rest in the caller. A disk that is still full is then an error.
  [[nodiscard]] Status finish();

  [[nodiscard]] Counts counts() const;

  /// Whether little waits and the sink has written what it was given last. Who can leave things where they
  /// are had better not bring more before.
  [[nodiscard]] bool has_room() const;

  /// The first permanent error (anything but a full disk), once there is one.
  [[nodiscard]] std::optional<Error> broken() const;

 private:
  using Item = std::variant<DeviceInfo, SampleTable, Gap, EventTable, ProfileTable>;
  using HostKind = std::pair<std::string, std::string>;

  Outbox(TableSink* sink, ObservationSink* observations, Options options);
  void put_item(Item item);
  [[nodiscard]] static std::size_t cells_of(const Item& item);
  void request(bool syncs);
  void start_worker();
  void work();
  void deliver(bool syncs);
  void drop(const Item& item);
  void drop_samples(const SampleTable& table);
  template <typename Table>
  void drop_observations(const Table& table, std::map<HostKind, Loss>& losses, const std::string& reason);
  [[nodiscard]] bool drop_if_refused(const Item& item, const Status& done);
  void count_delivered(const Item& item);
  void tell_losses();
  [[nodiscard]] Status append(const Item& item);
  /// Keeps a permanent error in `broken_`. \return a temporary one.
  [[nodiscard]] std::optional<Error> judge(const Status& done);

  TableSink* sink_;
  ObservationSink* observations_;
  Options options_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::list<Item> waiting_;  ///< A list, so that the sink can hold the front while others come and go.
  std::size_t cells_waiting_ = 0;
  std::optional<Gap> dropped_;  ///< Of dropped tables; not yet noted in the sink.
  std::map<HostKind, Loss> dropped_events_;
  std::map<HostKind, Loss> dropped_periods_;
  bool requested_ = false;
  bool sync_requested_ = false;
  bool stopping_ = false;
  bool delivering_front_ = false;  ///< The sink has the front, so it must not be dropped.
  Counts counts_;
  std::optional<Error> broken_;
  /// Made in advance, while there is memory for it.
  Error no_memory_{
      ErrorCode::kTemporary, "",
      "not enough memory to write what was recorded (the machine's, or a limit like ulimit -v or "
      "-d)"};
  std::thread worker_;
};

}  // namespace laggard::collect
