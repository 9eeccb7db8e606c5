#include "report/pack.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace laggard::report {

namespace {
constexpr double kMantissas = 10'000;  // one more than the largest
constexpr int kFirstDecade = 10'000;
constexpr int kDecade = 9'000;
constexpr int kDecades = 3;
}  // namespace

std::string base64(std::span<const std::uint8_t> bytes) {
  constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t left = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t group = static_cast<std::uint32_t>(bytes[i]) << 16U;
    if (left > 1) group |= static_cast<std::uint32_t>(bytes[i + 1]) << 8U;
    if (left > 2) group |= bytes[i + 2];
    out += kAlphabet[group >> 18U];
    out += kAlphabet[(group >> 12U) & 63U];
    out += left > 1 ? kAlphabet[(group >> 6U) & 63U] : '=';
    out += left > 2 ? kAlphabet[group & 63U] : '=';
  }
  return out;
}

std::vector<std::uint8_t> from_hex(std::string_view digits) {
  LAGGARD_CHECK(digits.size() % 2 == 0);
  const auto value = [](char c) { return static_cast<unsigned>(c >= 'a' ? c - 'a' + 10 : c - '0'); };
  std::vector<std::uint8_t> out;
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    out.push_back(static_cast<std::uint8_t>(value(digits[i]) * 16 + value(digits[i + 1])));
  }
  return out;
}

Packer::Packer(double largest) {
  const double top = std::isfinite(largest) && largest > 0 ? largest : 1;
  exponent_ = static_cast<int>(std::floor(std::log10(top))) - 3 - (kDecades - 1);
  unit_ = std::pow(10.0, exponent_);
  // log10 may land on the wrong side of a power of ten, and 99996 rounds up to 10000: one decade more then.
  if (std::round(top / (unit_ * 100)) >= kMantissas) {
    ++exponent_;
    unit_ = std::pow(10.0, exponent_);
  }
}

std::int16_t Packer::encode(double value) const {
  if (!std::isfinite(value)) return missing();
  double mantissa = std::abs(value) / unit_;
  int base = 0;
  for (int k = 0; k < kDecades; ++k) {
    const double rounded = std::round(mantissa);
    if (rounded < kMantissas) {
      const int code = k == 0 ? static_cast<int>(rounded) : base + static_cast<int>(rounded) - 1000;
      return static_cast<std::int16_t>(value < 0 ? -code : code);
    }
    base = k == 0 ? kFirstDecade : base + kDecade;
    mantissa /= 10;
  }
  return static_cast<std::int16_t>((value < 0 ? -1 : 1) * (kFirstDecade + (kDecades - 1) * kDecade - 1));
}

void Packer::add(float value) {
  const auto code = static_cast<std::uint16_t>(encode(static_cast<double>(value)));
  bytes_.push_back(static_cast<std::uint8_t>(code & 0xFFU));
  bytes_.push_back(static_cast<std::uint8_t>(code >> 8U));
}

Packed pack(std::span<const std::vector<float>> rows) {
  float largest = 0;
  for (const auto& row : rows) {
    for (const float value : row) {
      if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
    }
  }
  Packer packer(static_cast<double>(largest));
  for (const auto& row : rows) {
    for (const float value : row) packer.add(value);
  }
  return packer.take();
}

}  // namespace laggard::report
