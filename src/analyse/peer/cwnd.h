#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analyse/peer/smoother.h"
#include "base/error.h"
#include "base/time.h"

namespace laggard::analyse {

struct CwndSpec {
  Duration interval = std::chrono::seconds(1);
  std::size_t smoothing = 31;   ///< Samples of the trailing average (F §10.1: 31 s).
  std::size_t least_peers = 3;  ///< Nodes with a value that a median needs to mean anything.
  bool operator==(const CwndSpec&) const = default;
};

/// What one second says about one node.
struct CwndReading {
  double log = 0;    ///< L = log2(1 + smoothed cwnd in segments); NaN when the node sent nothing.
  double ratio = 0;  ///< L / median of L over the nodes; NaN when it cannot be judged.
};

/// Packet loss shows in the congestion windows (F §10.1, T §4.6.1): each loss halves cwnd, so on a
/// logarithmic scale a lossy node sinks away from its peers. Per second and node
///   c = trailing average of the node's cwnd,  L = log2(1 + c),  faulty when L < fraction * median(L).
/// The papers take log2(c); 1 + c (**ours**) keeps L positive for the small windows of heavy loss, so that "a
/// fraction of the median" means something. There is no filter over windows: the average does its work.
///
/// A node's cwnd in a second is the mean over its sockets that sent in it, missing when none did. Two groups
/// are judged apart: servers (by their sockets towards clients) and clients (towards servers).
class CwndStream {
 public:
  CwndStream(const CwndSpec& spec, std::size_t nodes);

  /// Takes the nodes' values at `t`; seconds between the last call's and this one count as missing.
  /// Requires `t` on the grid and later than the last one.
  /// \param cwnd  n values in segments; NaN is missing.
  /// \return      n readings, valid until the next call.
  std::span<const CwndReading> push(WallTime t, std::span<const double> cwnd);

  [[nodiscard]] std::string save() const;
  [[nodiscard]] static Result<CwndStream> restore(std::string_view bytes);
  friend bool operator==(const CwndStream& a, const CwndStream& b) { return a.save() == b.save(); }

 private:
  CwndSpec spec_;
  Smoother smoother_;
  bool started_ = false;
  std::int64_t next_ = 0;
  std::vector<double> smoothed_;
  std::vector<double> scratch_;
  std::vector<CwndReading> readings_;
};

/// Learns the one fraction of a group (F §10.1: two in all, for servers and for clients): the largest
/// multiple of `step` that leaves no node faulty in any second of the training data, so the smallest ratio
/// seen, rounded down. Not doubled (F). NaN without data; 0 when a node's window fell to nothing even there.
class CwndTrainer {
 public:
  explicit CwndTrainer(double step = 0.1) : step_(step) { LAGGARD_CHECK(step > 0); }
  void add(std::span<const CwndReading> readings);
  [[nodiscard]] double fraction() const;

 private:
  double step_;
  double smallest_ = 1;
  bool any_ = false;
};

}  // namespace laggard::analyse
