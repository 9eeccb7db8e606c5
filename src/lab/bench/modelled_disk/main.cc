// A disk with one arm, as a file: serves DIR/disk through FUSE and makes every request take as long as on a
// slow rotating disk. A block device on top of that file has real queues, waits and utilisation in
// /proc/diskstats, which a rate limit above the device could not give.
//
// DIR/speed is written `fast` (no waiting: to prepare and to take down) or `modelled`. DIR/ailment is written
// what is wrong with the disk (lab/bench/disk_ailment.h).
// It is a separate program, so that laggard-lab does not need libfuse.
#define FUSE_USE_VERSION 312
#include <fuse3/fuse_lowlevel.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "lab/bench/disk_ailment.h"
#include "lab/sim/disk.h"
#include "lab/sim/random.h"

namespace {

using laggard::lab::DiskGeometry;
using laggard::lab::bench::DiskAilment;

constexpr fuse_ino_t kRoot = 1;
constexpr fuse_ino_t kDisk = 2;
constexpr fuse_ino_t kSpeed = 3;
constexpr fuse_ino_t kAilment = 4;
constexpr double kForEver = 86400;
constexpr std::size_t kPage = 4096;
constexpr std::array<char, kPage> kZeros{};
/// Requests that the disk may reorder, as with native command queueing.
constexpr std::size_t kQueueDepth = 8;
constexpr double kLongestSleepMs = 200;

struct Request {
  enum class Kind { kRead, kWrite, kFlush };
  fuse_req_t reply = nullptr;
  Kind kind = Kind::kRead;
  std::int64_t offset = 0;
  std::size_t length = 0;
};

double now_ms() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e3 * static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_nsec);
}

void sleep_until_ms(double t) {
  timespec when{};
  when.tv_sec = static_cast<time_t>(t / 1e3);
  when.tv_nsec = static_cast<long>((t - 1e3 * static_cast<double>(when.tv_sec)) * 1e6);
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &when, nullptr) == EINTR) {
  }
}

class Disk {
 public:
  Disk(const DiskGeometry& geometry, std::uint64_t seed)
      : geometry_(geometry), size_(static_cast<std::size_t>(geometry.capacity_bytes)), random_(seed) {
    // Pages that were never written take no memory; the kernel returns zeros.
    void* memory =
        ::mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory != MAP_FAILED) content_ = static_cast<char*>(memory);
  }

  [[nodiscard]] bool usable() const { return content_ != nullptr; }
  [[nodiscard]] std::size_t size() const { return size_; }
  void set_fast(bool fast) { fast_ = fast; }
  void set_ailment(const DiskAilment& ailment) {
    const std::lock_guard lock(mutex_);
    ailment_ = ailment;
    ill_since_ = now_ms();
  }

  void put(const Request& request) {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(request);
    wake_.notify_one();
  }

  /// Stores what is written, without spending memory on writing zeros over zeros.
  void store(std::size_t offset, const char* data, std::size_t length) {
    while (length > 0) {
      const std::size_t part = std::min(length, kPage - offset % kPage);
      const bool zero = std::memcmp(data, kZeros.data(), part) == 0;
      if (!zero || std::memcmp(content_ + offset, kZeros.data(), part) != 0) {
        std::memcpy(content_ + offset, data, part);
      }
      offset += part;
      data += part;
      length -= part;
    }
  }

  /// The arm: takes up to kQueueDepth requests and serves them in one sweep, for ever.
  void serve() {
    ::prctl(PR_SET_TIMERSLACK, 1000);
    for (;;) {
      std::vector<Request> batch = take();
      std::sort(batch.begin(), batch.end(), [](const auto& a, const auto& b) { return a.offset < b.offset; });
      const auto ahead =
          std::find_if(batch.begin(), batch.end(), [&](const auto& r) { return r.offset >= head_; });
      std::rotate(batch.begin(), ahead, batch.end());
      for (const Request& request : batch) {
        wait_for(request);
        finish(request);
      }
    }
  }

 private:
  std::vector<Request> take() {
    std::unique_lock lock(mutex_);
    wake_.wait(lock, [&] { return !waiting_.empty(); });
    const std::size_t n = std::min(waiting_.size(), kQueueDepth);
    std::vector<Request> batch(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(n));
    waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(n));
    return batch;
  }

  double service_ms(const Request& request) {
    if (request.kind == Request::Kind::kFlush) return geometry_.rotation_ms / 2;
    double ms =
        laggard::lab::transfer_ms(geometry_, request.offset, static_cast<std::int64_t>(request.length));
    if (request.offset != head_) {
      ms +=
          laggard::lab::seek_ms(geometry_, head_, request.offset) + random_.uniform(0, geometry_.rotation_ms);
    }
    return ms;
  }

  /// When a request that begins now will be done.
  double done_at(const Request& request) {
    const std::lock_guard lock(mutex_);
    const double begin = std::max(busy_until_, now_ms());
    return begin + laggard::lab::bench::standstill_ms(ailment_, begin - ill_since_) +
           laggard::lab::bench::ailing_ms(ailment_, {request.offset, service_ms(request), random_.uniform()});
  }

  /// Sleeps until the sum of all busy times, so that late wake-ups do not slow the disk down; a disk that is
  /// made fast goes on at once.
  void wait_for(const Request& request) {
    if (!fast_) {
      busy_until_ = done_at(request);
      while (!fast_ && busy_until_ - now_ms() > kLongestSleepMs) sleep_until_ms(now_ms() + kLongestSleepMs);
      if (!fast_) sleep_until_ms(busy_until_);
    }
    if (fast_) busy_until_ = 0;
    if (request.kind != Request::Kind::kFlush)
      head_ = request.offset + static_cast<std::int64_t>(request.length);
  }

  void finish(const Request& request) {
    switch (request.kind) {
      case Request::Kind::kFlush:
        fuse_reply_err(request.reply, 0);
        return;
      case Request::Kind::kWrite:
        fuse_reply_write(request.reply, request.length);
        return;
      case Request::Kind::kRead:
        fuse_reply_buf(request.reply, content_ + request.offset, request.length);
        return;
    }
  }

  DiskGeometry geometry_;
  std::size_t size_;
  laggard::lab::Random random_;
  char* content_ = nullptr;
  std::atomic<bool> fast_{true};
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Request> waiting_;
  std::int64_t head_ = 0;
  double busy_until_ = 0;
  DiskAilment ailment_;
  double ill_since_ = 0;
};

Disk& disk_of(fuse_req_t request) { return *static_cast<Disk*>(fuse_req_userdata(request)); }

struct stat attributes(const Disk& disk, fuse_ino_t inode) {
  struct stat s {};
  s.st_ino = inode;
  s.st_blksize = static_cast<blksize_t>(kPage);
  s.st_mode = inode == kRoot ? S_IFDIR | 0700 : S_IFREG | 0600;
  s.st_nlink = inode == kRoot ? 2 : 1;
  s.st_size = inode == kDisk ? static_cast<off_t>(disk.size()) : 0;
  s.st_blocks = s.st_size / 512;
  return s;
}

void on_init(void* /*disk*/, fuse_conn_info* connection) {
  connection->want &= ~static_cast<unsigned>(FUSE_CAP_SPLICE_READ);
  connection->max_write = 1U << 20U;
  connection->max_background = 256;
  connection->congestion_threshold = 240;
}

void on_lookup(fuse_req_t request, fuse_ino_t parent, const char* name) {
  fuse_entry_param entry{};
  if (parent == kRoot && std::strcmp(name, "disk") == 0) entry.ino = kDisk;
  if (parent == kRoot && std::strcmp(name, "speed") == 0) entry.ino = kSpeed;
  if (parent == kRoot && std::strcmp(name, laggard::lab::bench::kAilmentFile) == 0) entry.ino = kAilment;
  if (entry.ino == 0) {
    fuse_reply_err(request, ENOENT);
    return;
  }
  entry.attr = attributes(disk_of(request), entry.ino);
  entry.attr_timeout = entry.entry_timeout = kForEver;
  fuse_reply_entry(request, &entry);
}

void on_getattr(fuse_req_t request, fuse_ino_t inode, fuse_file_info* /*file*/) {
  const struct stat s = attributes(disk_of(request), inode);
  fuse_reply_attr(request, &s, kForEver);
}

/// Accepts only the truncation of a control file before it is written.
void on_setattr(fuse_req_t request, fuse_ino_t inode, struct stat* /*wanted*/, int /*which*/,
                fuse_file_info* file) {
  on_getattr(request, inode, file);
}

void on_open(fuse_req_t request, fuse_ino_t /*inode*/, fuse_file_info* file) {
  file->direct_io = 1;  // The page cache belongs above the block device, not below it.
  fuse_reply_open(request, file);
}

void on_read(fuse_req_t request, fuse_ino_t inode, std::size_t length, off_t offset,
             fuse_file_info* /*file*/) {
  Disk& disk = disk_of(request);
  const auto at = static_cast<std::size_t>(offset);
  if (inode != kDisk || at >= disk.size()) {
    fuse_reply_buf(request, nullptr, 0);
    return;
  }
  disk.put({request, Request::Kind::kRead, offset, std::min(length, disk.size() - at)});
}

void set_speed(fuse_req_t request, std::string_view text, std::size_t length) {
  const bool fast = text.substr(0, 4) == "fast";
  if (!fast && text.substr(0, 8) != "modelled") {
    fuse_reply_err(request, EINVAL);
    return;
  }
  disk_of(request).set_fast(fast);
  fuse_reply_write(request, length);
}

void set_ailment(fuse_req_t request, std::string_view text, std::size_t length) {
  const auto ailment = laggard::lab::bench::parse_ailment(text);
  if (!ailment) {
    fuse_reply_err(request, EINVAL);
    return;
  }
  disk_of(request).set_ailment(*ailment);
  fuse_reply_write(request, length);
}

void on_write(fuse_req_t request, fuse_ino_t inode, fuse_bufvec* data, off_t offset,
              fuse_file_info* /*file*/) {
  const fuse_buf& buffer = data->buf[0];
  if (data->count != 1 || (buffer.flags & FUSE_BUF_IS_FD) != 0) {
    fuse_reply_err(request, EIO);  // `on_init` asked for the data in memory.
    return;
  }
  const char* bytes = static_cast<const char*>(buffer.mem) + data->off;
  const std::size_t length = buffer.size - data->off;
  if (inode == kSpeed) {
    set_speed(request, {bytes, length}, length);
    return;
  }
  if (inode == kAilment) {
    set_ailment(request, {bytes, length}, length);
    return;
  }
  Disk& disk = disk_of(request);
  const auto at = static_cast<std::size_t>(offset);
  if (at > disk.size() || length > disk.size() - at) {
    fuse_reply_err(request, ENOSPC);
    return;
  }
  disk.store(at, bytes, length);
  disk.put({request, Request::Kind::kWrite, offset, length});
}

void on_fsync(fuse_req_t request, fuse_ino_t /*inode*/, int /*only_data*/, fuse_file_info* /*file*/) {
  disk_of(request).put({request, Request::Kind::kFlush, 0, 0});
}

int serve(const std::string& folder, Disk& disk) {
  fuse_lowlevel_ops operations{};
  operations.init = on_init;
  operations.lookup = on_lookup;
  operations.getattr = on_getattr;
  operations.setattr = on_setattr;
  operations.open = on_open;
  operations.read = on_read;
  operations.write_buf = on_write;
  operations.fsync = on_fsync;
  // No fallocate: discarding and zeroing would bypass the arm.
  std::string program = "laggard-modelled-disk";
  std::string option = "-ofsname=laggard-modelled-disk";
  std::array<char*, 3> argv{program.data(), option.data(), nullptr};
  fuse_args arguments = FUSE_ARGS_INIT(2, argv.data());
  fuse_session* session = fuse_session_new(&arguments, &operations, sizeof operations, &disk);
  if (session == nullptr || fuse_session_mount(session, folder.c_str()) != 0) {
    std::fprintf(stderr, "laggard-modelled-disk: %s: cannot be mounted\n", folder.c_str());
    return 2;
  }
  // Memory reclaim must not wait for writes that this process has to complete.
  ::prctl(PR_SET_IO_FLUSHER, 1, 0, 0, 0);
  std::thread([&disk] { disk.serve(); }).detach();
  fuse_session_loop(session);
  fuse_session_unmount(session);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Serves a modelled disk as DIR/disk.", "laggard-modelled-disk"};
  std::string folder;
  double megabytes = 4096;
  double rate = 6;
  std::uint64_t seed = 1;
  app.add_option("DIR", folder, "Where to mount it")->required();
  app.add_option("--megabytes", megabytes, "Size")->capture_default_str();
  app.add_option("--rate", rate, "Transfer rate, MB/s")->capture_default_str();
  app.add_option("--seed", seed, "Of the rotational delays")->capture_default_str();
  CLI11_PARSE(app, argc, argv);

  DiskGeometry geometry;
  geometry.capacity_bytes = megabytes * (1 << 20);
  geometry.outer_bytes_per_second = rate * 1e6;
  geometry.inner_bytes_per_second = rate * 1e6;
  geometry.track_seek_ms = 0.8;
  geometry.long_seek_ms = 9.2;
  geometry.rotation_ms = 8.3;
  static Disk disk(geometry, seed);
  if (!disk.usable()) {
    std::fprintf(stderr, "laggard-modelled-disk: no room for %.0f MB of addresses\n", megabytes);
    return 2;
  }
  const int status = serve(folder, disk);
  std::fflush(nullptr);
  std::_Exit(status);  // The arm's thread never ends.
}
