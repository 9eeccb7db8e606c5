#include "detect/logs/log_matcher.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#ifdef LAGGARD_RE2
#include <re2/re2.h>
#endif

#include "detect/logs/required_literals.h"

namespace laggard::detect {

#ifdef LAGGARD_RE2

class LogMatcher::Expression {
 public:
  explicit Expression(std::string_view text)
      : expression_(re2::StringPiece(text.data(), text.size()), options()) {}

  [[nodiscard]] std::optional<std::string> mistake() const {
    return expression_.ok() ? std::nullopt : std::optional(expression_.error());
  }
  [[nodiscard]] bool is_in(std::string_view text) const {
    return expression_.Match(re2::StringPiece(text.data(), text.size()), 0, text.size(), re2::RE2::UNANCHORED,
                             nullptr, 0);
  }

 private:
  /// Bytes, since a log need not be UTF-8; an automaton that outgrows its memory is begun anew.
  static re2::RE2::Options options() {
    constexpr std::int64_t kMostMemory = std::int64_t{1} << 20;
    re2::RE2::Options options;
    options.set_encoding(re2::RE2::Options::EncodingLatin1);
    options.set_log_errors(false);
    options.set_never_capture(true);
    options.set_max_mem(kMostMemory);
    return options;
  }

  re2::RE2 expression_;
};

bool LogMatcher::available() { return true; }

#else

class LogMatcher::Expression {
 public:
  explicit Expression(std::string_view /*text*/) {}
  [[nodiscard]] std::optional<std::string> mistake() const {
    return "this laggard was built without RE2 (libre2-dev), which log patterns need";
  }
  [[nodiscard]] bool is_in(std::string_view /*text*/) const { return false; }
};

bool LogMatcher::available() { return false; }

#endif

namespace {

std::uint32_t four_at(const char* text) {
  std::uint32_t four = 0;
  std::memcpy(&four, text, sizeof four);
  return four;
}

/// How often a character stands in text, roughly: what is rare tells more.
int commonness(char c) {
  constexpr std::string_view kMost = " eaoitnrs";
  if (kMost.find(c) != std::string_view::npos) return 3;
  if (c >= 'a' && c <= 'z') return 2;
  return (c >= '0' && c <= '9') || c == ':' ? 2 : 1;
}

/// The place of the rarest four characters.
std::size_t rarest_four(std::string_view literal) {
  std::size_t best = 0;
  int least = 4 * 3 + 1;
  for (std::size_t i = 0; i + kShortestLiteral <= literal.size(); ++i) {
    int sum = 0;
    for (std::size_t j = 0; j < kShortestLiteral; ++j) sum += commonness(literal[i + j]);
    if (sum < least) {
      least = sum;
      best = i;
    }
  }
  return best;
}

/// Multiplicative hashing (Knuth, TAOCP 3, 6.4), of which the upper bits are good.
template <std::size_t Bits>
std::size_t hash_of(std::uint32_t four) {
  return (four * 0x9E3779B1U) >> (32 - Bits);
}

}  // namespace

LogMatcher::LogMatcher(LogMatcher&&) noexcept = default;
LogMatcher& LogMatcher::operator=(LogMatcher&&) noexcept = default;
LogMatcher::~LogMatcher() = default;

Result<LogMatcher> LogMatcher::make(std::vector<LogPattern> patterns) {
  LogMatcher matcher;
  for (std::uint32_t p = 0; p < patterns.size(); ++p) {
    const LogPattern& pattern = patterns[p];
    auto expression = std::make_unique<Expression>(pattern.match);
    if (const auto mistake = expression->mistake()) {
      return fail(ErrorCode::kBadInput, std::string(pattern.name), *mistake);
    }
    auto literals = required_literals(pattern.match);
    if (!literals) {
      return fail(ErrorCode::kBadInput, std::string(pattern.name),
                  "needs four characters or more in a row, outside of brackets and in each alternative, that "
                  "stand for themselves: lines are preselected by them");
    }
    for (std::string& literal : *literals) matcher.add_literal(std::move(literal), p);
    matcher.expressions_.push_back(std::move(expression));
  }
  matcher.patterns_ = std::move(patterns);
  return matcher;
}

void LogMatcher::add_literal(std::string literal, std::uint32_t pattern) {
  const std::size_t offset = rarest_four(literal);
  const std::uint32_t four = four_at(literal.data() + offset);
  const std::size_t hash = hash_of<kBits>(four);
  bits_[hash / 64] |= std::uint64_t{1} << (hash % 64);
  literals_[four].push_back({.text = std::move(literal), .offset = offset, .pattern = pattern});
}

void LogMatcher::find_candidates(std::string_view text) const {
  candidates_.clear();
  if (text.size() < kShortestLiteral) return;
  for (std::size_t i = 0; i <= text.size() - kShortestLiteral; ++i) {
    const std::uint32_t four = four_at(text.data() + i);
    const std::size_t hash = hash_of<kBits>(four);
    if ((bits_[hash / 64] >> (hash % 64) & 1U) == 0) continue;
    const auto known = literals_.find(four);
    if (known == literals_.end()) continue;
    for (const Literal& literal : known->second) {
      if (literal.offset > i) continue;
      if (text.substr(i - literal.offset).starts_with(literal.text)) candidates_.push_back(literal.pattern);
    }
  }
}

const LogPattern* LogMatcher::first(std::string_view text) const {
  find_candidates(text);
  if (candidates_.empty()) return nullptr;
  std::ranges::sort(candidates_);
  candidates_.erase(std::unique(candidates_.begin(), candidates_.end()), candidates_.end());
  for (const std::uint32_t candidate : candidates_) {
    if (expressions_[candidate]->is_in(text)) return &patterns_[candidate];
  }
  return nullptr;
}

}  // namespace laggard::detect
