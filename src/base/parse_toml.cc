#include "base/parse_toml.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace laggard {

namespace {

constexpr std::size_t kMostBytes = std::size_t{32} << 20U;
constexpr std::size_t kDeepest = 32;
constexpr std::size_t kMostParts = 32;

/// Measures nesting only, so all it knows of TOML is what can hide brackets and dots: strings and comments.
/// Where it reads malformed text differently from the library, it sees more of them, not fewer.
class NestingCheck {
 public:
  explicit NestingCheck(std::string_view text) : rest_(text) {}

  /// \return what is too deep, empty when nothing is. `line` says where.
  [[nodiscard]] std::string_view run() {
    while (!rest_.empty()) {
      const char c = rest_.front();
      if (c == '#') {
        rest_.remove_prefix(std::min(rest_.find_first_of(kLineEnds), rest_.size()));
      } else if (c == '"' || c == '\'') {
        skip_string(c);
      } else {
        rest_.remove_prefix(1);
        count(c);
        if (depth_ > kDeepest) return "values are nested more than 32 deep";
        if (points_ >= kMostParts) return "a key has more than 32 parts";
      }
    }
    return {};
  }
  [[nodiscard]] std::size_t line() const { return line_; }

 private:
  static constexpr std::string_view kLineEnds = "\n\r\v\f";

  void count(char c) {
    if (c == '.') {
      ++points_;
      return;
    }
    if (c == '[' || c == '{') ++depth_;
    if ((c == ']' || c == '}') && depth_ > 0) --depth_;
    if (c == '\n') ++line_;
    if (std::string_view("[]{}=,\n").find(c) != std::string_view::npos) points_ = 0;
  }

  void skip_string(char quote) {
    const std::string three(3, quote);
    const bool long_form = rest_.starts_with(three);
    rest_.remove_prefix(long_form ? 3 : 1);
    while (!rest_.empty()) {
      if (long_form ? rest_.starts_with(three) : rest_.front() == quote) {
        rest_.remove_prefix(long_form ? 3 : 1);
        return;
      }
      if (!long_form && kLineEnds.find(rest_.front()) != std::string_view::npos) return;
      if (quote == '"' && rest_.front() == '\\' && rest_.size() > 1) take();
      take();
    }
  }

  void take() {
    if (rest_.front() == '\n') ++line_;
    rest_.remove_prefix(1);
  }

  std::string_view rest_;
  std::size_t line_ = 1;
  std::size_t depth_ = 0;
  std::size_t points_ = 0;  ///< Dots since the last character that ends a key.
};

}  // namespace

Result<toml::table> parse_toml(std::string_view text, std::string_view path) {
  if (text.size() > kMostBytes) {
    return fail(ErrorCode::kBadInput, std::string(path), "is longer than 32 MiB, which none of our files is");
  }
  NestingCheck nesting(text);
  if (const std::string_view what = nesting.run(); !what.empty()) {
    return fail(ErrorCode::kBadInput, fmt::format("{}:{}", path, nesting.line()), std::string(what));
  }
  // toml++ reports by exception; it stops here.
  try {
    return toml::parse(text, path);
  } catch (const toml::parse_error& error) {
    return fail(ErrorCode::kBadInput, fmt::format("{}:{}", path, error.source().begin.line),
                std::string(error.description()));
  }
}

}  // namespace laggard
