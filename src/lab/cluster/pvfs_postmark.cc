#include "lab/cluster/pvfs_postmark.h"

#include <algorithm>

#include "lab/cluster/file_server.h"

namespace laggard::lab {

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
  // Files do not grow beyond what PostMark creates: the rest of the block is rewritten.
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
