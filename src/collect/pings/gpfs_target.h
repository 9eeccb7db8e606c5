#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "collect/pings/directory_pin.h"

namespace laggard::collect {

/// `POOL:DIR` or `DIR`: a directory, or fileset, whose files a placement rule puts into a pool.
struct GpfsPlace {
  std::string pool;  ///< Empty: the user answers for it.
  std::string directory;
  bool operator==(const GpfsPlace&) const = default;
};
[[nodiscard]] std::optional<GpfsPlace> parse_gpfs_place(std::string_view place);

/// The pool of a file, from what `mmlsattr -L` prints; nothing when it does not say.
[[nodiscard]] std::optional<std::string> parse_mmlsattr_pool(std::string_view text);

/// Asks whether files lie in the pool. GPFS spreads a pool's files over all of its NSDs, so that this is as
/// far as a file can be pinned; which rule puts them there is the administrator's: policies are one for the
/// whole file system.
class GpfsPin final : public DirectoryPin {
 public:
  static constexpr long kMagic = 0x47504653;
  explicit GpfsPin(GpfsPlace place, std::string mmlsattr = "/usr/lpp/mmfs/bin/mmlsattr",
                   long file_system = kMagic)
      : place_(std::move(place)), mmlsattr_(std::move(mmlsattr)), file_system_(file_system) {}
  [[nodiscard]] int make(const std::filesystem::path& directory) override;
  [[nodiscard]] int check(const std::filesystem::path& file) override;

 private:
  GpfsPlace place_;
  std::string mmlsattr_;
  long file_system_;
};

/// The functions of the backend `gpfs` (PingBackend).
struct GpfsBackend {
  [[nodiscard]] static Status check(const PingTargetSpec& target);
  [[nodiscard]] static std::unique_ptr<PingTarget> open(const PingTargetSpec& target,
                                                        const PingBackendSetup& setup);
};

}  // namespace laggard::collect
