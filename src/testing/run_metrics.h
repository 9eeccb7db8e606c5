#pragma once

// For tests: the metrics of a simulated run, computed from the counters that it wrote, second by second.

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/missing.h"
#include "lab/cluster/cluster.h"
#include "stats/quantile.h"

namespace laggard::lab {

/// Simulates a run and keeps its tables.
class RunMetrics final : public TableSink {
 public:
  RunMetrics(const ClusterSpec& cluster, const RunSpec& run) : servers_(cluster.servers) {
    Cluster simulated(cluster, run);
    simulated.run();
    events = simulated.events();
    const std::size_t programs = run.workload == Workload::kIdle ? 0 : cluster.clients;
    for (std::size_t c = 0; c < programs; ++c) {
      bytes_done.push_back(static_cast<double>(simulated.program(c).bytes_done()));
      operations_done.push_back(static_cast<double>(simulated.program(c).operations_done()));
    }
    LAGGARD_CHECK(simulated.write(*this).has_value());
  }
  Status append(const SampleTable& table) override {
    tables.push_back(table);
    return {};
  }
  Status describe(const DeviceInfo& /*device*/) override { return {}; }

  /// Seconds [from, to) of the run.
  struct Span {
    std::size_t from = 0;
    std::size_t to = 0;
  };
  static constexpr Span kBefore{45, 130};
  static constexpr Span kDuring{165, 430};

  /// Mean per second of a cumulative counter of a host's device (all devices of that kind together).
  [[nodiscard]] double rate(const std::string& host, DeviceKind kind, std::string_view counter,
                            Span span) const {
    const SampleTable& t = table(host, kind);
    const std::size_t c = *t.counter_index(counter);
    double sum = 0;
    for (std::size_t d = 0; d < t.devices().size(); ++d) {
      sum +=
          static_cast<double>(*t.integer(c, d, span.to)) - static_cast<double>(*t.integer(c, d, span.from));
    }
    return sum / static_cast<double>(span.to - span.from);
  }

  /// Mean of a gauge, over time and devices.
  [[nodiscard]] double mean_of(const std::string& host, DeviceKind kind, std::string_view counter,
                               Span span) const {
    const SampleTable& t = table(host, kind);
    const std::size_t c = *t.counter_index(counter);
    double sum = 0;
    for (std::size_t d = 0; d < t.devices().size(); ++d) {
      for (std::size_t at = span.from; at < span.to; ++at) sum += static_cast<double>(*t.integer(c, d, at));
    }
    return sum / static_cast<double>((span.to - span.from) * t.devices().size());
  }

  [[nodiscard]] double disk(std::size_t server, std::string_view counter, Span span) const {
    return rate(server_name(server), DeviceKind::kDisk, counter, span);
  }
  [[nodiscard]] double net(std::size_t server, std::string_view counter, Span span) const {
    return rate(server_name(server), DeviceKind::kNet, counter, span);
  }
  /// Milliseconds per request over the whole span.
  [[nodiscard]] double await(std::size_t server, Span span) const {
    const double ios = disk(server, "rd_ios", span) + disk(server, "wr_ios", span);
    return ios > 0 ? (disk(server, "rd_ms", span) + disk(server, "wr_ms", span)) / ios : 0;
  }
  [[nodiscard]] double utilisation(std::size_t server, Span span) const {
    return disk(server, "io_ms", span) / 10;
  }

  /// Congestion window of a server's connections: for each second the mean over those that sent in it, NaN
  /// when none did.
  [[nodiscard]] std::vector<double> server_cwnd(std::size_t server, Span span) const {
    const SampleTable& t = table(server_name(server), DeviceKind::kTcp);
    std::vector<std::size_t> all(t.devices().size());
    for (std::size_t d = 0; d < all.size(); ++d) all[d] = d;
    return cwnd(t, all, span);
  }
  /// The same for one client's connection to one server.
  [[nodiscard]] std::vector<double> client_cwnd(std::size_t client, std::size_t server, Span span) const {
    return cwnd(table(client_name(client), DeviceKind::kTcp), {server}, span);
  }
  /// Mean window of all clients towards a server.
  [[nodiscard]] double mean_client_cwnd(std::size_t server, Span span) const {
    std::vector<double> means;
    for (std::size_t c = 0; c < bytes_done.size(); ++c) means.push_back(mean(client_cwnd(c, server, span)));
    return mean(means);
  }
  [[nodiscard]] double mean_server_cwnd(std::size_t server, Span span) const {
    return mean(server_cwnd(server, span));
  }

  static double mean(const std::vector<double>& x) {
    double sum = 0;
    double count = 0;
    for (const double v : x) {
      if (std::isnan(v)) continue;
      sum += v;
      ++count;
    }
    return count > 0 ? sum / count : kMissing;
  }
  static double deviation(const std::vector<double>& x) {
    std::vector<double> squares;
    const double middle = mean(x);
    for (const double v : x) squares.push_back((v - middle) * (v - middle));
    return std::sqrt(mean(squares));
  }

  /// A metric of all servers but one, sorted.
  template <typename Metric>
  [[nodiscard]] std::vector<double> others(std::size_t than, const Metric& metric) const {
    std::vector<double> values;
    for (std::size_t s = 0; s < servers_; ++s) {
      if (s != than) values.push_back(metric(s));
    }
    std::sort(values.begin(), values.end());
    return values;
  }
  template <typename Metric>
  [[nodiscard]] double median_of_others(std::size_t than, const Metric& metric) const {
    return stats::quantile_of_sorted(others(than, metric), 0.5);
  }

  [[nodiscard]] const SampleTable& table(const std::string& host, DeviceKind kind) const {
    const auto found = std::find_if(tables.begin(), tables.end(), [&](const SampleTable& t) {
      return t.host() == host && t.kind() == kind;
    });
    LAGGARD_CHECK(found != tables.end());
    return *found;
  }

  std::vector<SampleTable> tables;
  std::vector<double> bytes_done;       ///< Per client.
  std::vector<double> operations_done;  ///< Per client.
  std::uint64_t events = 0;

 private:
  static std::vector<double> cwnd(const SampleTable& t, const std::vector<std::size_t>& devices, Span span) {
    const std::size_t window = *t.counter_index("snd_cwnd");
    const std::size_t sent = *t.counter_index("bytes_sent");
    std::vector<double> values;
    for (std::size_t second = span.from; second < span.to; ++second) {
      std::vector<double> here;
      for (const std::size_t d : devices) {
        if (*t.integer(sent, d, second + 1) > *t.integer(sent, d, second)) {
          here.push_back(*t.number(window, d, second + 1));
        }
      }
      values.push_back(mean(here));
    }
    return values;
  }

  std::size_t servers_;
};

}  // namespace laggard::lab
