#include "cmd/watch_state.h"

#include <cstddef>
#include <string>
#include <string_view>

#include "archive/zstd_codec.h"
#include "base/file.h"
#include "base/output_file.h"
#include "base/state_codec.h"

namespace laggard::cmd {

namespace {
constexpr std::string_view kMagic = "LGW1";
/// A million attachments need a tenth of it.
constexpr std::size_t kMostBytes = std::size_t{1} << 31;
constexpr StateFormat kFormat{"state of laggard watch", 7};
}  // namespace

Status write_watch_state(const std::filesystem::path& file, const WatchState& state) {
  archive::ZstdCodec codec;
  return write_file(file, archive::seal(kMagic, save_state(kFormat, state), codec));
}

Result<std::optional<WatchState>> read_watch_state(const std::filesystem::path& file) {
  Result<std::string> bytes = read_file(file);
  if (!bytes) {
    if (bytes.error().code == ErrorCode::kNotFound) return std::nullopt;
    return forward(bytes);
  }
  archive::ZstdCodec codec;
  const Result<std::string> unsealed = archive::unseal(kMagic, *bytes, file.string(), codec, kMostBytes);
  WatchState state;
  if (!unsealed || !restore_state(kFormat, *unsealed, state)) {
    return fail(ErrorCode::kBadInput, file.string(),
                "is no state of laggard watch, or is damaged; name another file, or remove it to begin anew");
  }
  return state;
}

}  // namespace laggard::cmd
