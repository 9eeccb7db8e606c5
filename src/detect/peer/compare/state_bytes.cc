#include "detect/peer/compare/state_bytes.h"

#include <fmt/format.h>

namespace laggard::detect {

namespace {
constexpr std::size_t kWord = 8;
}

StateWriter::StateWriter(std::string_view kind, std::uint64_t version) {
  put(kind.size());
  bytes_ += kind;
  put(version);
}

void StateWriter::put(std::uint64_t value) {
  for (std::size_t i = 0; i < kWord; ++i) bytes_ += static_cast<char>((value >> (8 * i)) & 0xFFU);
}

void StateWriter::put_numbers(std::span<const double> values) {
  put(values.size());
  for (const double value : values) put_number(value);
}

StateReader::StateReader(std::string_view bytes, std::string_view kind, std::uint64_t version)
    : rest_(bytes), kind_(kind) {
  const std::uint64_t length = take();
  require(length == kind.size() && rest_.substr(0, kind.size()) == kind);
  if (!good_) return;
  rest_.remove_prefix(kind.size());
  const std::uint64_t found = take();
  newer_ = good_ && found > version;
  require(found == version);
}

std::uint64_t StateReader::take() {
  require(rest_.size() >= kWord);
  if (!good_) return 0;
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < kWord; ++i) {
    value |= static_cast<std::uint64_t>(static_cast<unsigned char>(rest_[i])) << (8 * i);
  }
  rest_.remove_prefix(kWord);
  return value;
}

bool StateReader::take_flag() {
  const std::uint64_t value = take();
  require(value <= 1);
  return value == 1;
}

std::vector<double> StateReader::take_numbers() {
  const std::uint64_t count = take();
  require(count <= rest_.size() / kWord);
  std::vector<double> values;
  if (!good_) return values;
  values.reserve(count);
  for (std::uint64_t i = 0; i < count; ++i) values.push_back(take_number());
  return values;
}

void StateReader::require(bool condition) { good_ = good_ && condition; }

Status StateReader::status() const {
  if (newer_) {
    return fail(ErrorCode::kTooNew, "", fmt::format("the saved {} is of a later version of laggard", kind_));
  }
  if (!good_ || !rest_.empty()) {
    return fail(ErrorCode::kDamaged, "", fmt::format("the saved {} is damaged; start it afresh", kind_));
  }
  return {};
}

}  // namespace laggard::detect
