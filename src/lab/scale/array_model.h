#pragma once

#include <optional>
#include <span>
#include <vector>

#include "lab/scale/attachment_rows.h"
#include "lab/scale/load.h"
#include "lab/scale/plan.h"
#include "lab/scale/request_account.h"
#include "lab/sim/storage_array.h"
#include "model/sample_table.h"

namespace laggard::lab::scale {

/// One array with its servers: requests wait in the queues of its controllers and disks, and are counted by
/// the attachment through which they come, which is that of highest priority that is not lost (T §5.2.2).
///
/// Time goes by intervals: `enter`, then `send` for each request in the order of their times, then `close`.
class ArrayModel {
 public:
  /// `spec` and `effects`, those on this array, must outlive this.
  ArrayModel(const ScaleSpec& spec, std::size_t array, std::span<const Effect> effects);

  /// The tables of the array's servers for the next samples; LUN i is device i of each.
  void begin_rows(std::span<SampleTable> tables);

  /// The effects of the interval that ends with sample `row`, at `to` seconds, take hold at its begin.
  void enter(Seconds from, Seconds to, std::size_t row);

  /// When the requests are answered; nothing when no server has the LUN, or when as many as clients ever have
  /// outstanding on it wait already: then nothing is sent.
  std::optional<Served> send(const LunRequests& requests);

  /// Counts what was done up to `to`.
  void close(Seconds to, std::size_t row);
  void finish_rows(std::size_t rows);

  /// Requests in addition to those of jobs, in the present interval.
  [[nodiscard]] const RequestRate& extra_load(std::size_t lun) const { return luns_[lun].now.load; }
  /// The effect that has servers send requests of their own to a LUN; null when there is none.
  [[nodiscard]] const Effect* own_requests(std::size_t lun) const { return luns_[lun].now.at_servers; }
  /// Whether the server has the LUN, and uses it.
  [[nodiscard]] bool reaches(std::size_t server, std::size_t lun) const {
    return !luns_[lun].now.unused.test(server) && !luns_[lun].now.absent.test(server);
  }

 private:
  /// All that effects do to a LUN at the same time.
  struct Conditions {
    ServerMask unused;
    ServerMask absent;
    RequestRate load;
    Repair repair = Repair::kNone;
    const Effect* at_servers = nullptr;
    Seconds stalled_until = 0;
    std::vector<DiskAilment> disks;
  };
  struct Lun {
    Conditions now;
    double slower = 1;              ///< Than others: equal hardware is never quite equal.
    Repair repair = Repair::kNone;  ///< As its group has it.
    std::optional<std::size_t> serving;
    std::vector<SimTime> outstanding;  ///< Ends of its last accesses, round robin ...
    std::size_t oldest = 0;            ///< ... from here on.
  };
  struct Attachment {
    AttachmentRows rows;
    RequestAccount account;
  };

  [[nodiscard]] Conditions conditions(std::size_t lun, Seconds to) const;
  void apply(std::size_t lun, Seconds from);
  void apply_repair(std::size_t lun, Seconds from);
  void show_presence(std::size_t lun, const ServerMask& before, std::size_t row);
  [[nodiscard]] std::optional<std::size_t> server_of(std::size_t lun) const;
  /// GPFS scatters the blocks of a file over a LUN.
  [[nodiscard]] std::int64_t any_position(std::int64_t bytes);
  [[nodiscard]] Attachment& attachment(std::size_t lun, std::size_t server) {
    return attachments_[lun * spec_.site.servers_per_array + server];
  }

  const ScaleSpec& spec_;
  std::span<const Effect> effects_;
  Random random_;
  StorageArray storage_;
  std::vector<Lun> luns_;
  std::vector<Attachment> attachments_;
  std::vector<Seconds> changes_;  ///< When effects begin or end, ascending ...
  std::size_t next_change_ = 0;   ///< ... of which those before are past.
};

}  // namespace laggard::lab::scale
