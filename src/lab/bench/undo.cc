#include "lab/bench/undo.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace laggard::lab::bench {

namespace {

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

bool mounted(Machine& machine, const std::string& path) {
  const Result<std::string> mounts = machine.read("/proc/self/mountinfo");
  return mounts && mounts->find(" " + path + " ") != std::string::npos;
}

Status undo_mount(Machine& machine, const std::string& path) {
  if (!mounted(machine, path)) return {};
  if (machine.must({{"umount", path}, {}})) return {};
  return machine.must({{"umount", "--lazy", path}, {}});
}

Status undo_loop(Machine& machine, const std::string& backing) {
  for (const std::string& loop : machine.loops_of(backing)) {
    if (Status detached = machine.must({{"losetup", "--detach", "/dev/" + loop}, {}}); !detached)
      return detached;
  }
  return {};
}

Status undo_network(Machine& machine, const std::string& network) {
  if (!machine.exists("/run/netns/" + network)) return {};
  machine.end_inside(network);
  return machine.must({{"ip", "netns", "delete", network}, {}});
}

Status undo_one(Machine& machine, const Change& change) {
  switch (change.kind) {
    case ChangeKind::kFolder:
      return machine.exists(change.what) ? machine.remove_folder(change.what) : Status{};
    case ChangeKind::kSetting:
      // A block device's settings are gone with the device.
      return machine.exists(change.what) ? machine.write(change.what, change.old) : Status{};
    case ChangeKind::kNetwork:
      return undo_network(machine, change.what);
    case ChangeKind::kMount:
      return undo_mount(machine, change.what);
    case ChangeKind::kLoop:
      return undo_loop(machine, change.what);
    case ChangeKind::kMemoryGroup:
      return machine.exists(change.what) ? machine.remove_empty(change.what) : Status{};
  }
  return {};
}

/// Nothing may use a mount when it is undone.
void end_users(Machine& machine, std::span<const Change> changes) {
  for (const Change& change : changes) {
    if (change.kind != ChangeKind::kMount) continue;
    const std::filesystem::path speed = std::filesystem::path(change.what) / kSpeedFile;
    if (machine.exists(speed)) (void)machine.write(speed, kFast);  // Only saves time.
  }
  for (const Change& change : changes) {
    if (change.kind != ChangeKind::kNetwork || ends_with(change.what, kDisksNetwork)) continue;
    machine.end_inside(change.what);
  }
}

}  // namespace

std::size_t undo(Machine& machine, std::span<const Change> changes,
                 const std::function<void(const std::string&)>& say) {
  end_users(machine, changes);
  std::size_t failed = 0;
  for (std::size_t i = changes.size(); i-- > 0;) {
    const Status undone = undo_one(machine, changes[i]);
    if (undone) continue;
    ++failed;
    say(undone.error().message());
  }
  return failed;
}

Status take_down(Machine& machine, FileJournal& journal, const std::function<void(const std::string&)>& say) {
  const std::size_t failed = undo(machine, journal.entries(), say);
  if (failed == 0) return journal.clear();
  return fail(ErrorCode::kUnavailable, {},
              fmt::format("{} of {} changes could not be undone; try again with: laggard lab bench --clean",
                          failed, journal.entries().size()));
}

}  // namespace laggard::lab::bench
