#include "cmd/recording_folder.h"

#include <system_error>

#include "base/text.h"
#include "cmd/shared_options.h"

namespace laggard::cmd {

using namespace std::chrono_literals;

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

Result<archive::Retention> retention_of(const std::string& keep, const std::string& max_size) {
  archive::Retention result;
  if (!keep.empty()) {
    auto age = duration_option("--keep", keep, 1h, 24h * 36600);
    if (!age) return forward(age);
    result.keep_age = *age;
  }
  if (!max_size.empty()) {
    result.max_bytes = parse_bytes(max_size);
    if (!result.max_bytes) {
      return fail(ErrorCode::kBadUse, "--max-size", max_size + " is no size; write 500M or 10G");
    }
  }
  return result;
}

Status Retainer::prune_now() {
  pruned_ = clock_.mono();
  if (!retention_.keep_age && !retention_.max_bytes) return {};
  Result<archive::Pruned> pruned = archive::prune(recording_, retention_, clock_.wall());
  if (!pruned) return forward(pruned);
  return {};
}

void Retainer::prune_when_due() {
  constexpr Duration kEvery = 1min;  // Files turn once a day, and grow slowly.
  if (clock_.mono() - pruned_ >= kEvery) static_cast<void>(prune_now().has_value());
}

}  // namespace laggard::cmd
