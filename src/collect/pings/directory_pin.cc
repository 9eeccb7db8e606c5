#include "collect/pings/directory_pin.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include <array>
#include <cerrno>
#include <chrono>

#include "base/text.h"
#include "collect/import/sysstat/child.h"

namespace laggard::collect {

std::filesystem::path pinned_directory(const PingTargetSpec& target, const PingOwner& owner) {
  return std::filesystem::path(target.mount) /
         fmt::format(".laggard-pings-{:016x}-{:016x}", owner.host, ping_hash(target.place));
}

int make_directory_on(long file_system, const std::filesystem::path& directory) {
  struct statfs here {};
  if (::statfs(directory.parent_path().c_str(), &here) != 0) return errno;
  if (here.f_type != file_system) return ENODEV;
  constexpr mode_t kOwnersOnly = 0700;
  return ::mkdir(directory.c_str(), kOwnersOnly) == 0 || errno == EEXIST ? 0 : errno;
}

Result<std::string> run_tool(std::span<const std::string> words) {
  constexpr auto kPatience = std::chrono::seconds(20);
  auto child = Child::start({.argv = {words.begin(), words.end()},
                             .environment = {"LC_ALL=C"},
                             .most_bytes = std::nullopt,
                             .patience = kPatience});
  if (!child) return forward(child);
  std::string output;
  std::array<char, 4096> buffer{};
  for (;;) {
    const auto got = child->read(buffer);
    if (!got) return tl::unexpected<Error>(got.error());
    if (*got == 0) break;
    output.append(buffer.data(), *got);
  }
  auto end = child->finish();
  if (!end) return forward(end);
  if (end->clean()) return output;
  std::string_view complaints = end->complaints;
  return fail(ErrorCode::kUnavailable, words.front(),
              fmt::format("{}: {}", end->how(), trim(take_line(complaints))));
}

}  // namespace laggard::collect
