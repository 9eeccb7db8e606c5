#include "lab/cluster/rpc.h"

#include <algorithm>
#include <utility>

namespace laggard::lab {

namespace {

std::int64_t whole_pages(std::int64_t bytes) {
  return (bytes + DiskLayout::kPage - 1) / DiskLayout::kPage * DiskLayout::kPage;
}

/// The pages that a request touches.
DiskRange pages_of(const Rpc& rpc) {
  return {rpc.at / DiskLayout::kPage * DiskLayout::kPage, whole_pages(rpc.at + rpc.bytes)};
}

}  // namespace

SimTime Daemon::handle(std::int64_t bytes, SimTime now) {
  const SimTime work = kMessage + from_seconds(kByteSeconds * static_cast<double>(bytes));
  counters_.cpu_ns += static_cast<std::uint64_t>(work.count());
  const bool stopped = stopped_until_ > now;
  if (kept_ == Kept::kByNobody && !stopped && busy_until_ <= now) return now;
  const SimTime begin = std::max({now, busy_until_, stopped_until_});
  const SimTime takes = kept_ == Kept::kByNobody ? SimTime{} : from_seconds(to_seconds(work) / share_);
  const auto waited = static_cast<std::uint64_t>(std::max(SimTime{}, takes - work).count());
  if (kept_ == Kept::kByQuota) counters_.throttled_ns += waited;
  if (kept_ == Kept::kByNeighbours) counters_.run_wait_ns += waited;
  busy_until_ = begin + takes;
  return busy_until_;
}

DaemonCounters Daemon::counters(SimTime now) const {
  DaemonCounters counters = counters_;
  counters.stopped = stopped_until_ > now;
  return counters;
}

FileServer::FileServer(EventQueue& queue, const ClusterSpec& cluster, const DiskGeometry& geometry,
                       const Random& random)
    : queue_(queue),
      file_system_(cluster.file_system),
      most_coalesced_(cluster.pvfs.most_coalesced),
      sync_journal_(cluster.file_system == FileSystem::kLustre && cluster.lustre.sync_journal),
      random_(random.fork("server")),
      disk_(queue, geometry, cluster.elevator, random.fork("disk")),
      journal_(
          queue, disk_, {DiskLayout::kJournal, DiskLayout::kJournal + DiskLayout::kJournalBytes},
          // Servers were started one after the other, so their journals are not written at the same times.
          from_seconds(random_.uniform() * to_seconds(Journal::kInterval))) {
  // For the same reason pdflush does not wake up on all of them at once.
  if (cluster.file_system == FileSystem::kPvfs && cluster.pvfs.buffered) {
    Random phase = random.fork("pdflush");
    const BufferCacheSpec& cache = cluster.pvfs.cache;
    cache_.emplace(queue, disk_, cache, from_seconds(phase.uniform() * to_seconds(cache.writeback)));
  }
}

void FileServer::serve(const Rpc& rpc, std::uint32_t thread, const Signal& served) {
  switch (rpc.kind) {
    case RpcKind::kQuery:
      served.raise();
      return;
    case RpcKind::kUpdate:
      update(rpc, served);
      return;
    case RpcKind::kSync:
      sync(rpc, served);
      return;
    case RpcKind::kRead:
      read(rpc, thread, served);
      return;
    case RpcKind::kWrite:
      write(rpc, served);
      return;
  }
}

void FileServer::read(const Rpc& rpc, std::uint32_t thread, const Signal& served) {
  if (cache_) {
    cache_->read(pages_of(rpc), kFirstThreadStream + thread, served);
    return;
  }
  disk_.submit({.at = rpc.at,
                .bytes = whole_pages(rpc.bytes),
                .write = false,
                .io_class = IoClass::kSync,
                .stream = kFirstThreadStream + thread,
                .done = served});
}

void FileServer::write(const Rpc& rpc, const Signal& served) {
  if (sync_journal_) {
    write_with_journal(rpc, served);
    return;
  }
  journal_.add();
  if (cache_) {
    cache_->write(pages_of(rpc), served);
    return;
  }
  write_data(rpc, served);
}

void FileServer::write_data(const Rpc& rpc, const Signal& written) {
  disk_.submit({.at = rpc.at,
                .bytes = whole_pages(rpc.bytes),
                .write = true,
                .io_class = IoClass::kAsync,
                .stream = 0,
                .done = written});
}

void FileServer::write_with_journal(const Rpc& rpc, const Signal& served) {
  const std::uint64_t id = next_write_++;
  journaled_writes_.emplace(id, JournaledWrite{served});
  journal_.commit(rpc.client, {this, kWritePart, id});
  write_data(rpc, {this, kWritePart, id});
}

void FileServer::update(const Rpc& rpc, const Signal& served) {
  if (file_system_ == FileSystem::kLustre) {
    journal_.add();
    served.raise();
    return;
  }
  updates_.push_back({served, rpc.pages});
  if (syncing_.empty()) sync_database();
}

void FileServer::sync(const Rpc& rpc, const Signal& served) {
  if (!cache_) {
    update(rpc, served);
    return;
  }
  const std::uint64_t id = next_sync_++;
  after_data_.emplace(id, AfterData{rpc, served});
  cache_->sync(pages_of(rpc), {this, kDataSynced, id});
}

void FileServer::sync_database() {
  const std::size_t count = std::min(updates_.size(), most_coalesced_);
  if (count == 0) return;
  const auto end = updates_.begin() + static_cast<std::ptrdiff_t>(count);
  std::int64_t pages = 0;
  for (auto update = updates_.begin(); update != end; ++update) {
    syncing_.push_back(update->served);
    pages += update->pages;
  }
  updates_.erase(updates_.begin(), end);
  const auto page = static_cast<std::int64_t>(
      random_.below(static_cast<std::uint64_t>(DiskLayout::kDatabaseBytes / DiskLayout::kPage)));
  disk_.submit({.at = DiskLayout::kDatabase + page * DiskLayout::kPage,
                .bytes = DiskLayout::kPage * pages,
                .write = true,
                .io_class = IoClass::kAsync,
                .stream = 0,
                .done = {this, kSynced, 0}});
}

void FileServer::on_event(std::uint32_t kind, std::uint64_t about) {
  if (kind == kWritePart) {
    const auto write = journaled_writes_.find(about);
    if (--write->second.parts > 0) return;
    const Signal served = write->second.served;
    journaled_writes_.erase(write);
    served.raise();
    return;
  }
  if (kind == kDataSynced) {
    const AfterData next = after_data_.at(about);
    after_data_.erase(about);
    update(next.rpc, next.served);
    return;
  }
  const std::vector<Signal> synced = std::move(syncing_);
  syncing_.clear();
  sync_database();
  for (const Signal& served : synced) served.raise();
}

Fabric::Fabric(EventQueue& queue, const ClusterSpec& spec, const Random& random)
    : servers_(spec.servers),
      clients_(spec.clients),
      network_(spec.network, spec.servers + spec.clients + 2) {
  for (std::size_t client = 0; client < clients_; ++client) {
    for (std::size_t server = 0; server <= servers_; ++server) {
      const std::size_t host = client_host(client);
      const std::size_t index = client * (servers_ + 1) + server;
      up_.push_back(std::make_unique<TcpFlow>(queue, network_, TcpFlow::Ends{host, server}, spec.tcp,
                                              random.fork("up", index)));
      down_.push_back(std::make_unique<TcpFlow>(queue, network_, TcpFlow::Ends{server, host}, spec.tcp,
                                                random.fork("down", index)));
      up_.back()->set_way_back(*down_.back());
      down_.back()->set_way_back(*up_.back());
    }
  }
}

RpcEngine::RpcEngine(EventQueue& queue, Fabric& fabric, std::vector<Service*> services,
                     const MessageSizes& sizes)
    : queue_(queue), fabric_(fabric), services_(std::move(services)), sizes_(sizes) {}

void RpcEngine::start(const Rpc& rpc) {
  std::uint32_t slot = 0;
  if (free_.empty()) {
    slot = static_cast<std::uint32_t>(rpcs_.size());
    rpcs_.push_back(rpc);
  } else {
    slot = free_.back();
    free_.pop_back();
    rpcs_[slot] = rpc;
  }
  const std::int64_t bytes = sizes_.request + (is_eager(rpc) ? rpc.bytes : 0);
  fabric_.to_server(rpc.client, rpc.server).send(bytes, {this, kRequested, slot});
}

bool RpcEngine::is_handled(const Rpc& rpc, std::uint32_t stage, std::uint64_t slot) {
  if (stage == kReady || stage == kAnswered || (stage & kHandled) != 0) return true;
  const bool data = stage == kDataCame || (stage == kRequested && is_eager(rpc)) ||
                    (stage == kServed && rpc.kind == RpcKind::kRead);
  const SimTime done = services_[rpc.server]->handle(data ? rpc.bytes : 0, queue_.now());
  if (done <= queue_.now()) return true;
  queue_.schedule(done, {this, stage | kHandled, slot});
  return false;
}

void RpcEngine::on_event(std::uint32_t kind, std::uint64_t about) {
  const Rpc rpc = rpcs_[about];
  const auto slot = static_cast<std::uint32_t>(about);
  if (!is_handled(rpc, kind, about)) return;
  switch (kind & ~kHandled) {
    case kRequested:
      if (rpc.kind == RpcKind::kWrite && !is_eager(rpc)) {
        fabric_.to_client(rpc.client, rpc.server).send(sizes_.ready, {this, kReady, slot});
      } else {
        services_[rpc.server]->serve(rpc, slot, {this, kServed, slot});
      }
      return;
    case kReady:
      fabric_.to_server(rpc.client, rpc.server).send(rpc.bytes, {this, kDataCame, slot});
      return;
    case kDataCame:
      services_[rpc.server]->serve(rpc, slot, {this, kServed, slot});
      return;
    case kServed: {
      const std::int64_t data = rpc.kind == RpcKind::kRead ? rpc.bytes : 0;
      fabric_.to_client(rpc.client, rpc.server).send(sizes_.answer + data, {this, kAnswered, slot});
      return;
    }
    default:
      free_.push_back(slot);
      rpc.done.raise();
      return;
  }
}

}  // namespace laggard::lab
