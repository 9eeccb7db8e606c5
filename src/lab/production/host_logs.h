#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/time.h"
#include "lab/production/probes.h"
#include "lab/production/site.h"
#include "lab/sim/random.h"
#include "model/event.h"

namespace laggard::lab::production {

/// The logs of a site's hosts and of its racks' switches over a stretch.
///
/// Each host logs routine lines; now and then an error or a warning that has nothing to do with anything; and
/// at times all of them the same. What is broken is told of by one of a few stories of its kind (stories.h),
/// a little after it began and then again and again, or, of a share of them (SiteParameters::silent), by
/// none. What is overloaded warns that it is slow, and at times of what looks like a failure.
class HostLogs {
 public:
  HostLogs(const Site& site, const Stretch& stretch, Random random);

  /// Lines before `end` that have not been handed out, a table per host.
  [[nodiscard]] std::vector<EventTable> until(WallTime end);

 private:
  struct Line {
    WallTime time;
    std::string host;
    int severity = 0;
    std::string text;
  };

  void log(double at_s, const std::string& host, int severity, std::string_view pattern);
  void log_routine(const std::vector<std::string>& hosts);
  void log_noise(const std::vector<std::string>& hosts);
  void log_incident(const ProductionIncident& incident);
  void log_overload(const ProductionIncident& incident);
  [[nodiscard]] std::string filled_in(std::string_view pattern);

  const SiteParameters& site_;
  const Stretch& stretch_;
  Random random_;
  std::vector<Line> lines_;  ///< By time.
  std::size_t next_ = 0;
};

}  // namespace laggard::lab::production
