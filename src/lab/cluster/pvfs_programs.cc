#include "lab/cluster/pvfs_programs.h"

#include <algorithm>

#include "lab/cluster/rpc.h"

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
    if (spec_.write && spec_.two_passes) {
      made.kind = RpcKind::kSync;
      made.at = DiskLayout::kObjects + place_.client * DiskLayout::kObjectSpacing;
      made.bytes = DiskLayout::kObjectSpacing;
    }
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

PvfsPostmark::PvfsPostmark(const ProgramPlace& place, const Servers& servers, const PostmarkSpec& spec)
    : Program(place), servers_(servers), spec_(spec) {}

void PvfsPostmark::begin() { wake_in(start_delay(), kNext); }

void PvfsPostmark::look_up() {
  const PvfsSpec& pvfs = place_.cluster.pvfs;
  if (place_.random.chance(pvfs.root_lookups)) ask(servers_.root, RpcKind::kQuery);
  if (place_.random.chance(pvfs.directory_lookups)) ask(servers_.directory, RpcKind::kQuery);
}

void PvfsPostmark::ask_all(RpcKind kind, Step& step) const {
  for (std::uint32_t server = 0; server < place_.servers; ++server) step.push_back(rpc(server, kind));
}

void PvfsPostmark::change(const File& file) {
  Rpc made = rpc(file.metafile, RpcKind::kUpdate);
  made.pages = place_.cluster.pvfs.file_pages;
  steps_.push_back({made});
}

void PvfsPostmark::transfer(const File& file, RpcKind kind, std::int64_t bytes) {
  Rpc made = rpc(file.data, kind);
  made.at = file.at;
  made.bytes = bytes;
  steps_.push_back({made});
}

void PvfsPostmark::plan_create() {
  File file;
  file.metafile = static_cast<std::uint32_t>(place_.random.below(place_.servers));
  file.data = static_cast<std::uint32_t>(place_.random.below(place_.servers));
  if (place_.cluster.pvfs.file_stuffing) file.data = file.metafile;
  const auto pages = static_cast<std::uint64_t>(DiskLayout::kSmallFilesBytes / DiskLayout::kPage);
  file.at =
      DiskLayout::kSmallFiles + static_cast<std::int64_t>(place_.random.below(pages)) * DiskLayout::kPage;
  file.bytes = static_cast<std::int64_t>(
      place_.random.uniform(static_cast<double>(spec_.smallest), static_cast<double>(spec_.largest)));
  look_up();
  change(file);
  ask(servers_.directory, RpcKind::kUpdate);
  transfer(file, RpcKind::kWrite, file.bytes);
  files_.push_back(file);
}

void PvfsPostmark::plan_delete() {
  const std::size_t index = place_.random.below(files_.size());
  const File file = files_[index];
  files_[index] = files_.back();
  files_.pop_back();
  look_up();
  ask(servers_.directory, RpcKind::kUpdate);
  change(file);
  if (!place_.cluster.pvfs.file_stuffing) ask_all(RpcKind::kUpdate, steps_.back());
}

void PvfsPostmark::plan_read() {
  const File& file = files_[place_.random.below(files_.size())];
  look_up();
  ask(file.metafile, RpcKind::kQuery);
  transfer(file, RpcKind::kRead, file.bytes);
}

void PvfsPostmark::plan_append() {
  File& file = files_[place_.random.below(files_.size())];
  look_up();
  ask(file.metafile, RpcKind::kQuery);
  if (!place_.cluster.pvfs.file_stuffing) {
    Step sizes;
    ask_all(RpcKind::kQuery, sizes);
    steps_.push_back(std::move(sizes));
  }
  const auto more = static_cast<std::int64_t>(
      place_.random.uniform(1, static_cast<double>(spec_.largest - spec_.smallest)));
  transfer(file, RpcKind::kWrite, more);
  // Files do not grow beyond the size that PostMark creates: an append rewrites the rest of the block.
  file.bytes = std::min(spec_.largest, file.bytes + more);
}

void PvfsPostmark::plan_transaction() {
  if (files_.size() < spec_.files && operations_done_ < spec_.files) {
    plan_create();
    return;
  }
  if (place_.random.chance(0.5) || files_.size() < 2) {
    plan_read();
  } else {
    plan_append();
  }
  if (place_.random.chance(0.5) || files_.size() < 2) {
    plan_create();
  } else {
    plan_delete();
  }
}

void PvfsPostmark::next_step() {
  if (steps_.empty()) {
    ++operations_done_;
    wake_in(place_.cluster.pvfs.think_seconds, kNext);
    return;
  }
  const Step step = std::move(steps_.front());
  steps_.pop_front();
  waiting_for_ = static_cast<std::uint32_t>(step.size());
  for (Rpc made : step) {
    made.done = {this, kAnswered, 0};
    place_.engine.start(made);
  }
}

void PvfsPostmark::on_event(std::uint32_t kind, std::uint64_t /*about*/) {
  if (kind == kNext) {
    plan_transaction();
    next_step();
  } else if (--waiting_for_ == 0) {
    next_step();
  }
}

}  // namespace laggard::lab
