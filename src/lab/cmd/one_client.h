#pragma once

// What the paper's instruments saw of connections: less than ours do.

#include <optional>
#include <set>
#include <string>

#include "model/grouping.h"
#include "model/sample_table.h"

namespace laggard::lab {

/// Connections as F recorded them: from /proc/net/tcp, which has a window for every connection and does not
/// say which of them sent (F §6), and of a single client, which is what F §11.1 calls enough. So windows of
/// idle connections count as they stand, and nothing is averaged over clients: the windows of one client are
/// as unsteady as single connections are, and that is what the paper's fractions of the median are trained
/// on.
class OneClient {
 public:
  /// The middle one of the clients in natural order: neither the first to start nor the last. All connections
  /// where no client is known.
  explicit OneClient(const Grouping& grouping);

  /// Hands `table` on as F saw it; not at all when it shows nothing but other clients' connections.
  template <typename Consume>
  void show(const SampleTable& table, const Consume& consume) const {
    if (table.kind() != DeviceKind::kTcp) {
      consume(table);
    } else if (const std::optional<SampleTable> seen = narrowed(table)) {
      consume(*seen);
    }
  }

 private:
  [[nodiscard]] std::optional<SampleTable> narrowed(const SampleTable& table) const;
  [[nodiscard]] bool concerns_client(const SampleTable& table, const std::string& socket) const;

  std::string client_;  ///< Empty: all.
  std::set<std::string> addresses_;
};

}  // namespace laggard::lab
