#include "collect/pings/gpfs_target.h"

#include <array>
#include <cerrno>
#include <utility>

#include "base/text.h"
#include "collect/pings/directory_target.h"

namespace laggard::collect {

std::optional<GpfsPlace> parse_gpfs_place(std::string_view place) {
  const std::size_t colon = place.find(":/");
  GpfsPlace parsed;
  if (colon != std::string_view::npos && place.substr(0, colon).find('/') == std::string_view::npos) {
    parsed.pool = place.substr(0, colon);
    place.remove_prefix(colon + 1);
    if (parsed.pool.empty()) return std::nullopt;
  }
  if (!place.starts_with('/')) return std::nullopt;
  parsed.directory = place;
  return parsed;
}

std::optional<std::string> parse_mmlsattr_pool(std::string_view text) {
  constexpr std::string_view kRow = "storage pool name:";
  while (!text.empty()) {
    const std::string_view line = take_line(text);
    if (!line.starts_with(kRow)) continue;
    const std::string_view pool = trim(line.substr(kRow.size()));
    return pool.empty() ? std::nullopt : std::optional(std::string(pool));
  }
  return std::nullopt;
}

int GpfsPin::make(const std::filesystem::path& directory) {
  return make_directory_on(file_system_, directory);
}

int GpfsPin::check(const std::filesystem::path& file) {
  if (place_.pool.empty()) return 0;
  const auto said = run_tool(std::array{mmlsattr_, std::string("-L"), file.string()});
  if (!said) return said.error().code == ErrorCode::kNotFound ? ENOENT : EREMOTEIO;
  const auto pool = parse_mmlsattr_pool(*said);
  if (!pool) return EBADMSG;
  return *pool == place_.pool ? 0 : EXDEV;
}

Status GpfsBackend::check(const PingTargetSpec& target) {
  if (parse_gpfs_place(target.place)) return {};
  return fail(ErrorCode::kBadUse, "--target",
              target.name + "=" + target.place +
                  " names no directory, nor a pool and its directory such as p1:/gpfs/fs1/pings1");
}

std::unique_ptr<PingTarget> GpfsBackend::open(const PingTargetSpec& target, const PingBackendSetup& setup) {
  const GpfsPlace place = parse_gpfs_place(target.place).value_or(GpfsPlace{});
  PingTargetSpec directory = target;
  directory.mount = place.directory;
  return std::make_unique<DirectoryTarget>(pinned_directory(directory, setup.owner), setup,
                                           std::make_unique<GpfsPin>(place));
}

}  // namespace laggard::collect
