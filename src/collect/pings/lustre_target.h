#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "collect/pings/directory_pin.h"

namespace laggard::collect {

/// An OST or MDT of a Lustre that is mounted here.
struct LustrePart {
  std::string name;  ///< `scratch-OST000a`
  bool is_metadata = false;
  std::uint32_t index = 0;
  bool operator==(const LustrePart&) const = default;
};
/// \return nothing when it is no such name.
[[nodiscard]] std::optional<LustrePart> parse_lustre_part(std::string_view name);

/// What `lfs osts` and `lfs mdts` print, one after the other or alone: rows such as
/// `10: scratch-OST000a_UUID ACTIVE`. What is no such row is passed over.
struct LustreParts {
  std::vector<LustrePart> active;
  std::vector<std::string> inactive;  ///< By name: this client has been told to leave them alone.
};
[[nodiscard]] LustreParts parse_lfs_targets(std::string_view text);

/// Where Lustre's client is.
struct LustreClient {
  static constexpr long kMagic = 0x0BD00BD0;
  std::string lfs = "lfs";
  long file_system = kMagic;  ///< As statfs tells it.
};

/// Pins a directory's files to an OST by its layout (`lfs setstripe -c 1 -i`), or a directory to an MDT (`lfs
/// mkdir -i`), with the data of its files there, too (`-L mdt`, since Lustre 2.11). The MDS takes another OST
/// where that one cannot be had, so each file is asked.
class LustrePin final : public DirectoryPin {
 public:
  LustrePin(LustrePart part, LustreClient client) : part_(std::move(part)), client_(std::move(client)) {}
  [[nodiscard]] int make(const std::filesystem::path& directory) override;
  [[nodiscard]] int check(const std::filesystem::path& file) override;

 private:
  [[nodiscard]] int make_on_mdt(const std::filesystem::path& directory);

  LustrePart part_;
  LustreClient client_;
};

[[nodiscard]] Result<PingListing> list_lustre(const std::string& mount, const LustreClient& client);

/// The functions of the backend `lustre` (PingBackend).
struct LustreBackend {
  [[nodiscard]] static Status check(const PingTargetSpec& target);
  [[nodiscard]] static std::unique_ptr<PingTarget> open(const PingTargetSpec& target,
                                                        const PingBackendSetup& setup);
  [[nodiscard]] static Result<PingListing> list(const std::string& mount) { return list_lustre(mount, {}); }
};

}  // namespace laggard::collect
