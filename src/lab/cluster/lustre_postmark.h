#pragma once

#include <vector>

#include "lab/cluster/program.h"
#include "lab/cluster/pvfs_postmark.h"

namespace laggard::lab {

/// PostMark on Lustre: names are the metadata server's business; data stays in the client's cache until it is
/// 30 s old (pdflush looks every 5 s) and is read from there. The file servers see locks (one each when a
/// file is first written), size inquiries for appends whose lock is not held any more, removals of the
/// objects that a file has on each of them, which nobody waits for while no more than eight of a client's are
/// under way at a server, and the small writes of files that lived long enough.
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
  bool stalled_ = false;            ///< A transaction is done but for removals that cannot be sent.
};

}  // namespace laggard::lab
