#include "lab/cluster/lustre_programs.h"

#include <algorithm>

#include "lab/cluster/rpc.h"

namespace laggard::lab {

namespace {

LustreStripes stripes_of(const ProgramPlace& place, std::uint64_t first) {
  return {.rpcs = static_cast<std::uint64_t>(place.cluster.lustre.stripe / kLustreRpc),
          .servers = place.servers,
          .first = first};
}

}  // namespace

LustreWriter::LustreWriter(const ProgramPlace& place, const StreamSpec& spec, const LustreLimits& limits)
    : Program(place), spec_(spec), limits_(limits), targets_(place.servers) {
  stripes_ = stripes_of(place_, place_.random.below(place_.servers));
}

void LustreWriter::begin() { wake_in(start_delay(), kNextPass); }

void LustreWriter::copy_next() {
  if (position_ + kLustreRpc > spec_.file_bytes) {
    syncing_ = true;
    if (all_clean()) wake_in(place_.cluster.experiment.pass_pause_seconds, kNextPass);
    return;
  }
  blocked_ = targets_[server_of(position_)].dirty >= limits_.dirty;
  if (!blocked_) wake_in(static_cast<double>(kLustreRpc) / (kCopyRate * place_.copy_speed), kCopied);
}

void LustreWriter::send(std::uint32_t server) {
  Target& target = targets_[server];
  while (target.in_flight < std::min(limits_.in_flight, target.dirty)) {
    Rpc made = rpc(server, RpcKind::kWrite);
    made.at = DiskLayout::kObjects + place_.client * DiskLayout::kObjectSpacing + target.sent_bytes;
    made.bytes = kLustreRpc;
    made.done = {this, kWritten, server};
    target.sent_bytes += kLustreRpc;
    ++target.in_flight;
    place_.engine.start(made);
  }
}

bool LustreWriter::all_clean() const {
  return std::all_of(targets_.begin(), targets_.end(), [](const Target& t) { return t.dirty == 0; });
}

void LustreWriter::on_event(std::uint32_t kind, std::uint64_t about) {
  switch (kind) {
    case kCopied: {
      const std::uint32_t server = server_of(position_);
      ++targets_[server].dirty;
      position_ += kLustreRpc;
      bytes_done_ += kLustreRpc;
      if (position_ % spec_.record_bytes == 0) ++operations_done_;
      send(server);
      copy_next();
      return;
    }
    case kWritten: {
      const auto server = static_cast<std::uint32_t>(about);
      --targets_[server].dirty;
      --targets_[server].in_flight;
      send(server);
      if (syncing_) {
        if (all_clean()) wake_in(place_.cluster.experiment.pass_pause_seconds, kNextPass);
      } else if (blocked_ && server == server_of(position_)) {
        copy_next();
      }
      return;
    }
    default:
      again_ = spec_.two_passes && syncing_ && !again_;
      syncing_ = false;
      position_ = 0;
      for (Target& target : targets_) target.sent_bytes = 0;
      copy_next();
      return;
  }
}

LustreReader::LustreReader(const ProgramPlace& place, const StreamSpec& spec, const LustreLimits& limits)
    : Program(place), spec_(spec), limits_(limits), here_(limits.read_ahead) {
  stripes_ = stripes_of(place_, place_.random.below(place_.servers));
}

void LustreReader::begin() { wake_in(start_delay(), kNextPass); }

void LustreReader::fill_window() {
  const auto file = static_cast<std::uint64_t>(spec_.file_bytes / kLustreRpc);
  while (asked_ < std::min(file, consumed_ + limits_.read_ahead)) {
    Rpc made = rpc(stripes_.server_of(asked_), RpcKind::kRead);
    made.at = DiskLayout::kObjects + place_.client * DiskLayout::kObjectSpacing + stripes_.offset_of(asked_);
    made.bytes = kLustreRpc;
    made.done = {this, kCame, asked_ % limits_.read_ahead};
    ++asked_;
    place_.engine.start(made);
  }
}

void LustreReader::consume() {
  const std::size_t slot = consumed_ % limits_.read_ahead;
  if (copying_ || here_[slot] == 0) return;
  here_[slot] = 0;
  copying_ = true;
  wake_in(static_cast<double>(kLustreRpc) / (kCopyRate * place_.copy_speed), kCopied);
}

void LustreReader::on_event(std::uint32_t kind, std::uint64_t about) {
  switch (kind) {
    case kCame:
      here_[about] = 1;
      consume();
      return;
    case kCopied:
      copying_ = false;
      ++consumed_;
      bytes_done_ += kLustreRpc;
      if (bytes_done_ % spec_.record_bytes == 0) ++operations_done_;
      if (consumed_ >= static_cast<std::uint64_t>(spec_.file_bytes / kLustreRpc)) {
        wake_in(place_.cluster.experiment.pass_pause_seconds, kNextPass);
        return;
      }
      fill_window();
      consume();
      return;
    default:
      asked_ = 0;
      consumed_ = 0;
      fill_window();
      return;
  }
}

namespace {

constexpr auto kDirtyExpires = std::chrono::seconds(30);
constexpr double kFlushInterval = 5;
/// Size inquiries: most files are still locked by the client that wrote them. Fitted: how many are not, no
/// paper says.
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
