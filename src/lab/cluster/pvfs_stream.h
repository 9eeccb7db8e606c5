#pragma once

#include <cstdint>

#include "lab/cluster/program.h"

namespace laggard::lab {

/// Of a file's first `bytes`, dealt out in stripes to `servers` servers in turn, those on the one whose turn
/// is `turn` (0: the server of the first stripe). `stripe` > 0, `turn` < `servers`.
[[nodiscard]] std::int64_t object_bytes(std::int64_t bytes, std::int64_t stripe, std::uint32_t servers,
                                        std::uint32_t turn);

/// Large sequential reads or writes on PVFS: a record is striped over the servers (PvfsSpec::stripe), asked
/// for from all that have a piece at once, and waited for as a whole (no read-ahead, no write-back): the
/// slowest server sets the pace (F §6.1, observation 2). When the file is through, the next one begins.
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

}  // namespace laggard::lab
