#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "lab/cluster/program.h"

namespace laggard::lab {

/// How many of a file's first `bytes` are on the server with turn `turn` (0: the server of the first stripe),
/// when they are striped over `servers` servers round-robin. `stripe` > 0, `turn` < `servers`.
[[nodiscard]] std::int64_t object_bytes(std::int64_t bytes, std::int64_t stripe, std::uint32_t servers,
                                        std::uint32_t turn);

/// Large sequential reads or writes on PVFS: a record is striped over the servers (PvfsSpec::stripe),
/// requested from all that have a piece at once, and waited for as a whole (no read-ahead, no write-back), so
/// that the slowest server sets the pace (F §6.1, observation 2). After the end of the file the next one
/// begins.
class PvfsStream final : public Program {
 public:
  PvfsStream(const ProgramPlace& place, const StreamSpec& spec);
  void begin() override;
  void on_event(std::uint32_t kind, std::uint64_t about) override;

 private:
  enum Kind : std::uint32_t { kCopied, kAnswered, kSynced, kNextPass };

  void next_record();
  void issue();
  void end_pass();

  StreamSpec spec_;
  bool again_ = false;              ///< IOzone's second pass.
  std::int64_t position_ = 0;       ///< In the file.
  std::uint32_t first_server_ = 0;  ///< Of the file's first stripe.
  std::uint32_t waiting_for_ = 0;
};

/// PostMark on PVFS. A directory's entries are on one server, that of "/" takes part in path look-ups; a
/// file's attributes are on one server, and so is its data, being smaller than a stripe.
///   create: look up; make the metafile; enter it in the directory; write
///   read:   look up; attributes; read        append: look up; attributes; write
///   delete: look up; take it out of the directory; remove the metafile
/// Without PvfsSpec::file_stuffing every file has a datafile on every server: before an append its size is
/// asked of all of them, and its removal concerns all of them, at once.
class PvfsPostmark final : public Program {
 public:
  /// \param root       server of "/".
  /// \param directory  server of the client's directory.
  struct Servers {
    std::uint32_t root = 0;
    std::uint32_t directory = 0;
  };
  PvfsPostmark(const ProgramPlace& place, const Servers& servers, const PostmarkSpec& spec = {});
  void begin() override;
  void on_event(std::uint32_t kind, std::uint64_t about) override;

 private:
  enum Kind : std::uint32_t { kAnswered, kNext };

  struct File {
    std::uint32_t metafile = 0;  ///< Server.
    std::uint32_t data = 0;      ///< Server.
    std::int64_t at = 0;
    std::int64_t bytes = 0;
  };
  using Step = std::vector<Rpc>;

  void plan_transaction();
  void plan_create();
  void plan_delete();
  void plan_read();
  void plan_append();
  void look_up();
  void ask(std::uint32_t server, RpcKind kind) { steps_.push_back({rpc(server, kind)}); }
  /// Makes or removes the file, apart from its entry in the directory.
  void change(const File& file);
  void ask_all(RpcKind kind, Step& step) const;
  void transfer(const File& file, RpcKind kind, std::int64_t bytes);
  void next_step();

  Servers servers_;
  PostmarkSpec spec_;
  std::vector<File> files_;
  std::deque<Step> steps_;
  std::uint32_t waiting_for_ = 0;
};

}  // namespace laggard::lab
