/// A row of facts on disk:
///   "LGF1" | xxh3-64 of the rest | size | zstd of: { kind, device, n { key, value } }, to the end
#include "archive/facts.h"

#include "archive/format.h"
#include "archive/sealed.h"
#include "base/bytes.h"

namespace laggard::archive {

namespace {

/// Before compression. Names and keys are alike, so that this is about a page (kPageBytes) afterwards.
constexpr std::size_t kRowBytes = 4096;

}  // namespace

std::vector<std::string> pack_facts(const Facts& facts, ZstdCodec& codec) {
  std::vector<std::string> rows;
  ByteWriter raw;
  for (auto at = facts.begin(); at != facts.end();) {
    ByteWriter device;
    std::uint64_t keys = 0;
    const FactKey& first = at->first;
    for (; at != facts.end() && at->first.kind == first.kind && at->first.device == first.device; ++at) {
      if (keys > 0 && device.str().size() + at->second.size() > kRowBytes) break;
      device.text(at->first.key);
      device.text(at->second);
      ++keys;
    }
    if (!raw.str().empty() && raw.str().size() + device.str().size() > kRowBytes) {
      rows.push_back(seal(kFactMagic, raw.str(), codec));
      raw = ByteWriter{};
    }
    raw.text(first.kind);
    raw.text(first.device);
    raw.varint(keys);
    raw.raw(device.str());
  }
  if (!raw.str().empty()) rows.push_back(seal(kFactMagic, raw.str(), codec));
  return rows;
}

std::optional<Facts> unpack_facts(std::string_view row, ZstdCodec& codec) {
  const Result<std::string> raw = unseal(kFactMagic, row, "", codec);
  if (!raw) return std::nullopt;
  Facts facts;
  ByteReader in{*raw};
  while (in.ok() && !in.rest().empty()) {
    FactKey fact{.kind = std::string(in.text(kMaxNameBytes)),
                 .device = std::string(in.text(kMaxNameBytes)),
                 .key = {}};
    for (std::size_t left = in.count(in.rest().size()); in.ok() && left > 0; --left) {
      fact.key = in.text(kMaxNameBytes);
      facts[fact] = in.text(in.rest().size());
    }
  }
  if (!in.ok()) return std::nullopt;
  return facts;
}

}  // namespace laggard::archive
