#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "lab/scale/load.h"
#include "lab/scale/plan.h"
#include "model/sample_table.h"

namespace laggard::lab::scale {

/// The counters of one attachment as /proc/diskstats shows them, sample after sample. Cells of a table are
/// written run by run: samples in which nothing happens are filled at once, which makes thousands of idle
/// attachments cheap.
class AttachmentRows {
 public:
  /// Starts the cells of the next stretch of samples; those of the previous stretch must be complete.
  void begin(SampleTable& table, std::size_t device);

  /// Adds the work of the interval that ends with sample `row`. \param weighted_ms  requests x time in flight
  void work(std::size_t row, const Work& work, double weighted_ms);
  /// Whether the device exists from sample `row` on; it comes back with counters of zero.
  void set_present(std::size_t row, bool present);

  void finish(std::size_t rows) { fill_to(rows); }

  /// Sets the counters before the first sample, as of a machine that has been up for a while.
  void seed(std::uint64_t requests);

  static std::vector<TableCounter> counters();

 private:
  static constexpr std::size_t kCounters = 9;
  void fill_to(std::size_t row);
  void reset();
  [[nodiscard]] std::array<std::uint64_t, kCounters> values() const;

  SampleTable* table_ = nullptr;
  std::size_t device_ = 0;
  std::size_t filled_ = 0;
  bool present_ = true;
  std::uint64_t rd_ios_ = 0;
  std::uint64_t wr_ios_ = 0;
  double rd_sectors_ = 0;
  double wr_sectors_ = 0;
  double rd_ms_ = 0;
  double wr_ms_ = 0;
  double io_ms_ = 0;
  double weighted_ms_ = 0;
  std::uint64_t in_flight_ = 0;
};

/// What all LUNs of an array share while a stretch of samples is made.
struct ArrayContext {
  const ScaleSpec* spec = nullptr;
  const std::vector<FileSystemLoad>* loads = nullptr;  ///< Per pool.
  std::size_t array = 0;
  std::span<const Effect> effects;          ///< Of this array.
  std::span<const ServerWork> server_work;  ///< Of the whole site.
};

/// One LUN and its attachments: turns the load that the file system offers into counters of the attachment
/// that serves it, which is the one of highest priority that is not lost (T §5.2.2).
class LunModel {
 public:
  LunModel(const ArrayContext& context, std::size_t lun);

  /// The tables of the array's servers for samples first .. first+rows-1; this LUN is device `lun` of each.
  void make_rows(const ArrayContext& context, std::span<SampleTable> tables, std::size_t first,
                 std::size_t rows);

 private:
  /// The sum of all effects during an interval.
  struct Conditions {
    ServerMask unused;
    ServerMask absent;
    Slowness slow;
    RequestRate load;
    const Effect* at_servers = nullptr;  ///< The effect that adds requests at servers.
    bool stalled = false;
  };

  void select_effects(const ArrayContext& context, Seconds from, Seconds to);
  [[nodiscard]] Conditions conditions_at(Seconds t) const;
  void show_presence(const ServerMask& absent, std::size_t row);
  [[nodiscard]] std::optional<std::size_t> serving(const SiteSpec& site, const Conditions& now) const;
  void one_interval(const ArrayContext& context, const Conditions& now, std::size_t sample, std::size_t row);
  [[nodiscard]] Requests offered(const ArrayContext& context, const Conditions& now, std::size_t sample);
  [[nodiscard]] Requests draw(double reads, double writes, double read_sectors, double write_sectors);
  void add_fixed_at(std::size_t server, const FixedRequests& fixed, double interval_s);
  void hold(const Requests& requests, double interval_ms, std::size_t server, std::size_t row);
  void release();
  void add_server_work(const ArrayContext& context, const Conditions& now, Seconds t,
                       std::optional<std::size_t> server);
  [[nodiscard]] Work& work_of(std::size_t server) {
    worked_.set(server);
    return work_[server];
  }

  std::size_t lun_;
  std::size_t set_;
  Random random_;
  double factor_;                            ///< How much slower than others its hardware is.
  double share_log_ = 0;                     ///< Logarithm of its present share of the load.
  std::vector<AttachmentRows> attachments_;  ///< Per server of the array.
  std::vector<const Effect*> effects_;       ///< Those on it in this stretch.
  std::array<Work, kMostServers> work_;      ///< Of the present interval, per server ...
  ServerMask worked_;                        ///< ... of those that did any.
  ServerMask absent_;                        ///< Servers that do not see the device.
  Requests held_;                            ///< Waiting since a stall began ...
  std::size_t held_at_ = 0;                  ///< ... at this server ...
  double stalled_ms_ = 0;                    ///< ... for so long.
};

}  // namespace laggard::lab::scale
