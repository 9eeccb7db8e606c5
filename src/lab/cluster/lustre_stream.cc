#include "lab/cluster/lustre_stream.h"

#include <algorithm>

#include "lab/cluster/file_server.h"

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

}  // namespace laggard::lab
