#include "base/state_codec.h"

#include <fmt/format.h>

namespace laggard::detail {

namespace {

constexpr std::size_t kSumBytes = sizeof(std::uint64_t);

tl::unexpected<Error> is_damaged(const StateFormat& format) {
  return fail(ErrorCode::kDamaged, "", fmt::format("the saved {} is damaged", format.name));
}

}  // namespace

std::string seal_state(const StateFormat& format, std::string_view bytes) {
  ByteWriter out;
  out.text(format.name);
  out.varint(format.version);
  out.raw(bytes);
  out.u64(checksum(out.str()));
  return out.take();
}

Result<std::string_view> open_state(const StateFormat& format, std::string_view sealed) {
  if (sealed.size() < kSumBytes) return is_damaged(format);
  const std::string_view said = sealed.substr(0, sealed.size() - kSumBytes);
  ByteReader sum(sealed.substr(said.size()));
  if (sum.u64() != checksum(said)) return is_damaged(format);
  ByteReader in(said);
  if (in.text(said.size()) != format.name) {
    return fail(ErrorCode::kBadInput, "", fmt::format("this is no saved {}", format.name));
  }
  if (const std::uint64_t version = in.varint(); version != format.version) {
    return fail(version > format.version ? ErrorCode::kTooNew : ErrorCode::kTooOld, "",
                fmt::format("the saved {} is of another version of laggard", format.name));
  }
  return in.rest();
}

Status check_state(const StateFormat& format, const StateReader& reader) {
  if (reader.complete()) return {};
  return is_damaged(format);
}

}  // namespace laggard::detail
