#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace laggard::detect {

/// A statement of a program, as far as its lines tell: which words all of them have.
struct MinedTemplate {
  std::vector<std::string> tokens;  ///< See TemplateMiner.
  std::uint64_t count = 0;          ///< Of lines.
  std::string sample;               ///< The first of them.
};

/// Finds out which lines of a log come from the same statement of a program, without knowing the program: the
/// fixed-depth tree of Drain (He et al., ICWS 2017). Lines are tokens between blanks, in which numbers are
/// masked. A line goes down by its number of tokens and by its first ones, and there joins the template with
/// which it has the largest share of tokens in common, if that is kSimilarity at least; where they differ the
/// template has a wildcard from then on. Else it is a template of its own.
///
/// The same lines in the same order make the same templates. kMostTemplates bounds the memory: a line that
/// would need one more has none. Its time is that of comparing a line with the templates that begin like it.
class TemplateMiner {
 public:
  /// Chosen on the logs HPC and Linux of loghub; docs/methods/logs.md has what comes of it on others.
  static constexpr double kSimilarity = 0.7;
  static constexpr std::size_t kMostTemplates = 10'000;
  static constexpr std::size_t kMostTokens = 100;   ///< Of a line; what follows counts as one token.
  static constexpr char kNumber = '\x01';           ///< In a token: a number.
  static constexpr std::string_view kAny = "\x02";  ///< As a token: any.

  /// The number of the line's template, which stays the same; nothing for a line without tokens, or where
  /// there are too many templates.
  std::optional<std::size_t> add(std::string_view text);
  /// The template that the line matches as it is; null for none. Valid until the next `add`.
  [[nodiscard]] const MinedTemplate* find(std::string_view text);
  [[nodiscard]] const std::vector<MinedTemplate>& templates() const { return templates_; }

 private:
  void split(std::string_view text);
  void find_path();
  [[nodiscard]] double similarity(const MinedTemplate& known) const;
  void widen(MinedTemplate& known) const;

  /// By the number of tokens and the first ones.
  std::unordered_map<std::string, std::vector<std::size_t>> leaves_;
  std::vector<MinedTemplate> templates_;
  // Of the present line:
  std::string masked_;
  std::vector<std::size_t> ends_;  ///< Of its tokens in `masked_`.
  std::vector<std::string_view> tokens_;
  std::string path_;
};

/// An RE2 that the template's lines match; wildcards are of one token each.
[[nodiscard]] std::string to_expression(const MinedTemplate& mined);

}  // namespace laggard::detect
