#include "cmd/watch_state.h"

#include <string>

#include "base/file.h"
#include "base/output_file.h"
#include "base/state_codec.h"

namespace laggard::cmd {

namespace {
constexpr StateFormat kFormat{"state of laggard watch", 4};
}

Status write_watch_state(const std::filesystem::path& file, const WatchState& state) {
  return write_file(file, save_state(kFormat, state));
}

Result<std::optional<WatchState>> read_watch_state(const std::filesystem::path& file) {
  Result<std::string> bytes = read_file(file);
  if (!bytes) {
    if (bytes.error().code == ErrorCode::kNotFound) return std::nullopt;
    return forward(bytes);
  }
  WatchState state;
  if (Status restored = restore_state(kFormat, *bytes, state); !restored) {
    return fail(ErrorCode::kBadInput, file.string(),
                "is no state of laggard watch, or is damaged; name another file, or remove it to begin anew");
  }
  return state;
}

}  // namespace laggard::cmd
