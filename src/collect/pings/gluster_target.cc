#include "collect/pings/gluster_target.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <chrono>
#include <system_error>
#include <utility>

#include "model/address.h"

namespace laggard::collect {

namespace {

using Steady = std::chrono::steady_clock;

PingResult done(int error, Steady::time_point begin, bool direct = true) {
  return {.error = error, .skipped = false, .direct = direct, .latency = Steady::now() - begin};
}

PingResult skipped(int error) { return {.error = error, .skipped = true, .direct = true, .latency = {}}; }

/// Asks on which bricks a file lies. \param path  empty: of `fd`. \return 0 or errno
int read_pathinfo(int fd, const std::string& path, GlusterPathinfo& info) {
  // The second needs no privilege.
  constexpr std::array<const char*, 2> kNames{"trusted.glusterfs.pathinfo", "glusterfs.pathinfo"};
  constexpr std::size_t kMost = 65536;  // XATTR_SIZE_MAX.
  std::vector<char> text(kMost);
  ssize_t size = -1;
  for (std::size_t i = 0; i < kNames.size() && size < 0; ++i) {
    size = path.empty() ? ::fgetxattr(fd, kNames[i], text.data(), text.size())
                        : ::getxattr(path.c_str(), kNames[i], text.data(), text.size());
  }
  if (size < 0) return errno;
  auto read = parse_gluster_pathinfo({text.data(), static_cast<std::size_t>(size)});
  if (!read) return ENODATA;
  info = std::move(*read);
  return 0;
}

/// The file system that a path or descriptor is on, without asking it.
std::optional<std::pair<std::uint32_t, std::uint32_t>> device_of(int fd, const char* path) {
  struct statx known {};
  if (::statx(fd, path, AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_TYPE, &known) != 0) return std::nullopt;
  return std::pair{known.stx_dev_major, known.stx_dev_minor};
}

bool is_gone(int error) { return error == ENOENT || error == ESTALE || error == EBADF || error == EBADFD; }

}  // namespace

Status GlusterTarget::check(const PingTargetSpec& target) {
  if (!target.mount.starts_with('/')) {
    return fail(ErrorCode::kBadUse, "--mount", "is needed: where the volume is mounted, such as /mnt/v");
  }
  return {};
}

Result<PingListing> GlusterTarget::list(const std::string& mount) {
  const auto graph = read_gluster_graph(mount);
  if (!graph) return tl::unexpected<Error>(graph.error());
  GlusterPathinfo info;
  if (const int error = read_pathinfo(-1, mount, info); error != 0) {
    // ENOMEM of all dispersed volumes, by a mistake of GlusterFS 10 (ec_dict_data_concat).
    return fail_errno(error, mount, "does not say on which bricks its files lie (glusterfs.pathinfo)");
  }
  PingListing listing;
  for (const GlusterSubvolume& subvolume : *graph) {
    if (subvolume.bricks.size() != 1) {
      listing.targets.push_back({.name = subvolume.name, .place = subvolume.name, .mount = mount});
      continue;
    }
    const GlusterBrick& brick = subvolume.bricks[0];
    // System files call hosts without their domains.
    listing.targets.push_back({.name = std::string(without_domain(brick.host)) + brick.path,
                               .place = brick.host + ":" + brick.path,
                               .mount = mount});
  }
  return listing;
}

GlusterTarget::GlusterTarget(PingTargetSpec target, PingBackendSetup setup)
    : target_(std::move(target)), setup_(std::move(setup)) {
  folder_ = fmt::format(".laggard-pings-{:016x}-{:016x}", setup_.owner.host, ping_hash(target_.place));
}

std::filesystem::path GlusterTarget::directory_path(int one) const {
  return std::filesystem::path(target_.mount) / fmt::format("{}-{}", folder_, one);
}

std::optional<GlusterPlacement> GlusterTarget::placement() {
  const std::lock_guard lock(mutex_);
  return placement_;
}

void GlusterTarget::forget_placement() {
  const std::lock_guard lock(mutex_);
  placement_.reset();
}

std::optional<std::string> GlusterTarget::fresh_name() {
  constexpr int kMostNames = 100'000;  // Enough for a target that has a ten-thousandth of them.
  const auto where = placement();
  for (int i = 0; where && !where->ranges.empty() && i < kMostNames; ++i) {
    std::string name = ping_file_name(setup_.owner, ++serial_);
    if (where->is_named_for(name)) return name;
  }
  return std::nullopt;
}

int GlusterTarget::open_directory() {
  forget_placement();
  // Only a mounted volume has a graph; what is beneath the mount's place is not written to.
  if (!read_gluster_graph(target_.mount)) return device_of(AT_FDCWD, target_.mount.c_str()) ? ENODEV : errno;
  constexpr mode_t kMode = 0700;
  int error = 0;
  for (int i = 0; i < kMostDirectories; ++i, directory_is_ = (directory_is_ + 1) % kMostDirectories) {
    const std::filesystem::path path = directory_path(directory_is_);
    error = ::mkdir(path.c_str(), kMode) == 0 ? 0 : errno;
    if (error != 0 && error != EEXIST) continue;
    directory_ = Fd(::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
    if (directory_.valid()) return 0;
    error = errno;
  }
  return error;
}

void GlusterTarget::leave_directory() {
  for (File& file : std::exchange(created_, {})) discard(std::move(file));
  directory_.reset();
  ::rmdir(directory_path(directory_is_).c_str());
  directory_is_ = (directory_is_ + 1) % kMostDirectories;
}

int GlusterTarget::learn_placement() {
  const auto graph = read_gluster_graph(target_.mount);
  if (!graph) return ENODEV;
  const auto own = std::ranges::find_if(
      *graph, [&](const GlusterSubvolume& subvolume) { return subvolume.is_called(target_.place); });
  if (own == graph->end()) return ENXIO;
  GlusterPathinfo info;
  const std::string path = fmt::format("/proc/self/fd/{}", directory_.get());
  if (const int error = read_pathinfo(-1, path, info); error != 0) return error;
  GlusterPlacement placement = place_on(*own, info, *graph, &is_same_host);
  const std::lock_guard lock(mutex_);
  placement_ = std::move(placement);
  return 0;
}

void GlusterTarget::follow_mount() {
  if (!directory_.valid()) return;
  if (device_of(directory_.get(), "") == device_of(AT_FDCWD, target_.mount.c_str())) return;
  directory_.reset();
  created_.clear();
}

int GlusterTarget::prepare() {
  follow_mount();
  int error = 0;
  for (int i = 0; i < 2; ++i) {
    if (!directory_.valid()) error = open_directory();
    if (error != 0) return error;
    if (!placement()) error = learn_placement();
    struct statx now {};
    if (error == 0 &&
        ::statx(directory_.get(), "", AT_EMPTY_PATH | AT_STATX_FORCE_SYNC, STATX_BASIC_STATS, &now) != 0)
      error = errno;
    if (!is_gone(error)) return error;
    directory_.reset();  // Somebody removed it.
    error = 0;
  }
  return ENOENT;
}

int GlusterTarget::check_place(const File& file) {
  GlusterPathinfo info;
  if (const int error = read_pathinfo(file.open.fd.get(), "", info); error != 0) return error;
  if (const auto where = placement(); where && where->holds(info)) return 0;
  forget_placement();
  return EXDEV;
}

void GlusterTarget::discard(File file) {
  file.open.fd.reset();
  const int error = ::unlink((directory_path(file.directory) / file.name).c_str()) == 0 ? 0 : errno;
  if (error != 0 && error != ENOENT && file.directory == directory_is_) created_.push_back(std::move(file));
}

PingResult GlusterTarget::create_once(const PingPhases& phases, File& file) {
  if (const int error = prepare(); error != 0) return skipped(error);
  auto name = fresh_name();
  if (!name) {
    forget_placement();
    return skipped(EXDEV);
  }
  file.name = std::move(*name);
  file.directory = directory_is_;
  phases(PingPhase::kUnderWay);
  const auto begin = Steady::now();
  // O_DSYNC besides: with direct I/O alone the client's write-behind answers before the brick does.
  PingFile made = open_ping_file(directory_.get(), file.name.c_str(), O_CREAT | O_EXCL | O_DSYNC);
  if (!made.fd.valid()) return done(made.error, begin);
  const int error = write_ping_block(made, kPingText);
  // Closing is a part of the request, since it flushes; to ask where the file lies it stays open besides.
  file.open = {.fd = Fd(::fcntl(made.fd.get(), F_DUPFD_CLOEXEC, 0)), .error = 0, .direct = made.direct};
  made.fd.reset();
  const PingResult result = done(error, begin, made.direct);
  const int place = error == 0 ? check_place(file) : 0;
  if (error == 0 && place == 0) return result;
  phases(PingPhase::kPreparing);
  discard(std::exchange(file, {}));
  return place == 0 ? result : skipped(place);
}

PingResult GlusterTarget::create(const PingPhases& phases, File& file) {
  PingResult result;
  for (int i = 0; i < kMostTries; ++i) {
    result = create_once(phases, file);
    if (result.skipped && result.error == EXDEV) continue;
    misplaced_ = 0;
    return result;
  }
  // Ever more seldom, since nothing helps where the target is full.
  if (std::has_single_bit(++misplaced_)) leave_directory();
  return result;
}

PingResult GlusterTarget::create_write(const PingPhases& phases) {
  const std::lock_guard lock(in_directory_);
  if (created_.size() >= kMostFiles) return skipped(0);  // RmEx hangs.
  File file;
  const PingResult result = create(phases, file);
  if (file.open.fd.valid()) created_.push_back(std::move(file));
  return result;
}

PingResult GlusterTarget::write_existing(const PingPhases& phases) {
  const bool is_here = existing_.open.fd.valid() &&
                       device_of(existing_.open.fd.get(), "") == device_of(AT_FDCWD, target_.mount.c_str());
  if (!is_here) {
    const std::lock_guard lock(in_directory_);
    existing_ = {};
    const PingResult made = create(phases, existing_);
    if (!existing_.open.fd.valid()) return made;
  }
  phases(PingPhase::kUnderWay);
  const auto begin = Steady::now();
  const int error = write_ping_block(existing_.open, kPingText);
  const PingResult result = done(error, begin, existing_.open.direct);
  const int place = error == 0 ? check_place(existing_) : error;
  if (place == EXDEV || is_gone(place)) {
    phases(PingPhase::kPreparing);
    const std::lock_guard lock(in_directory_);
    discard(std::exchange(existing_, {}));
  }
  return error != 0 || place == 0 ? result : skipped(place);
}

PingResult GlusterTarget::remove_existing(const PingPhases& phases) {
  const std::lock_guard lock(in_directory_);
  File file;
  if (!created_.empty()) {
    file = std::move(created_.front());
    created_.pop_front();
  } else if (const PingResult made = create([](PingPhase) {}, file); !file.open.fd.valid()) {
    return skipped(made.error);
  }
  if (const int error = prepare(); error != 0) {
    created_.push_back(std::move(file));
    return skipped(error);
  }
  phases(PingPhase::kUnderWay);
  // It may have been moved since it was made.
  const int place = file.open.fd.valid() ? check_place(file) : 0;
  file.open.fd.reset();
  const auto begin = Steady::now();
  const int error = ::unlinkat(directory_.get(), file.name.c_str(), 0) == 0 ? 0 : errno;
  const PingResult result = done(error, begin);
  if (error != 0 && error != ENOENT) created_.push_back(std::move(file));  // It is still there.
  return place == EXDEV ? skipped(place) : result;
}

PingResult GlusterTarget::run(PingOperation operation, const PingPhases& phases) {
  switch (operation) {
    case PingOperation::kCreateWrite:
      return create_write(phases);
    case PingOperation::kWriteExisting:
      return write_existing(phases);
    case PingOperation::kRemoveExisting:
      return remove_existing(phases);
  }
  return skipped(0);
}

void GlusterTarget::remove_abandoned() {
  const std::lock_guard lock(in_directory_);
  File file;
  // A file of now tells what time it is where the others' times were taken.
  static_cast<void>(create([](PingPhase) {}, file));
  if (!file.open.fd.valid()) return;
  const std::filesystem::path now = directory_path(directory_is_) / file.name;
  for (int i = 0; i < kMostDirectories; ++i) {
    remove_abandoned_pings(directory_path(i), setup_.owner, now, setup_.root);
    if (i != directory_is_) ::rmdir(directory_path(i).c_str());
  }
  discard(std::move(file));
}

void GlusterTarget::remove_own() {
  const std::lock_guard lock(in_directory_);
  created_.clear();
  existing_ = {};
  for (int i = 0; i < kMostDirectories; ++i) {
    // Not by what is known to have been made: of a file on a brick that is down GlusterFS says that it is not
    // there.
    remove_pings_of(directory_path(i), setup_.owner);
    ::rmdir(directory_path(i).c_str());  // Another recorder of this host may have files there.
  }
}

}  // namespace laggard::collect
