#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "lab/scale/attachment_rows.h"
#include "lab/scale/load.h"
#include "lab/scale/plan.h"

namespace laggard::lab::scale {

/// What all LUNs of an array have in common while a stretch of samples is made.
struct ArrayContext {
  const ScaleSpec* spec = nullptr;
  const std::vector<FileSystemLoad>* loads = nullptr;  ///< Per pool.
  std::size_t array = 0;
  std::span<const Effect> effects;          ///< Of this array.
  std::span<const ServerWork> server_work;  ///< Of the whole site.
};

/// One LUN and its attachments: turns the load that the file system offers into counters of the attachment
/// that serves it, the one of highest priority that is not lost (T §5.2.2).
class LunModel {
 public:
  LunModel(const ArrayContext& context, std::size_t lun);

  /// The tables of the array's servers for samples first .. first+rows-1; this LUN is device `lun` of each.
  void make_rows(const ArrayContext& context, std::span<SampleTable> tables, std::size_t first,
                 std::size_t rows);

 private:
  /// What effects make of an interval.
  struct Conditions {
    ServerMask unused;
    ServerMask absent;
    Slowness slow;
    RequestRate load;
    const Effect* at_servers = nullptr;  ///< The one that has its own load there.
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
  double factor_;                            ///< How much slower than others it is by nature.
  double share_log_ = 0;                     ///< How much more than others it gets just now.
  std::vector<AttachmentRows> attachments_;  ///< Per server of the array.
  std::vector<const Effect*> effects_;       ///< That touch it in this stretch.
  std::array<Work, kMostServers> work_;      ///< Of the interval at hand, per server ...
  ServerMask worked_;                        ///< ... of those that did any.
  ServerMask absent_;                        ///< Servers that do not see the device.
  Requests held_;                            ///< Waiting since a stall began ...
  std::size_t held_at_ = 0;                  ///< ... at this server ...
  double stalled_ms_ = 0;                    ///< ... for so long.
};

}  // namespace laggard::lab::scale
