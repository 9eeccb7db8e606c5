#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "lab/bench/site.h"

namespace laggard::lab::bench {

/// Programs on hosts, which run until `stop` or destruction.
class StartedPrograms {
 public:
  /// How they are told to end, and when they are killed.
  struct Ending {
    int signal;
    Duration patience;
  };

  /// \param site  outlives this
  StartedPrograms(Site& site, Ending ending) : site_(&site), ending_(ending) {}
  StartedPrograms(StartedPrograms&&) = default;
  StartedPrograms& operator=(StartedPrograms&&) = delete;
  StartedPrograms(const StartedPrograms&) = delete;
  StartedPrograms& operator=(const StartedPrograms&) = delete;
  ~StartedPrograms() { stop(); }

  /// \param log  the name of what it writes to
  [[nodiscard]] Status start(const std::string& host, Command command, std::string_view log);
  void stop();
  /// An error when one has ended by itself. \param what  they are, for its sentence
  [[nodiscard]] Status check(std::string_view what) const;
  [[nodiscard]] const std::vector<HostProcess>& processes() const { return processes_; }

 private:
  Site* site_;
  Ending ending_;
  std::vector<HostProcess> processes_;
};

}  // namespace laggard::lab::bench
