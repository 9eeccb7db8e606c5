#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/file.h"
#include "collect/pings/direct_write.h"
#include "collect/pings/gluster_layout.h"
#include "collect/pings/ping_backend.h"

namespace laggard::collect {

/// A brick of a volume of GlusterFS that is mounted here, or a set of bricks that hold replicas or fragments.
/// Files get names whose hash lies in the target's part of the layout of their directory, and are asked after
/// every request on which bricks they lie; where that is another one the probe is not counted and the layout
/// is read again.
///
/// Files lie on one subvolume, directories on all: to find a file in a directory whose attributes the kernel
/// does not know, or no longer, takes an answer of every brick. So that one brick that hangs does not look
/// like all of them, WrEx writes to a file that stays open, and the others have the kernel fetch the
/// attributes before they are counted, in a directory that only this target and this host use. As long as
/// that hangs they are not begun, and where it fails they are skipped: what is wrong is not the target's, or
/// WrEx says so, too.
class GlusterTarget final : public PingTarget {
 public:
  [[nodiscard]] static Status check(const PingTargetSpec& target);
  [[nodiscard]] static std::unique_ptr<PingTarget> open(const PingTargetSpec& target,
                                                        const PingBackendSetup& setup) {
    return std::make_unique<GlusterTarget>(target, setup);
  }
  /// All subvolumes of a volume. One of one brick is called `fs1/bricks/b1`, which makes it a disk of the
  /// server fs1, others by the name that GlusterFS has for them.
  [[nodiscard]] static Result<PingListing> list(const std::string& mount);

  GlusterTarget(PingTargetSpec target, PingBackendSetup setup);

  [[nodiscard]] PingResult run(PingOperation operation, const PingPhases& phases) override;
  void remove_abandoned() override;
  void remove_own() override;

  static constexpr std::size_t kMostFiles = 8;  ///< As DirectoryTarget::kMostFiles.
  static constexpr int kMostTries = 4;          ///< Files that are made for one that lies on the target.
  /// Another directory is made where the brick that has to make it is down, and where its layout does not
  /// lead to the target: the client knows an old one, or it was made while the target was down or not yet
  /// there.
  static constexpr int kMostDirectories = 8;

 private:
  struct File {
    std::string name;
    int directory = 0;  ///< Which one of kMostDirectories.
    PingFile open;
  };
  /// 0, or why not: opens the directory, learns which names lie on the target, and has the kernel fetch the
  /// directory's attributes, so that the next request in it needs the target alone. Requires `in_directory_`.
  [[nodiscard]] int prepare();
  [[nodiscard]] int open_directory();
  [[nodiscard]] int learn_placement();
  [[nodiscard]] std::optional<GlusterPlacement> placement();
  void forget_placement();
  [[nodiscard]] std::filesystem::path directory_path(int one) const;
  /// A name that comes to lie on the target; nothing where none does.
  [[nodiscard]] std::optional<std::string> fresh_name();
  /// 0; EXDEV where the file lies elsewhere, which makes the layout be read again; or why it cannot be told.
  [[nodiscard]] int check_place(const File& file);
  /// Makes and writes a file on the target. Requires `in_directory_`. \param file  then holds it
  [[nodiscard]] PingResult create(const PingPhases& phases, File& file);
  [[nodiscard]] PingResult create_once(const PingPhases& phases, File& file);
  [[nodiscard]] PingResult create_write(const PingPhases& phases);
  [[nodiscard]] PingResult write_existing(const PingPhases& phases);
  [[nodiscard]] PingResult remove_existing(const PingPhases& phases);
  /// Lets go of what lies on a mount that is no longer the one here.
  void follow_mount();
  /// Goes on in another directory.
  void leave_directory();
  /// Removes the file, now or with the next RmEx. Requires `in_directory_`.
  void discard(File file);

  PingTargetSpec target_;
  PingBackendSetup setup_;
  std::string folder_;  ///< The directory's name, up to what tells tries apart.
  std::uint64_t serial_ = 0;

  std::mutex
      in_directory_;  ///< Held over calls into the file system: each makes the next one's attributes old.
  int directory_is_ = 0;
  std::uint64_t misplaced_ = 0;  ///< Probes in a row whose files came to lie elsewhere.
  Fd directory_;                 ///< Of O_PATH, which asks no brick.
  std::deque<File> created_;
  File existing_;  ///< What WrEx writes to; replaced by it alone.

  std::mutex mutex_;  ///< Never held over a call into the file system.
  std::optional<GlusterPlacement> placement_;
};

}  // namespace laggard::collect
