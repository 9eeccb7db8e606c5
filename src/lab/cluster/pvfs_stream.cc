#include "lab/cluster/pvfs_stream.h"

#include <algorithm>

#include "lab/cluster/file_server.h"

namespace laggard::lab {

std::int64_t object_bytes(std::int64_t bytes, std::int64_t stripe, std::uint32_t servers,
                          std::uint32_t turn) {
  const std::int64_t round = stripe * servers;
  return bytes / round * stripe + std::clamp<std::int64_t>(bytes % round - turn * stripe, 0, stripe);
}

PvfsStream::PvfsStream(const ProgramPlace& place, const StreamSpec& spec) : Program(place), spec_(spec) {
  first_server_ = static_cast<std::uint32_t>(place_.random.below(place_.servers));
}

void PvfsStream::begin() { wake_in(start_delay(), kCopied); }

void PvfsStream::next_record() {
  // A write's data is copied to the client daemon before it leaves, a read's after it has come.
  const PvfsSpec& pvfs = place_.cluster.pvfs;
  const double rate = (spec_.write ? pvfs.write_rate : pvfs.read_rate) * place_.copy_speed;
  wake_in(static_cast<double>(spec_.record_bytes) / rate, kCopied);
}

void PvfsStream::issue() {
  const std::int64_t stripe = place_.cluster.pvfs.stripe;
  const auto first = static_cast<std::uint32_t>(position_ / stripe % place_.servers);
  for (std::uint32_t k = 0; k < place_.servers; ++k) {
    const std::uint32_t turn = (first + k) % place_.servers;
    const std::int64_t behind = object_bytes(position_, stripe, place_.servers, turn);
    const std::int64_t bytes =
        object_bytes(position_ + spec_.record_bytes, stripe, place_.servers, turn) - behind;
    if (bytes == 0) continue;
    Rpc made = rpc((turn + first_server_) % place_.servers, spec_.write ? RpcKind::kWrite : RpcKind::kRead);
    made.at = DiskLayout::kObjects + place_.client * DiskLayout::kObjectSpacing + behind;
    made.bytes = bytes;
    made.done = {this, kAnswered, 0};
    ++waiting_for_;
    place_.engine.start(made);
  }
}

void PvfsStream::end_pass() {
  for (std::uint32_t server = 0; server < place_.servers; ++server) {
    Rpc made = rpc(server, spec_.write ? RpcKind::kUpdate : RpcKind::kQuery);
    made.done = {this, kSynced, 0};
    ++waiting_for_;
    place_.engine.start(made);
  }
}

void PvfsStream::on_event(std::uint32_t kind, std::uint64_t /*about*/) {
  switch (kind) {
    case kCopied:
      issue();
      return;
    case kAnswered:
      if (--waiting_for_ > 0) return;
      position_ += spec_.record_bytes;
      bytes_done_ += spec_.record_bytes;
      ++operations_done_;
      if (position_ + spec_.record_bytes > spec_.file_bytes) {
        end_pass();
      } else {
        next_record();
      }
      return;
    case kSynced:
      if (--waiting_for_ == 0) wake_in(place_.cluster.experiment.pass_pause_seconds, kNextPass);
      return;
    default:
      again_ = spec_.two_passes && !again_;
      position_ = 0;
      next_record();
      return;
  }
}

}  // namespace laggard::lab
