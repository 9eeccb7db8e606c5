#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "collect/pings/ceph_pool.h"
#include "collect/pings/ping_backend.h"

namespace laggard::collect {

/// An OSD of Ceph's. Objects are made in a pool under a locator key whose placement group has the OSD as its
/// acting primary, which requests go to; in a pool of size 1 to it alone. After each request the monitors are
/// asked whether that still holds; where it does not, the probe is not counted and another key is looked for.
/// As long as an OSD is down by what the monitors say, its probes fail with EHOSTDOWN, since those of a pool
/// with copies would be served by others.
///
/// The monitors are asked before a probe's time begins and after it ends, so that who waits for them is
/// skipped. Requests themselves wait for ever, as librados does, until the OSD is back or another has taken
/// over; the deadline is the recorder's.
class CephTarget final : public PingTarget {
 public:
  using Opener = std::function<Result<std::unique_ptr<CephPool>>(const std::string& mount)>;

  [[nodiscard]] static Status check(const PingTargetSpec& target);
  [[nodiscard]] static std::unique_ptr<PingTarget> open(const PingTargetSpec& target,
                                                        const PingBackendSetup& setup);
  /// All OSDs that the pool uses (list_ceph_osds).
  [[nodiscard]] static Result<PingListing> list(const std::string& mount);

  CephTarget(PingTargetSpec target, PingBackendSetup setup, Opener opener);

  [[nodiscard]] PingResult run(PingOperation operation, const PingPhases& phases) override;
  void remove_abandoned() override;
  void remove_own() override;

  static constexpr std::size_t kMostFiles = 8;  ///< As DirectoryTarget::kMostFiles.
  /// Keys beyond the known ones that are tried for one probe, and after which they are tried anew.
  static constexpr std::uint64_t kMostTries = 256;
  static constexpr std::uint64_t kMostKeys = 1U << 16U;

 private:
  struct Object {
    std::string key;
    std::string name;
  };
  /// 0, or why not: connects, and finds a key whose objects lie on the target.
  [[nodiscard]] int prepare(std::string& key);
  /// Requires `mutex_`.
  [[nodiscard]] int connect();
  [[nodiscard]] int find_key();
  /// Whether objects of the key lie on the target; then it is the one that is used. Requires `mutex_`.
  [[nodiscard]] int try_key(const std::string& key, bool& fits);
  /// 0; EHOSTDOWN, or EXDEV where requests go to another OSD; or why it cannot be told.
  [[nodiscard]] int check_place(const std::string& key);
  [[nodiscard]] static PingResult refused(int error);
  [[nodiscard]] PingResult create_write(const PingPhases& phases);
  [[nodiscard]] PingResult write_existing(const PingPhases& phases);
  [[nodiscard]] PingResult remove_existing(const PingPhases& phases);
  [[nodiscard]] std::string fresh_name();
  /// Something of this key that can be removed: made by CrWr, or now. \return 0 or errno
  [[nodiscard]] int take_removable(const std::string& key, Object& object);
  /// Objects of a key by their names. \param wanted  which of them to remove
  void remove_listed(const std::string& key, const std::function<bool(const CephObject&)>& wanted);

  PingTargetSpec target_;
  PingBackendSetup setup_;
  Opener opener_;
  std::int64_t osd_;

  std::mutex mutex_;  ///< Held over questions to the monitors, which the other operations would ask as well.
  std::unique_ptr<CephPool> pool_;  ///< Once there it stays.
  std::string key_;                 ///< Empty: none is known that leads to the target.
  std::vector<std::string> known_;  ///< Keys that have led there: what is left lies under one of them.
  std::uint64_t next_key_ = 0;
  std::uint64_t serial_ = 0;
  std::deque<Object> created_;
  Object existing_;  ///< What WrEx writes to.
};

}  // namespace laggard::collect
