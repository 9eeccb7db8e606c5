#include "cmd/output_check.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <system_error>

#include "base/file.h"
#include "base/output_file.h"

namespace laggard::cmd {

namespace {

namespace fs = std::filesystem;

/// Recordings and ledgers, and what SQLite puts beside them while they are written.
bool has_name_of_recording(const fs::path& file) {
  std::string name = file.filename();
  for (const std::string_view beside : {"-wal", "-shm", "-journal"}) {
    if (name.ends_with(beside)) name.resize(name.size() - beside.size());
  }
  return name.ends_with(".lgd") || name.ends_with(".lgl");
}

/// Under whatever name.
bool has_content_of_recording(const fs::path& file) {
  constexpr std::string_view kMagic("SQLite format 3\0", 16);
  const Fd fd(::open(file.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  std::array<char, kMagic.size()> head{};
  const auto got = fd.valid() ? read_some(fd.get(), head, "") : Result<std::size_t>(0);
  return got && std::string_view(head.data(), *got) == kMagic;
}

bool is_same_file(const struct stat& one, const fs::path& other) {
  struct stat there {};
  return !other.empty() && ::stat(other.c_str(), &there) == 0 && S_ISREG(there.st_mode) &&
         there.st_ino == one.st_ino && there.st_dev == one.st_dev;
}

/// Also of a file that is not there yet.
fs::path one_name(const OutputTarget& target) {
  std::error_code error;
  const fs::path folder = fs::canonical(target.folder(), error);
  return error ? target.file.lexically_normal() : folder / target.file.filename();
}

Status check_output(const NamedOutput& output, const OutputTarget& target, std::span<const fs::path> inputs) {
  if (has_name_of_recording(target.file) || (target.there && has_content_of_recording(target.file))) {
    return fail(ErrorCode::kBadUse, output.path.string(),
                fmt::format("is a file of a recording or a ledger; name another for {}", output.option));
  }
  const bool read = target.there && std::ranges::any_of(inputs, [&](const fs::path& input) {
                      return is_same_file(*target.there, input);
                    });
  if (!read) return {};
  return fail(ErrorCode::kBadUse, output.path.string(),
              fmt::format("is read, and {} would overwrite it; name another file", output.option));
}

}  // namespace

Status check_outputs(std::span<const NamedOutput> outputs, std::span<const fs::path> inputs) {
  std::vector<std::pair<fs::path, std::string_view>> seen;
  for (const NamedOutput& output : outputs) {
    if (output.path.empty() || output.path == "-") continue;
    const auto target = find_output_target(output.path);
    if (!target) return tl::unexpected<Error>(target.error());
    if (!target->replaceable()) continue;
    if (Status sound = check_output(output, *target, inputs); !sound) return sound;
    const fs::path name = one_name(*target);
    const auto same = std::ranges::find(seen, name, [](const auto& one) { return one.first; });
    if (same != seen.end()) {
      return fail(ErrorCode::kBadUse, output.path.string(),
                  fmt::format("cannot be both {} and {}; name two files", same->second, output.option));
    }
    seen.emplace_back(name, output.option);
    if (output.appended) continue;
    // Created and, for want of a commit, gone again.
    if (auto trial = OutputFile::create(output.path); !trial) return forward(trial);
  }
  return {};
}

}  // namespace laggard::cmd
