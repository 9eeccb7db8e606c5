#include "lab/bench/undo.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "base/text.h"
#include "lab/bench/folders.h"
#include "lab/bench/site.h"

namespace laggard::lab::bench {

namespace {

using namespace std::chrono_literals;

constexpr Duration kDetachPatience = 5s;
/// Below a modelled disk's mount.
constexpr const char* kDiskFile = "/disk";

bool begins_with(std::string_view text, std::string_view begin) {
  return text.substr(0, begin.size()) == begin;
}

/// What the bench mounts, by place below its state folder.
enum class Place : std::uint8_t { kDisk, kBrick, kClient, kNetwork };

/// Whether `text` is `word` and the number of a host.
bool is_numbered(std::string_view text, std::string_view word) {
  if (!begins_with(text, word)) return false;
  const std::string_view digits = text.substr(word.size());
  const std::optional<std::size_t> number = to_number<std::size_t>(digits);
  return number && *number >= 1 && *number <= kMostHosts && std::to_string(*number) == digits;
}

std::optional<Place> place_of(const Layout& layout, std::string_view point) {
  const std::string state = layout.state().native() + "/";
  if (!begins_with(point, state)) return std::nullopt;
  point.remove_prefix(state.size());
  if (is_numbered(point, "disk")) return Place::kDisk;
  if (is_numbered(point, "brick")) return Place::kBrick;
  if (is_numbered(point, "mount") || is_numbered(point, "probes")) return Place::kClient;
  if (begins_with(point, "net/") && point.find('/', 4) == std::string_view::npos) return Place::kNetwork;
  return std::nullopt;
}

/// Whether a path is that of a modelled disk's content.
bool is_disk(const Layout& layout, std::string_view path) {
  const std::string_view file = kDiskFile;
  if (path.size() < file.size() || path.substr(path.size() - file.size()) != file) return false;
  return place_of(layout, path.substr(0, path.size() - file.size())) == Place::kDisk;
}

bool has_settings_of(const std::string& loop, std::span<const Change> changes) {
  return std::any_of(changes.begin(), changes.end(), [&](const Change& c) { return c.loop == loop; });
}

/// Whether it is of the type that the bench mounts there.
bool is_ours(Place place, const Mount& mount, const Remains& remains) {
  switch (place) {
    case Place::kDisk:
      return mount.type == "fuse" && mount.source == "laggard-modelled-disk";
    case Place::kBrick:
      return mount.type == "ext4" && begins_with(mount.source, "/dev/") &&
             remains.loops.count(mount.source.substr(5)) != 0;
    case Place::kClient:
      return mount.type == "fuse.glusterfs" || mount.type == "fuse.ceph-fuse" ||
             (mount.type == "fuse" && mount.source == "laggard-striped-files");
    case Place::kNetwork:
      return mount.type == "nsfs";
  }
  return false;
}

bool is_at(const Layout& layout, const Mount& mount, Place place) {
  return place_of(layout, mount.point) == place;
}

/// Undoes the parts of a bench; counts and reports what cannot be undone.
class Undoing {
 public:
  Undoing(Machine& machine, const Layout& layout, const Say& say)
      : machine_(machine), layout_(layout), say_(say) {}

  void end_processes(const Remains& remains);
  void take_away(const Remains& remains, std::span<const Change> changes);
  [[nodiscard]] std::size_t failed() const { return failed_; }

 private:
  void note(const Status& status) {
    if (status) return;
    ++failed_;
    say_(status.error().message());
  }
  void unmount(const Remains& remains, Place place);
  /// Servers that swap do so to a file on their own brick.
  void stop_swapping();
  void detach(const Remains& remains);
  [[nodiscard]] Status detach_one(const std::string& loop, const Backing& backing);
  void remove_groups();
  [[nodiscard]] Status restore(const Change& change);
  [[nodiscard]] Status restore_congestion_control(const std::string& old);

  Machine& machine_;
  const Layout& layout_;
  const Say& say_;
  std::size_t failed_ = 0;
};

void Undoing::end_processes(const Remains& remains) {
  machine_.wake_marked(disk_mark(layout_));
  for (const Mount& mount : remains.mounts) {
    if (!is_at(layout_, mount, Place::kDisk)) continue;
    const std::filesystem::path speed = std::filesystem::path(mount.point) / kSpeedFile;
    if (machine_.exists(speed)) (void)machine_.write(speed, kFast);  // Only saves time.
  }
  note(machine_.end_marked(process_mark(layout_)));
}

void Undoing::unmount(const Remains& remains, Place place) {
  for (std::size_t i = remains.mounts.size(); i-- > 0;) {
    const Mount& mount = remains.mounts[i];
    if (!is_at(layout_, mount, place)) continue;
    const Status gone = machine_.must({{"umount", mount.point}, {}});
    // Block devices first: they are recognised by the folder of the disk below them.
    note(gone || place == Place::kDisk ? gone : machine_.must({{"umount", "--lazy", mount.point}, {}}));
  }
}

void Undoing::stop_swapping() {
  const Result<std::string> swaps = machine_.read("/proc/swaps");
  if (!swaps) return;  // A kernel without swapping.
  for (std::string_view line : split(*swaps, '\n')) {
    const std::string file(take_word(line));
    for (std::size_t i = 1; i <= kMostHosts; ++i) {
      if (file == layout_.swap_file(i).native()) note(machine_.must({{"swapoff", file}, {}}));
    }
  }
}

Status Undoing::detach_one(const std::string& loop, const Backing& backing) {
  Status detached = machine_.must({{"losetup", "--detach", "/dev/" + loop}, {}});
  const MonoTime deadline = machine_.clock().mono() + kDetachPatience;
  while (detached) {
    const std::map<std::string, Backing> attached = machine_.loops();
    const auto at = attached.find(loop);
    if (at == attached.end() || at->second != backing) return {};
    if (machine_.clock().mono() >= deadline) {
      return fail(ErrorCode::kUnavailable, "/dev/" + loop, "is still in use by somebody");
    }
    machine_.clock().sleep_until(machine_.clock().mono() + 20ms);
  }
  return detached;
}

void Undoing::detach(const Remains& remains) {
  for (const auto& [loop, backing] : remains.loops) note(detach_one(loop, backing));
}

void Undoing::remove_groups() {
  for (std::size_t i = 1; i <= kMostHosts; ++i) {
    std::vector<std::filesystem::path> groups{memory_group(machine_, layout_, i),
                                              cpu_group(machine_, layout_, i)};
    if (auto work = work_group(machine_, layout_, i)) groups.push_back(std::move(*work));
    for (const auto& group : groups) {
      if (machine_.exists(group)) note(machine_.remove_empty(group));
    }
  }
}

Status Undoing::restore_congestion_control(const std::string& old) {
  const std::filesystem::path path = path_of(Setting::kCongestionControl, "");
  const Result<std::string> now = machine_.read(path);
  if (!now) return tl::unexpected<Error>(now.error());
  // The kernel lists them in no useful order.
  const auto sorted = [](std::string_view list) {
    std::vector<std::string_view> words = split(trim(list), ' ');
    std::sort(words.begin(), words.end());
    return words;
  };
  const std::string made = with_cubic(old);
  const std::vector<std::string_view> is = sorted(*now);
  if (is == sorted(old)) return {};
  if (is == sorted(made)) return machine_.write(path, old);
  say_(fmt::format("{} was changed by somebody since the bench did, and stays \"{}\"", path.string(),
                   trim(*now)));
  return {};
}

Status Undoing::restore(const Change& change) {
  if (change.setting == Setting::kCongestionControl) return restore_congestion_control(change.old);
  const std::filesystem::path path = path_of(change.setting, change.loop);
  if (!is_controller(change.setting)) return machine_.write(path, change.old);
  const std::string controller = change.setting == Setting::kCpuController ? "cpu" : "memory";
  const Result<std::string> now = machine_.read(path);
  if (!now) return tl::unexpected<Error>(now.error());
  return names_controller(*now, controller) ? machine_.write(path, "-" + controller) : Status{};
}

void Undoing::take_away(const Remains& remains, std::span<const Change> changes) {
  unmount(remains, Place::kClient);
  stop_swapping();
  unmount(remains, Place::kBrick);
  for (const Change& change : changes) {
    // A block device that was detached may have another user by now.
    if (!change.loop.empty() && remains.loops.count(change.loop) != 0) note(restore(change));
  }
  detach(remains);
  unmount(remains, Place::kDisk);
  note(machine_.end_marked(disk_mark(layout_)));
  unmount(remains, Place::kNetwork);
  remove_groups();
  for (const Change& change : changes) {
    if (change.loop.empty()) note(restore(change));
  }
}

}  // namespace

Result<Remains> find_remains(Machine& machine, const Layout& layout, std::span<const Change> changes) {
  const Result<std::string> mountinfo = machine.read("/proc/self/mountinfo");
  if (!mountinfo) return tl::unexpected<Error>(mountinfo.error());
  Remains remains;
  for (const auto& [loop, backing] : machine.loops()) {
    const bool gone =
        backing.file == kDiskFile && is_disk(layout, backing.named) && has_settings_of(loop, changes);
    if (gone || is_disk(layout, backing.file)) {
      remains.loops.emplace(loop, backing);
    } else if (begins_with(backing.file, layout.state().native() + "/")) {
      return fail(
          ErrorCode::kUnavailable, "/dev/" + loop,
          fmt::format("is attached to {}, and not by the bench; nothing was touched: detach it and try "
                      "again",
                      backing.file));
    }
  }
  const std::string state = layout.state().native();
  for (Mount& mount : parse_mounts(*mountinfo)) {
    if (mount.point != state && !begins_with(mount.point, state + "/")) continue;
    const std::optional<Place> place = place_of(layout, mount.point);
    if (!place || !is_ours(*place, mount, remains)) {
      return fail(
          ErrorCode::kUnavailable, mount.point,
          fmt::format("holds a mount ({} of {}) that is not the bench's; nothing was touched: unmount it "
                      "and try again",
                      mount.type, mount.source));
    }
    remains.mounts.push_back(std::move(mount));
  }
  return remains;
}

Result<std::size_t> undo(Machine& machine, const Layout& layout, std::span<const Change> changes,
                         const Say& say) {
  const Result<Remains> before = find_remains(machine, layout, changes);
  if (!before) return tl::unexpected<Error>(before.error());
  Undoing undoing(machine, layout, say);
  undoing.end_processes(*before);
  // A command that was just killed may still have mounted or attached something.
  const Result<Remains> remains = find_remains(machine, layout, changes);
  undoing.take_away(remains ? *remains : *before, changes);
  return undoing.failed();
}

Status take_down(Machine& machine, const Layout& layout, FileJournal& journal, const Say& say) {
  const Result<StateFolder> whose = whose_state_folder(layout);
  if (!whose) return tl::unexpected<Error>(whose.error());
  if (*whose == StateFolder::kForeign) {
    return fail(
        ErrorCode::kDamaged, layout.state().string(),
        fmt::format("is not the folder of the bench that {} is of; nothing was touched: look what they "
                    "are, and remove what is left of a bench by hand",
                    layout.journal().string()));
  }
  const Result<std::size_t> failed = undo(machine, layout, journal.changes(), say);
  if (!failed) return tl::unexpected<Error>(failed.error());
  if (*failed != 0) {
    return fail(ErrorCode::kUnavailable, {},
                fmt::format("{} could not be undone; try again with: laggard-lab bench --clean --name {}",
                            *failed == 1 ? "one thing" : fmt::format("{} things", *failed), layout.name));
  }
  if (Status removed = remove_state_folder(layout); !removed) return removed;
  journal.remove();
  return {};
}

}  // namespace laggard::lab::bench
