// Tapes of judged windows come from other processes and from disks: damage must end in an error, and what is
// taken for a run must be one that can be written again.
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/frame_log.h"
#include "engine/judged_run_codec.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using laggard::engine::decode_run;
using laggard::engine::encode_run;

/// Bytes that are a run, in whatever way, are the same run when they are written again.
void check_run(std::string_view bytes) {
  const laggard::engine::RunShape shape{{{3, 1}, {40, 4}}, 2};
  const auto run = laggard::engine::decode_run(bytes, shape);
  if (!run) return;
  const std::string written = laggard::engine::encode_run(*run);
  const auto again = laggard::engine::decode_run(written, shape);
  if (!again || laggard::engine::encode_run(*again) != written) __builtin_trap();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  laggard::engine::FrameLogReader tape(bytes);
  std::size_t before = 0;
  while (const auto frame = tape.next()) {
    if (tape.sound() <= before || tape.sound() > size) __builtin_trap();
    before = tape.sound();
    check_run(frame->payload);
  }
  check_run(bytes);
  return 0;
}
