#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "detect/syscalls/error_propagation.h"
#include "detect/syscalls/stopped_servers.h"
#include "model/detector.h"
#include "model/syscall_event.h"

namespace laggard::detect {

/// The semantic diagnosis of S §7: servers whose errors reach applications (ErrorPropagation), that have
/// crashed and that hang (StoppedServers). Hosts that the system has as servers are these; all others are
/// clients, on which calls on TCP connections to servers are those of the file system's daemon, and calls on
/// files the applications'. What is found is sure at once, and over when it was not seen for kQuiet.
class SyscallDetector final : public Detector {
 public:
  static constexpr std::array<std::string_view, 1> kEvents{kSyscallKind};
  static constexpr Duration kQuiet = std::chrono::minutes(1);
  /// Pairs of calls that a finding shows.
  static constexpr std::size_t kMostShown = 5;

  explicit SyscallDetector(const DetectorSetup& setup)
      : grouping_(setup.grouping), normal_errors_(setup.normal_errors) {}
  [[nodiscard]] static std::unique_ptr<Detector> make(const DetectorSetup& setup) {
    return std::make_unique<SyscallDetector>(setup);
  }

  using Detector::take;
  void take(const EventTable& events) override;
  void complete(WallTime until) override;
  [[nodiscard]] std::vector<Finding> findings() const override;
  [[nodiscard]] std::size_t kept() const override { return over_.size() + open_.size(); }
  void forget(std::span<const std::uint8_t> keep) override;

 private:
  enum class Trouble : std::uint8_t { kPropagates, kCrashed, kHangs };
  struct Open {
    Finding finding;
    WallTime seen;            ///< End of the last step in which it was so.
    std::uint64_t count = 0;  ///< Of the applications' calls.
    std::string first;        ///< What the first of them tells.
    std::vector<LinesPayload::Line> lines;
  };
  struct Client {
    StoppedServers stopped;
    bool is_recorded = false;  ///< In the step at hand.
  };

  void take_server(const EventTable& events);

  void tell(const ErrorPropagation::Propagated& propagated, WallTime until);
  void tell(const StoppedServers::Stopped& stopped, const Client& client, WallTime until);
  Open& open(const std::string& server, Trouble trouble, WallTime until);
  static void add(Open& open, const FailedCall& application, std::string tells, LinesPayload::Line of_server);
  /// What lasts as long as the server does not answer, whether or not somebody asks again.
  void renew(const Client& client, WallTime until);
  void close_others(WallTime until);

  const Grouping& grouping_;
  std::span<const std::string> normal_errors_;
  ErrorPropagation errors_;
  std::map<std::string, Client> clients_;
  std::vector<std::pair<const Client*, StoppedServers::Stopped>> stopped_;  ///< Of the step at hand.
  std::map<std::pair<std::string, Trouble>, Open> open_;
  std::vector<Finding> over_;
};

}  // namespace laggard::detect
