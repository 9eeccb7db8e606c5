#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"

namespace laggard::collect {

/// An object that a recorder made, this one or another.
struct CephObject {
  std::string name;
  std::chrono::seconds age{};  ///< Since it was written to.
  bool is_ping = false;        ///< What is in it says so, or nothing is in it yet.
};

/// A pool of Ceph's, as far as probes need it: a seam, so that tests of what pins them need no Ceph. Objects
/// of one locator key all lie in one placement group, and so on the same OSDs, whatever they are called.
/// Every call may hang, and may come from any thread. \return 0 or errno
class CephPool {
 public:
  virtual ~CephPool() = default;
  [[nodiscard]] virtual const std::string& name() const = 0;
  /// Has the monitors do a command, which like its answer is JSON.
  [[nodiscard]] virtual int ask(const std::string& command, std::string& answer) = 0;
  /// Writes what a ping writes; makes the object unless it is there.
  [[nodiscard]] virtual int write(const std::string& key, const std::string& object) = 0;
  [[nodiscard]] virtual int remove(const std::string& key, const std::string& object) = 0;
  /// Objects of a key. \param hash  of the key: CephPlace::hash
  [[nodiscard]] virtual int list(const std::string& key, std::uint32_t hash,
                                 std::vector<CephObject>& objects) = 0;
};

/// Through librados, with the ceph.conf and the keyring that Ceph's own programs would use.
/// \param mount  `POOL` or `USER@POOL`; as client.admin when it names no user
[[nodiscard]] Result<std::unique_ptr<CephPool>> open_rados_pool(const std::string& mount);

}  // namespace laggard::collect
