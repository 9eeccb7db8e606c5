#include "cmd/recording_folder.h"

#include <system_error>

namespace laggard::cmd {

Status check_recording_folder(const std::filesystem::path& recording) {
  std::error_code unknown;
  const std::filesystem::file_status status = std::filesystem::status(recording, unknown);
  if (unknown || !std::filesystem::exists(status) || std::filesystem::is_directory(status)) return {};
  return fail(ErrorCode::kBadUse, recording.string(),
              "is a file, and a recording is a folder; give another --out");
}

void remove_empty_recording(const std::filesystem::path& recording) {
  std::error_code kept;
  std::filesystem::remove(recording / "metrics", kept);  // neither removes a folder that holds something
  std::filesystem::remove(recording, kept);
}

}  // namespace laggard::cmd
