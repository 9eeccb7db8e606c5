#include "lab/sim/random.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

namespace laggard::lab {

namespace {

std::uint64_t split_mix(std::uint64_t& x) {
  x += 0x9e3779b97f4a7c15U;
  std::uint64_t z = x;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

}  // namespace

Random::Random(std::uint64_t seed) : seed_(seed) {
  std::uint64_t x = seed;
  for (std::uint64_t& word : state_) word = split_mix(x);
}

Random Random::fork(std::string_view name, std::uint64_t index) const {
  std::uint64_t x = seed_;
  std::uint64_t mixed = split_mix(x);
  for (const char c : name) {
    x = mixed ^ static_cast<unsigned char>(c);
    mixed = split_mix(x);
  }
  x = mixed ^ index;
  return Random(split_mix(x));
}

std::uint64_t Random::bits() {
  const std::uint64_t result = std::rotl(state_[0] + state_[3], 23) + state_[0];
  const std::uint64_t t = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= t;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

double Random::normal() {
  const double radius = std::sqrt(-2 * std::log(1 - uniform()));
  return radius * std::cos(2 * std::numbers::pi * uniform());
}

double Random::exponential() { return -std::log(1 - uniform()); }

double Random::exponentials(std::uint64_t n) {
  constexpr std::uint64_t kNormal = 16;
  if (n > kNormal) {
    const auto count = static_cast<double>(n);
    return std::max(0.0, count + std::sqrt(count) * normal());
  }
  double sum = 0;
  for (std::uint64_t i = 0; i < n; ++i) sum += exponential();
  return sum;
}

std::uint64_t Random::poisson(double mean) {
  constexpr double kNormal = 40;
  if (mean <= 0) return 0;
  if (mean > kNormal) {
    return static_cast<std::uint64_t>(std::max(0.0, std::round(mean + std::sqrt(mean) * normal())));
  }
  // Inversion by multiplying uniforms (Knuth).
  const double limit = std::exp(-mean);
  std::uint64_t n = 0;
  for (double product = uniform(); product > limit; product *= uniform()) ++n;
  return n;
}

std::uint32_t Random::binomial(std::uint32_t n, double p) {
  if (p <= 0 || n == 0) return 0;
  if (p >= 1) return n;
  const double log_miss = std::log1p(-p);
  std::uint32_t successes = 0;
  double at = std::log(1 - uniform()) / log_miss;
  while (at < n) {
    ++successes;
    at += 1 + std::floor(std::log(1 - uniform()) / log_miss);
  }
  return successes;
}

double Wander::factor(SimTime now, Random& random) {
  if (spread_ <= 0) return 1;
  const double memory = std::exp(-to_seconds(now - until_) / memory_seconds_);
  state_ = memory * state_ + std::sqrt(1 - memory * memory) * random.normal();
  until_ = now;
  return std::exp(spread_ * state_);
}

}  // namespace laggard::lab
