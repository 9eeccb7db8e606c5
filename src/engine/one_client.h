#pragma once

#include <optional>
#include <set>
#include <string>

#include "model/grouping.h"
#include "model/sample_table.h"

namespace laggard::engine {

/// Connections as F recorded them: from /proc/net/tcp, which shows a window for every connection but not
/// which of them sent (F §6), and with a single client, which F §11.1 calls enough. So windows of idle
/// connections count, nothing else of connections is known, and nothing is averaged over clients: the windows
/// of one client vary as much as those of single connections, and F's fractions of the median are trained on
/// that.
class OneClient {
 public:
  /// Picks the middle client in natural order, which is neither the first nor the last to start; all
  /// connections when no client is known.
  explicit OneClient(const Grouping& grouping);

  /// Empty: all.
  [[nodiscard]] const std::string& client() const { return client_; }

  /// What F would have seen of a table of connections: a copy of the windows of this client's. Nothing when
  /// it has only others'.
  [[nodiscard]] std::optional<SampleTable> narrowed(const SampleTable& connections) const;

 private:
  [[nodiscard]] bool concerns_client(const SampleTable& table, const std::string& socket) const;

  std::string client_;
  std::set<std::string> addresses_;
};

}  // namespace laggard::engine
