// Saved `ceph pg dump` and `ceph pg ls`: any bytes end in one sentence, after snapshots of OSDs that are OSDs
// and work that is work; the pieces in which the text arrives change nothing.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "collect/import/ceph/import.h"
#include "model/background_work.h"

namespace {

using laggard::collect::CephSnapshot;
using laggard::collect::PgStates;

struct Read {
  std::vector<CephSnapshot> snapshots;
  std::string problem;
};

void check_snapshot(const CephSnapshot& snapshot) {
  for (const auto& [osd, level] : snapshot.work) {
    LAGGARD_CHECK(osd >= 0 && osd < 2147483647);
    LAGGARD_CHECK(!laggard::ceph_work_names(level).empty());
  }
}

Read read_in_pieces(std::string_view text, std::size_t piece) {
  PgStates states(
      [&](std::span<char> buffer) -> laggard::Result<std::size_t> {
        const std::size_t n = text.copy(buffer.data(), std::min(piece, buffer.size()));
        text.remove_prefix(n);
        return n;
      },
      "saved");
  Read read;
  while (true) {
    auto snapshot = states.next();
    if (!snapshot) {
      read.problem = snapshot.error().message();
      LAGGARD_CHECK(!snapshot.error().what.empty() && read.problem.find('\n') == std::string::npos);
      return read;
    }
    if (!*snapshot) return read;
    check_snapshot(**snapshot);
    read.snapshots.push_back(std::move(**snapshot));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Read whole = read_in_pieces(text, size + 1);
  const Read pieces = read_in_pieces(text, 7);
  LAGGARD_CHECK(whole.problem == pieces.problem && whole.snapshots.size() == pieces.snapshots.size());
  for (std::size_t i = 0; i < whole.snapshots.size(); ++i) {
    LAGGARD_CHECK(whole.snapshots[i].time == pieces.snapshots[i].time &&
                  whole.snapshots[i].work == pieces.snapshots[i].work);
  }
  return 0;
}
