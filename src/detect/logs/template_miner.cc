#include "detect/logs/template_miner.h"

#include <algorithm>

namespace laggard::detect {

namespace {

/// First tokens by which a line goes down the tree.
constexpr std::size_t kDepth = 2;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
bool is_word(char c) { return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_blank(char c) { return c == ' ' || c == '\t'; }
bool is_printable(char c) { return c >= ' ' && c <= '~'; }

/// A run of letters and digits with its numbers masked: `OST0003` is a name with a number in it, `0x7f` and
/// `3fa0` are numbers.
void mask_word(std::string_view word, std::string& into) {
  const std::string_view rest = word.starts_with("0x") ? word.substr(2) : word;
  const bool is_number = std::ranges::any_of(word, is_digit) && std::ranges::all_of(rest, is_hex);
  if (is_number) {
    into += TemplateMiner::kNumber;
    return;
  }
  for (std::size_t i = 0; i < word.size(); ++i) {
    if (!is_digit(word[i])) {
      into += word[i];
    } else if (i == 0 || !is_digit(word[i - 1])) {
      into += TemplateMiner::kNumber;
    }
  }
}

void mask(std::string_view token, std::string& into) {
  for (std::size_t i = 0; i < token.size();) {
    if (!is_word(token[i])) {
      into += is_printable(token[i]) ? token[i] : '?';
      ++i;
      continue;
    }
    const std::size_t begin = i;
    while (i < token.size() && is_word(token[i])) ++i;
    mask_word(token.substr(begin, i - begin), into);
  }
}

bool has_number(std::string_view token) {
  return token.find(TemplateMiner::kNumber) != std::string_view::npos;
}

/// A token's part of an expression.
std::string expression_of(std::string_view token) {
  // What was not printable has become a question mark.
  if (token == TemplateMiner::kAny || token.find('?') != std::string_view::npos) return R"(\S+)";
  constexpr std::string_view kSpecial = R"(\.+*?()[]{}|^$)";
  std::string expression;
  for (const char c : token) {
    if (c == TemplateMiner::kNumber) {
      expression += R"(\w+)";
    } else {
      if (kSpecial.find(c) != std::string_view::npos) expression += '\\';
      expression += c;
    }
  }
  return expression;
}

}  // namespace

void TemplateMiner::split(std::string_view text) {
  masked_.clear();
  ends_.clear();
  for (std::size_t i = 0; i < text.size();) {
    if (is_blank(text[i])) {
      ++i;
      continue;
    }
    if (ends_.size() == kMostTokens) {
      masked_ += kAny;
      ends_.push_back(masked_.size());
      break;
    }
    const std::size_t begin = i;
    while (i < text.size() && !is_blank(text[i])) ++i;
    mask(text.substr(begin, i - begin), masked_);
    ends_.push_back(masked_.size());
  }
  tokens_.clear();
  std::size_t begin = 0;
  for (const std::size_t end : ends_) {
    tokens_.push_back(std::string_view(masked_).substr(begin, end - begin));
    begin = end;
  }
}

void TemplateMiner::find_path() {
  path_ = std::to_string(tokens_.size());
  for (std::size_t t = 0; t < std::min(kDepth, tokens_.size()); ++t) {
    path_ += ' ';
    path_ += has_number(tokens_[t]) ? kAny : tokens_[t];
  }
}

/// The share of tokens that are the same. A wildcard is like none, so that a template of nothing but
/// wildcards does not take everything.
double TemplateMiner::similarity(const MinedTemplate& known) const {
  std::size_t same = 0;
  for (std::size_t t = 0; t < tokens_.size(); ++t) same += tokens_[t] == known.tokens[t] ? 1U : 0U;
  return static_cast<double>(same) / static_cast<double>(tokens_.size());
}

/// So that the line is one of its lines.
void TemplateMiner::widen(MinedTemplate& known) const {
  ++known.count;
  for (std::size_t t = 0; t < tokens_.size(); ++t) {
    if (tokens_[t] != known.tokens[t]) known.tokens[t] = kAny;
  }
}

std::optional<std::size_t> TemplateMiner::add(std::string_view text) {
  split(text);
  if (tokens_.empty()) return std::nullopt;
  find_path();
  const bool is_full = templates_.size() == kMostTemplates;
  if (is_full && !leaves_.contains(path_)) return std::nullopt;
  std::vector<std::size_t>& leaf = leaves_[path_];
  std::optional<std::size_t> best;
  double most = 0;
  for (const std::size_t known : leaf) {
    const double share = similarity(templates_[known]);
    if (share <= most) continue;
    most = share;
    best = known;
  }
  if (best && most >= kSimilarity) {
    widen(templates_[*best]);
    return best;
  }
  if (is_full) return std::nullopt;
  leaf.push_back(templates_.size());
  templates_.push_back({.tokens = {tokens_.begin(), tokens_.end()}, .count = 1, .sample = std::string(text)});
  return leaf.back();
}

const MinedTemplate* TemplateMiner::find(std::string_view text) {
  split(text);
  find_path();
  const auto leaf = leaves_.find(path_);
  if (leaf == leaves_.end()) return nullptr;
  for (const std::size_t known : leaf->second) {
    const auto fits = [](std::string_view token, std::string_view of_template) {
      return of_template == kAny || token == of_template;
    };
    if (std::ranges::equal(tokens_, templates_[known].tokens, fits)) return &templates_[known];
  }
  return nullptr;
}

std::string to_expression(const MinedTemplate& mined) {
  std::string expression;
  for (const std::string& token : mined.tokens) {
    if (!expression.empty()) expression += R"(\s+)";
    expression += expression_of(token);
  }
  return expression;
}

}  // namespace laggard::detect
