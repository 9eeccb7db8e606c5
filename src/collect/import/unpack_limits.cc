#include "collect/import/unpack_limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/text.h"

namespace laggard::collect {

Status UnpackBudget::spend(std::uint64_t bytes, std::uint64_t consumed, const std::string& where) {
  unpacked_ += bytes;
  const std::uint64_t packed = std::max(packed_, consumed);
  const bool huge =
      packed > std::numeric_limits<std::uint64_t>::max() / std::max<std::uint64_t>(limits_.ratio, 1);
  const std::uint64_t usual =
      std::max(limits_.always, huge ? std::numeric_limits<std::uint64_t>::max() : packed * limits_.ratio);
  const std::uint64_t most = limits_.most.value_or(usual);
  if (unpacked_ <= most) return {};
  return fail(ErrorCode::kBadInput, where,
              limits_.most
                  ? fmt::format("unpacks to more than the {} of --max-unpacked", human_bytes(most))
                  : fmt::format("unpacks to more than {}, which is too much for a packed file of its "
                                "size; --max-unpacked allows more",
                                human_bytes(most)));
}

}  // namespace laggard::collect
