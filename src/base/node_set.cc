#include "base/node_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <numeric>
#include <tuple>

#include "base/text.h"

namespace laggard {

namespace {

tl::unexpected<Error> bad_set(std::string_view text, std::string_view why) {
  return fail(ErrorCode::kBadUse, "", fmt::format("node set '{}': {}", text, why));
}

tl::unexpected<Error> too_many(std::string_view text, std::size_t max_names) {
  return bad_set(text, fmt::format("that is more than {} names", max_names));
}

/// A million names of 16 characters. A range of padded numbers and a long prefix take a few bytes each, but
/// gigabytes when they are expanded.
constexpr std::size_t kMostText = std::size_t{16} << 20;

tl::unexpected<Error> too_long(std::string_view text) {
  return bad_set(text, fmt::format("its names are more than {} MB of text", kMostText >> 20));
}

std::size_t text_size(std::span<const std::string> names) {
  return std::transform_reduce(names.begin(), names.end(), std::size_t{0}, std::plus<>(),
                               [](const std::string& name) { return name.size(); });
}

/// One comma-separated piece inside brackets: a number or a range.
Status append_range(std::string_view piece, std::string_view text, std::size_t max_names,
                    std::vector<std::string>& out) {
  const std::size_t dash = piece.find('-');
  const std::string_view first_text = piece.substr(0, dash);
  const std::string_view last_text = dash == std::string_view::npos ? first_text : piece.substr(dash + 1);
  const auto first = to_number<std::uint64_t>(first_text);
  const auto last = to_number<std::uint64_t>(last_text);
  if (!first || !last) return bad_set(text, fmt::format("'{}' is no number or range", piece));
  if (*last < *first) return bad_set(text, fmt::format("the range '{}' runs backwards", piece));
  if (*last - *first >= max_names - std::min(max_names, out.size())) return too_many(text, max_names);
  const bool padded = first_text.size() > 1 && first_text.front() == '0';
  const std::size_t width = padded ? first_text.size() : 0;
  if ((*last - *first + 1) * std::max(width, last_text.size()) > kMostText) return too_long(text);
  for (std::uint64_t n = *first; n <= *last; ++n) out.push_back(fmt::format("{:0>{}}", n, width));
  return {};
}

std::vector<std::string> every_pair(const std::vector<std::string>& names,
                                    const std::vector<std::string>& numbers) {
  std::vector<std::string> product;
  product.reserve(names.size() * numbers.size());
  for (const std::string& name : names) {
    for (const std::string& number : numbers) product.push_back(name + number);
  }
  return product;
}

Result<std::vector<std::string>> expand_term(std::string_view term, std::string_view text,
                                             std::size_t max_names) {
  std::vector<std::string> names{""};
  while (!term.empty()) {
    const std::size_t open = term.find('[');
    const std::string_view literal = term.substr(0, open);
    if (literal.find(']') != std::string_view::npos) return bad_set(text, "a ']' has no '['");
    if (text_size(names) + names.size() * literal.size() > kMostText) return too_long(text);
    for (std::string& name : names) name += literal;
    if (open == std::string_view::npos) break;
    const std::size_t close = term.find(']', open);
    if (close == std::string_view::npos) return bad_set(text, "a '[' is not closed");
    std::vector<std::string> numbers;
    for (const std::string_view piece : split(term.substr(open + 1, close - open - 1), ',')) {
      if (Status appended = append_range(piece, text, max_names, numbers); !appended)
        return forward(appended);
    }
    if (names.size() * numbers.size() > max_names) return too_many(text, max_names);
    if (text_size(names) * numbers.size() + text_size(numbers) * names.size() > kMostText)
      return too_long(text);
    names = every_pair(names, numbers);
    term.remove_prefix(close + 1);
  }
  return names;
}

}  // namespace

Result<std::vector<std::string>> expand_node_set(std::string_view text, std::size_t max_names) {
  std::vector<std::string> all;
  std::size_t size = 0;
  std::size_t start = 0;
  int depth = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && text[i] == '[') ++depth;
    if (i < text.size() && text[i] == ']') --depth;
    if (i < text.size() && (text[i] != ',' || depth > 0)) continue;
    const std::string_view term = trim(text.substr(start, i - start));
    start = i + 1;
    if (term.empty()) return bad_set(text, "a name is missing");
    auto names = expand_term(term, text, max_names);
    if (!names) return forward(names);
    size += text_size(*names);
    if (size > kMostText) return too_long(text);
    all.insert(all.end(), std::make_move_iterator(names->begin()), std::make_move_iterator(names->end()));
    if (all.size() > max_names) return too_many(text, max_names);
  }
  return all;
}

namespace {

/// A name cut at its last number; names of one shape differ in the number only.
struct Shape {
  std::string prefix;
  std::string suffix;
  std::size_t width;  ///< Digits, when padded with zeros; otherwise 0.
  auto operator<=>(const Shape&) const = default;
};

std::string fold_numbers(std::vector<std::uint64_t>& numbers, std::size_t width) {
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  std::string out;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t j = i;
    while (j + 1 < numbers.size() && numbers[j + 1] == numbers[j] + 1) ++j;
    if (!out.empty()) out += ',';
    out += fmt::format("{:0>{}}", numbers[i], width);
    if (j > i) out += fmt::format("-{:0>{}}", numbers[j], width);
    i = j + 1;
  }
  return out;
}

/// In n08,n09,n10 the last name has no leading zero, but belongs to the padded range all the same.
void adopt_unpadded(std::map<Shape, std::vector<std::uint64_t>>& shapes) {
  for (auto& [shape, numbers] : shapes) {
    if (shape.width == 0) continue;
    const auto unpadded = shapes.find({shape.prefix, shape.suffix, 0});
    if (unpadded == shapes.end()) continue;
    const auto fits = [width = shape.width](std::uint64_t n) {
      return fmt::formatted_size("{}", n) == width;
    };
    std::copy_if(unpadded->second.begin(), unpadded->second.end(), std::back_inserter(numbers), fits);
    std::erase_if(unpadded->second, fits);
  }
  std::erase_if(shapes, [](const auto& entry) { return entry.second.empty(); });
}

}  // namespace

std::string fold_node_set(std::span<const std::string> names) {
  std::map<Shape, std::vector<std::uint64_t>> shapes;
  std::vector<std::string> plain;
  for (const std::string& name : names) {
    const std::size_t last = name.find_last_of("0123456789");
    const std::size_t before = last == std::string::npos ? last : name.find_last_not_of("0123456789", last);
    const std::size_t first = before == std::string::npos ? 0 : before + 1;
    const auto number =
        last == std::string::npos
            ? std::nullopt
            : to_number<std::uint64_t>(std::string_view(name).substr(first, last - first + 1));
    if (!number || name.find_first_of("[],") != std::string::npos) {
      plain.push_back(name);
      continue;
    }
    const std::size_t digits = last - first + 1;
    const std::size_t width = digits > 1 && name[first] == '0' ? digits : 0;
    shapes[{name.substr(0, first), name.substr(last + 1), width}].push_back(*number);
  }
  adopt_unpadded(shapes);
  std::vector<std::string> terms;
  for (auto& [shape, numbers] : shapes) {
    const std::string folded = fold_numbers(numbers, shape.width);
    const bool single = numbers.size() == 1;
    terms.push_back(shape.prefix + (single ? folded : "[" + folded + "]") + shape.suffix);
  }
  std::sort(plain.begin(), plain.end());
  plain.erase(std::unique(plain.begin(), plain.end()), plain.end());
  terms.insert(terms.end(), plain.begin(), plain.end());
  std::sort(terms.begin(), terms.end(), natural_less);
  std::string out;
  for (const std::string& term : terms) out += (out.empty() ? "" : ",") + term;
  return out;
}

}  // namespace laggard
