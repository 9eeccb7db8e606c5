#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "collect/pings/directory_pin.h"

namespace laggard::collect {

/// The master of a MooseFS, by name or address.
struct MooseFsMaster {
  std::string host;
  std::string port;
  bool operator==(const MooseFsMaster&) const = default;
};
/// What a mount's `.params` says of it: rows such as `mfsmaster: 10.0.0.100` and `mfsport: 9421`.
[[nodiscard]] std::optional<MooseFsMaster> parse_moosefs_master(std::string_view text);

/// A chunkserver of MooseFS.
struct MooseFsServer {
  std::string address;              ///< `10.0.0.1:9422`
  std::vector<std::string> labels;  ///< `A`
  bool operator==(const MooseFsServer&) const = default;
};
/// What `mfscli -SCS -p` prints: rows such as `chunk servers:⇥10.0.0.1⇥9422⇥1⇥A,B⇥…`. Others are passed over.
[[nodiscard]] std::vector<MooseFsServer> parse_moosefs_servers(std::string_view text);

/// The chunkservers that `mfsfileinfo` says a file lies on: rows such as `copy 1: 10.0.0.1:9422
/// (status:VALID)`.
[[nodiscard]] std::vector<std::string> parse_moosefs_copies(std::string_view text);

/// A chunkserver with a label that no other has can be pinned to; those without one are said in a note.
[[nodiscard]] PingListing moosefs_targets(const std::vector<MooseFsServer>& servers,
                                          const std::string& mount);

/// Pins a directory to the chunkserver whose label it is, by a storage class of one copy that is kept there
/// or nowhere (`laggard-pings-A`, strict), which is made where there is none and stays.
class MooseFsPin final : public DirectoryPin {
 public:
  /// \param tools  where mfssetsclass and the others are; empty: where the shell would find them
  explicit MooseFsPin(PingTargetSpec target, std::filesystem::path tools = {})
      : target_(std::move(target)), tools_(std::move(tools)) {}
  [[nodiscard]] int make(const std::filesystem::path& directory) override;
  [[nodiscard]] int check(const std::filesystem::path& file) override;

 private:
  [[nodiscard]] std::string tool(std::string_view name) const { return tools_ / name; }

  PingTargetSpec target_;
  std::filesystem::path tools_;
};

/// The functions of the backend `moosefs` (PingBackend).
struct MooseFsBackend {
  [[nodiscard]] static Status check(const PingTargetSpec& target);
  [[nodiscard]] static std::unique_ptr<PingTarget> open(const PingTargetSpec& target,
                                                        const PingBackendSetup& setup);
  [[nodiscard]] static Result<PingListing> list(const std::string& mount);
};

}  // namespace laggard::collect
