#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "archive/zstd_codec.h"

/// What is known of devices besides their samples: serial numbers, sizes, addresses. Every device has the
/// same few keys, so that many of them packed together take a tenth of a row for each.
namespace laggard::archive {

/// What a fact is about.
struct FactKey {
  std::string kind;
  std::string device;
  std::string key;
  auto operator<=>(const FactKey&) const = default;
};
using Facts = std::map<FactKey, std::string>;

/// Where a file of events keeps the bookmark (EventTable) of the events of a kind.
[[nodiscard]] inline FactKey bookmark_key(const std::string& kind) {
  return {.kind = kind, .device = {}, .key = "bookmark"};
}

/// Packs facts into rows of about a page, each with its own checksum, so that a bad page costs only the facts
/// on it. All facts of a device are in one row unless they do not fit.
[[nodiscard]] std::vector<std::string> pack_facts(const Facts& facts, ZstdCodec& codec);

/// Nothing when the checksum is wrong or the content makes no sense.
[[nodiscard]] std::optional<Facts> unpack_facts(std::string_view row, ZstdCodec& codec);

}  // namespace laggard::archive
