#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <optional>
#include <thread>
#include <variant>

#include "model/series_source.h"

namespace laggard::collect {

/// Takes tables to the sink on a thread of its own: a disk that hangs, which may be the very disk that a
/// recording is to show, must not stop the sampling.
///
/// While the sink hangs tables wait here, within a bound; beyond it the oldest are dropped and counted, and
/// the sink is told of the gap. A full disk is the sink's own affair (TableSink): it keeps what it was given,
/// and the recording goes on.
class Outbox {
 public:
  struct Options {
    std::size_t most_cells = std::size_t{4} << 20;  ///< Some 40 MB: 40 minutes of 100 disks at 1 s.
    /// Runs on the delivering thread after everything was delivered: makes it durable, keeps retention.
    std::function<Status()> afterwards;
  };
  struct Counts {
    std::uint64_t tables_delivered = 0;
    std::uint64_t tables_waiting = 0;
    std::uint64_t tables_dropped = 0;
    std::uint64_t rows_dropped = 0;  ///< Sample times of the dropped tables.
    /// Why the last delivery wrote nothing, which the sink outlives: the disk is full, …
    std::optional<Error> refusal = std::nullopt;
  };

  Outbox(TableSink& sink, Options options);
  Outbox(const Outbox&) = delete;
  Outbox& operator=(const Outbox&) = delete;
  ~Outbox();

  void put(DeviceInfo facts);
  void put(SampleTable table);
  void put(Gap note);

  /// Wakes the thread to deliver what waits; returns at once. The thread starts with the first call.
  void deliver_soon();

  /// Delivers in the caller and ends the thread. A disk that is still full then is an error.
  [[nodiscard]] Status finish();

  [[nodiscard]] Counts counts() const;

  /// The first error that waiting will not heal (anything but a full disk), once there is one.
  [[nodiscard]] std::optional<Error> broken() const;

 private:
  using Item = std::variant<DeviceInfo, SampleTable, Gap>;

  void put(Item item, std::size_t cells);
  void start_worker();
  void work();
  void deliver();
  void drop(const SampleTable& table);
  [[nodiscard]] Status append(const Item& item);
  /// Keeps an error that waiting will not heal. \return one that it will.
  [[nodiscard]] std::optional<Error> judge(const Status& done);

  TableSink& sink_;
  Options options_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::list<Item> waiting_;  ///< A list: the front is with the sink while others are added and dropped.
  std::size_t cells_waiting_ = 0;
  std::optional<Gap> dropped_;  ///< What the sink has not been told of yet.
  bool requested_ = false;
  bool stopping_ = false;
  bool delivering_front_ = false;  ///< The front is with the sink: not to be dropped.
  Counts counts_;
  std::optional<Error> broken_;
  /// Made while there is memory for it.
  Error no_memory_{
      ErrorCode::kTemporary, "",
      "not enough memory to write what was recorded (the machine's, or a limit like ulimit -v or "
      "-d)"};
  std::thread worker_;
};

}  // namespace laggard::collect
