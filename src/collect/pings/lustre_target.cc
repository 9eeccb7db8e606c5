#include "collect/pings/lustre_target.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <system_error>
#include <utility>

#include "base/text.h"
#include "collect/pings/directory_target.h"

namespace laggard::collect {

namespace {

/// Whether a tool did what it was asked to. \param output  what it printed
int ask_lfs(std::vector<std::string> words, std::string* output = nullptr) {
  auto said = run_tool(words);
  if (!said) return said.error().code == ErrorCode::kUnavailable ? EREMOTEIO : ENOENT;
  if (output != nullptr) *output = std::move(*said);
  return 0;
}

}  // namespace

std::optional<LustrePart> parse_lustre_part(std::string_view name) {
  constexpr std::size_t kDigits = 4;
  constexpr std::size_t kEnd = 3 + kDigits;  // `OST000a`
  constexpr int kHexadecimal = 16;
  if (name.size() < kEnd + 2 || name[name.size() - kEnd - 1] != '-') return std::nullopt;
  const std::string_view kind = name.substr(name.size() - kEnd, 3);
  if (kind != "OST" && kind != "MDT") return std::nullopt;
  LustrePart part{.name = std::string(name), .is_metadata = kind == "MDT"};
  const char* end = name.data() + name.size();
  const auto read = std::from_chars(end - kDigits, end, part.index, kHexadecimal);
  if (read.ec != std::errc{} || read.ptr != end) return std::nullopt;
  return part;
}

LustreParts parse_lfs_targets(std::string_view text) {
  constexpr std::string_view kSuffix = "_UUID";
  LustreParts parts;
  while (!text.empty()) {
    std::string_view line = take_line(text);
    const std::string_view number = take_word(line);
    std::string_view name = take_word(line);
    const std::string_view state = take_word(line);
    if (!number.ends_with(':') || !name.ends_with(kSuffix)) continue;
    name.remove_suffix(kSuffix.size());
    auto part = parse_lustre_part(name);
    if (!part) continue;
    if (state == "ACTIVE") {
      parts.active.push_back(std::move(*part));
    } else {
      parts.inactive.push_back(std::move(part->name));
    }
  }
  return parts;
}

int LustrePin::make_on_mdt(const std::filesystem::path& directory) {
  struct statfs here {};
  if (::statfs(directory.parent_path().c_str(), &here) != 0) return errno;
  if (here.f_type != client_.file_system) return ENODEV;
  struct stat known {};
  if (::lstat(directory.c_str(), &known) != 0) {
    const int error = ask_lfs({client_.lfs, "mkdir", "-i", std::to_string(part_.index), directory.string()});
    if (error != 0) return error;
    constexpr mode_t kOwnersOnly = 0700;
    if (::chmod(directory.c_str(), kOwnersOnly) != 0) return errno;
  }
  return ask_lfs({client_.lfs, "setstripe", "-E", "64K", "-L", "mdt", directory.string()});
}

int LustrePin::make(const std::filesystem::path& directory) {
  if (part_.is_metadata) return make_on_mdt(directory);
  if (const int error = make_directory_on(client_.file_system, directory); error != 0) return error;
  return ask_lfs(
      {client_.lfs, "setstripe", "-c", "1", "-i", std::to_string(part_.index), directory.string()});
}

int LustrePin::check(const std::filesystem::path& file) {
  std::string output;
  const int error =
      ask_lfs({client_.lfs, "getstripe", part_.is_metadata ? "-m" : "-i", file.string()}, &output);
  if (error != 0) return error;
  const auto index = to_number<std::uint32_t>(trim(output));
  if (!index) return EBADMSG;
  return *index == part_.index ? 0 : EXDEV;
}

Result<PingListing> list_lustre(const std::string& mount, const LustreClient& client) {
  struct statfs here {};
  if (::statfs(mount.c_str(), &here) != 0) return fail_errno(errno, mount, "cannot be looked at");
  if (here.f_type != client.file_system)
    return fail(ErrorCode::kUnavailable, mount, "is not on a mounted Lustre");
  std::string text;
  for (const char* what : {"osts", "mdts"}) {
    const auto said = run_tool(std::array{client.lfs, std::string(what), mount});
    if (!said) return tl::unexpected<Error>(said.error());
    text += *said + "\n";
  }
  const LustreParts parts = parse_lfs_targets(text);
  PingListing listing;
  for (const LustrePart& part : parts.active)
    listing.targets.push_back({.name = part.name, .place = part.name, .mount = mount});
  if (listing.targets.empty())
    return fail(ErrorCode::kUnavailable, mount, "`lfs osts` and `lfs mdts` name no active target of it");
  constexpr std::size_t kShown = 8;
  if (!parts.inactive.empty()) {
    listing.notes.push_back(fmt::format("{}: not probed, since they are inactive on this client: {}", mount,
                                        first_few(parts.inactive, kShown)));
  }
  return listing;
}

Status LustreBackend::check(const PingTargetSpec& target) {
  if (!target.mount.starts_with('/'))
    return fail(ErrorCode::kBadUse, "--mount", "is needed: where Lustre is mounted, such as /scratch");
  if (target.place.empty() || parse_lustre_part(target.place)) return {};
  return fail(ErrorCode::kBadUse, "--target",
              target.name + "=" + target.place + " names no target such as scratch-OST0003");
}

std::unique_ptr<PingTarget> LustreBackend::open(const PingTargetSpec& target, const PingBackendSetup& setup) {
  return std::make_unique<DirectoryTarget>(
      pinned_directory(target, setup.owner), setup,
      std::make_unique<LustrePin>(parse_lustre_part(target.place).value_or(LustrePart{}), LustreClient{}));
}

}  // namespace laggard::collect
