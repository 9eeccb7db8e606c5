#include "archive/runs.h"

#include <algorithm>
#include <cstring>

namespace laggard::archive {

Runs Runs::of(std::span<const std::uint8_t> presence) {
  Runs runs;
  std::size_t at = 0;
  bool wanted = false;
  while (at < presence.size()) {
    // Presence is nearly always a few long runs: memchr finds their ends many bytes at a time.
    const void* end = std::memchr(presence.data() + at, wanted ? 0 : 1, presence.size() - at);
    const std::size_t next =
        end == nullptr ? presence.size()
                       : static_cast<std::size_t>(static_cast<const std::uint8_t*>(end) - presence.data());
    runs.lengths_.push_back(static_cast<std::uint32_t>(next - at));
    at = next;
    wanted = !wanted;
  }
  return runs;
}

Runs Runs::full(std::size_t n) {
  Runs runs;
  if (n > 0) runs.lengths_ = {0, static_cast<std::uint32_t>(n)};
  return runs;
}

Runs Runs::read(ByteReader& in, std::size_t n) {
  Runs runs;
  std::size_t left = n;
  const std::size_t count = in.count(n + 1);
  for (std::size_t i = 0; i < count && in.ok(); ++i) {
    const std::size_t length = in.count(left);
    if (length == 0 && i > 0) in.fail();
    runs.lengths_.push_back(static_cast<std::uint32_t>(length));
    left -= length;
  }
  if (left != 0) in.fail();
  return runs;
}

void Runs::write(ByteWriter& out) const {
  out.varint(lengths_.size());
  for (const std::uint32_t length : lengths_) out.varint(length);
}

std::size_t Runs::present() const {
  std::size_t sum = 0;
  for (std::size_t i = 1; i < lengths_.size(); i += 2) sum += lengths_[i];
  return sum;
}

}  // namespace laggard::archive
