#pragma once

#include <vector>

#include "lab/cluster/program.h"

namespace laggard::lab {

/// Large sequential reads or writes on PVFS: a record is striped over all servers in units of 64 KB, asked
/// for from all of them at once, and waited for as a whole (no read-ahead, no write-back): the slowest server
/// sets the pace (F §6.1, observation 2). When the file is through, the next one begins.
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
  bool again_ = false;                      ///< IOzone's second pass.
  std::int64_t position_ = 0;               ///< In the file.
  std::uint32_t first_server_ = 0;          ///< Of the file's first stripe.
  std::vector<std::int64_t> object_bytes_;  ///< Per server, what of its object is behind us.
  std::uint32_t waiting_for_ = 0;
};

}  // namespace laggard::lab
