#include "lab/cluster/lustre_postmark.h"

#include <algorithm>

#include "lab/cluster/file_server.h"
#include "lab/cluster/lustre_stream.h"

namespace laggard::lab {

namespace {

constexpr auto kDirtyExpires = std::chrono::seconds(30);
constexpr double kFlushInterval = 5;
/// Size inquiries: most files are still locked by the client that wrote them.
constexpr double kLockGone = 0.1;
/// max_rpcs_in_flight of a client, which holds for removals as for data.
constexpr std::uint32_t kMostRemovals = LustreLimits{}.in_flight;

}  // namespace

LustrePostmark::LustrePostmark(const ProgramPlace& place, std::uint32_t metadata_server,
                               const PostmarkSpec& spec)
    : Program(place), metadata_server_(metadata_server), spec_(spec), removals_(place.servers) {}

void LustrePostmark::begin() {
  wake_in(start_delay(), kNext);
  wake_in(kFlushInterval * place_.random.uniform(), kFlush);
}

void LustrePostmark::plan_create() {
  File file;
  file.server = static_cast<std::uint32_t>(place_.random.below(place_.servers));
  const auto pages = static_cast<std::uint64_t>(DiskLayout::kSmallFilesBytes / DiskLayout::kPage);
  file.at =
      DiskLayout::kSmallFiles + static_cast<std::int64_t>(place_.random.below(pages)) * DiskLayout::kPage;
  file.bytes = static_cast<std::int64_t>(
      place_.random.uniform(static_cast<double>(spec_.smallest), static_cast<double>(spec_.largest)));
  file.dirty = true;
  file.dirty_since = place_.queue.now();
  ask(metadata_server_, RpcKind::kUpdate);
  ask(file.server, RpcKind::kQuery);
  ask(metadata_server_, RpcKind::kQuery);
  files_.push_back(file);
}

void LustrePostmark::plan_delete() {
  const std::size_t index = place_.random.below(files_.size());
  files_[index] = files_.back();
  files_.pop_back();
  ask(metadata_server_, RpcKind::kUpdate);
  remove_objects();
}

void LustrePostmark::remove_objects() {
  for (std::uint32_t server = 0; server < place_.servers; ++server) {
    ++removals_[server].waiting;
    send_removals(server);
  }
}

void LustrePostmark::send_removals(std::uint32_t server) {
  Removals& removals = removals_[server];
  while (removals.waiting > 0 && removals.in_flight < kMostRemovals) {
    --removals.waiting;
    ++removals.in_flight;
    Rpc removal = rpc(server, RpcKind::kUpdate);
    removal.done = {this, kRemoved, server};
    place_.engine.start(removal);
  }
}

void LustrePostmark::plan_transaction() {
  if (files_.size() < spec_.files && operations_done_ < spec_.files) {
    plan_create();
    return;
  }
  File& file = files_[place_.random.below(files_.size())];
  ask(metadata_server_, RpcKind::kQuery);
  if (place_.random.chance(0.5)) {
    if (place_.random.chance(kLockGone)) ask(file.server, RpcKind::kQuery);
    if (!file.dirty) file.dirty_since = place_.queue.now();
    file.dirty = true;
    file.bytes = std::min(spec_.largest, file.bytes + spec_.smallest);
  }
  if (place_.random.chance(0.5) || files_.size() < 2) {
    plan_create();
  } else {
    plan_delete();
  }
}

void LustrePostmark::flush_old() {
  for (File& file : files_) {
    if (!file.dirty || place_.queue.now() - file.dirty_since < kDirtyExpires) continue;
    file.dirty = false;
    Rpc write = rpc(file.server, RpcKind::kWrite);
    write.at = file.at;
    write.bytes = file.bytes;
    write.done = {this, kNobodyWaits, 0};
    bytes_done_ += file.bytes;
    place_.engine.start(write);
  }
}

void LustrePostmark::next_step() {
  if (steps_.empty()) {
    stalled_ = std::ranges::any_of(removals_, [](const Removals& r) { return r.waiting > 0; });
    if (stalled_) return;
    ++operations_done_;
    wake_in(place_.cluster.lustre.think_seconds, kNext);
    return;
  }
  Rpc made = steps_.back();
  steps_.pop_back();
  made.done = {this, kAnswered, 0};
  place_.engine.start(made);
}

void LustrePostmark::on_event(std::uint32_t kind, std::uint64_t about) {
  switch (kind) {
    case kAnswered:
      next_step();
      return;
    case kNext:
      plan_transaction();
      std::reverse(steps_.begin(), steps_.end());
      next_step();
      return;
    case kFlush:
      flush_old();
      wake_in(kFlushInterval, kFlush);
      return;
    case kRemoved:
      --removals_[about].in_flight;
      send_removals(static_cast<std::uint32_t>(about));
      if (stalled_) next_step();
      return;
    default:
      return;
  }
}

}  // namespace laggard::lab
