#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "lab/bench/site.h"

namespace laggard::lab::bench {

/// One `laggard record metrics` per host, all into one recording, and on servers sysstat's sadc beside it,
/// each in its host's namespace: they see that host's interface and connections. Disks have no namespaces, so
/// every server's recorder is told which one is its own.
class Recorders {
 public:
  struct Options {
    std::filesystem::path program;  ///< laggard
    std::filesystem::path out;
    std::vector<std::string> loops;  ///< By server.
    bool sadc = true;
    Duration interval = std::chrono::seconds(1);  ///< Of `record metrics`, whole milliseconds.
  };
  [[nodiscard]] static Result<Recorders> start(Site& site, const Options& options);
  Recorders(Recorders&&) = default;
  Recorders& operator=(Recorders&&) = delete;
  Recorders(const Recorders&) = delete;
  Recorders& operator=(const Recorders&) = delete;
  ~Recorders() { stop(); }
  /// Lets them write what they have.
  void stop();
  [[nodiscard]] Status check();
  /// Frozen recorders are there and do nothing, until they are thawed; those of sadc are left alone.
  [[nodiscard]] Status freeze() const { return signal("STOP"); }
  [[nodiscard]] Status thaw() const { return signal("CONT"); }
  [[nodiscard]] const std::vector<int>& metrics() const { return metrics_; }

 private:
  explicit Recorders(Site& site) : site_(&site) {}
  [[nodiscard]] Status signal(std::string_view name) const;
  Site* site_;
  std::vector<int> metrics_;
  std::vector<int> sadc_;
};

[[nodiscard]] Command record_command(const Recorders::Options& options, const std::string& host,
                                     const std::string& disk);

}  // namespace laggard::lab::bench
