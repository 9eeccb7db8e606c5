#pragma once

#include <vector>

#include "lab/cluster/program.h"

namespace laggard::lab {

/// Limits of a Lustre 1.6 client (F §6.1 footnote 2; lctl's max_dirty_mb, max_rpcs_in_flight,
/// max_read_ahead_mb), in RPCs of 1 MB, the largest payload.
struct LustreLimits {
  std::uint32_t dirty = 32;       ///< Per server, written but not yet on the server's disk.
  std::uint32_t in_flight = 8;    ///< Per server.
  std::uint32_t read_ahead = 40;  ///< Per client.
};
inline constexpr std::int64_t kLustreRpc = 1 << 20;

/// How a file's RPCs are distributed: round-robin over the servers, a stripe (rounded down to whole RPCs) at
/// a time.
struct LustreStripes {
  std::uint64_t rpcs = 1;  ///< In a stripe.
  std::uint64_t servers = 1;
  std::uint64_t first = 0;  ///< The server of the first stripe.

  [[nodiscard]] std::uint32_t server_of(std::uint64_t rpc) const {
    return static_cast<std::uint32_t>((rpc / rpcs + first) % servers);
  }
  /// Within that server's object.
  [[nodiscard]] std::int64_t offset_of(std::uint64_t rpc) const {
    return static_cast<std::int64_t>(rpc / (rpcs * servers) * rpcs + rpc % rpcs) * kLustreRpc;
  }
};

/// Writes a file through the client's cache: the application continues until a server that it writes to has
/// 32 MB outstanding. IOzone's passes end with an fsync, which waits for everything.
class LustreWriter final : public Program {
 public:
  LustreWriter(const ProgramPlace& place, const StreamSpec& spec, const LustreLimits& limits = {});
  void begin() override;
  void on_event(std::uint32_t kind, std::uint64_t about) override;

 private:
  enum Kind : std::uint32_t { kCopied, kWritten, kNextPass };

  struct Target {
    std::uint32_t dirty = 0;
    std::uint32_t in_flight = 0;
    std::int64_t sent_bytes = 0;  ///< Of the object.
  };

  [[nodiscard]] std::uint32_t server_of(std::int64_t position) const {
    return stripes_.server_of(static_cast<std::uint64_t>(position / kLustreRpc));
  }
  void copy_next();
  void send(std::uint32_t server);
  [[nodiscard]] bool all_clean() const;

  StreamSpec spec_;
  LustreLimits limits_;
  std::vector<Target> targets_;
  LustreStripes stripes_;
  std::int64_t position_ = 0;
  bool blocked_ = false;
  bool syncing_ = false;
  bool again_ = false;
};

/// Reads a file with read-ahead: 40 MB are requested ahead of the application, which takes them in order.
class LustreReader final : public Program {
 public:
  LustreReader(const ProgramPlace& place, const StreamSpec& spec, const LustreLimits& limits = {});
  void begin() override;
  void on_event(std::uint32_t kind, std::uint64_t about) override;

 private:
  enum Kind : std::uint32_t { kCame, kCopied, kNextPass };

  void fill_window();
  void consume();

  StreamSpec spec_;
  LustreLimits limits_;
  LustreStripes stripes_;
  std::uint64_t asked_ = 0;         ///< RPCs of this pass.
  std::uint64_t consumed_ = 0;      ///< Of those, taken by the application.
  std::vector<std::uint8_t> here_;  ///< Ring over the window: arrived but not taken.
  bool copying_ = false;
};

/// PostMark on Lustre: names are handled by the metadata server; data stays in the client's cache until it is
/// 30 s old (pdflush looks every 5 s) and is read from there. The file servers see locks (one each when a
/// file is first written), size inquiries for appends whose lock is no longer held, removals of the objects
/// that a file has on each of them, which are asynchronous up to eight of a client's at a server, and the
/// small writes of files that lived long enough.
class LustrePostmark final : public Program {
 public:
  LustrePostmark(const ProgramPlace& place, std::uint32_t metadata_server, const PostmarkSpec& spec = {});
  void begin() override;
  void on_event(std::uint32_t kind, std::uint64_t about) override;

 private:
  enum Kind : std::uint32_t { kAnswered, kNext, kFlush, kNobodyWaits, kRemoved };

  struct File {
    std::uint32_t server = 0;
    std::int64_t at = 0;
    std::int64_t bytes = 0;
    SimTime dirty_since{};
    bool dirty = false;
  };

  void plan_transaction();
  void plan_create();
  void plan_delete();
  void ask(std::uint32_t server, RpcKind kind) { steps_.push_back(rpc(server, kind)); }
  void next_step();
  void flush_old();
  void remove_objects();
  void send_removals(std::uint32_t server);

  std::uint32_t metadata_server_;
  PostmarkSpec spec_;
  std::vector<File> files_;
  std::vector<Rpc> steps_;  ///< In reverse order.

  struct Removals {
    std::uint32_t waiting = 0;
    std::uint32_t in_flight = 0;
  };
  std::vector<Removals> removals_;  ///< Of each server.
  bool stalled_ = false;            ///< A transaction waits only for removals that cannot be sent yet.
};

}  // namespace laggard::lab
