#include "topology/name_template.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "base/node_set.h"
#include "base/text.h"

namespace laggard::topology {

namespace {

tl::unexpected<Error> bad(std::string what) { return fail(ErrorCode::kBadInput, "", std::move(what)); }

Result<std::string> last_number(std::string_view name, std::string_view width_text) {
  constexpr std::size_t kWidest = 20;
  const std::size_t last = name.find_last_of("0123456789");
  if (last == std::string_view::npos) return bad(fmt::format("'{}' has no number for '#'", name));
  const std::size_t before = name.find_last_not_of("0123456789", last);
  const std::size_t first = before == std::string_view::npos ? 0 : before + 1;
  std::string_view digits = name.substr(first, last - first + 1);
  digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size() - 1));
  std::size_t width = 0;
  if (!width_text.empty()) {
    const auto given = to_number<std::size_t>(width_text);
    if (!given || *given > kWidest)
      return bad(fmt::format("'{}' after '#' is no number of digits", width_text));
    width = *given;
  }
  return fmt::format("{:0>{}}", digits, width);
}

Result<std::string> fill_one(std::string_view placeholder, std::span<const Binding> bindings) {
  const std::size_t hash = placeholder.find('#');
  const std::string_view key = placeholder.substr(0, hash);
  for (const Binding& binding : bindings) {
    if (binding.placeholder != key) continue;
    if (hash == std::string_view::npos) return std::string(binding.name);
    return last_number(binding.name, placeholder.substr(hash + 1));
  }
  std::string known;
  for (const Binding& binding : bindings) known += fmt::format(" {{{}}}", binding.placeholder);
  if (known.empty()) return bad(fmt::format("there is nothing to put for {{{}}} here", placeholder));
  return bad(fmt::format("there is no {{{}}} here, only{}", placeholder, known));
}

/// Splits `set by K`; K is 0 without a `by`.
struct Run {
  std::string_view set;
  std::size_t length = 0;
};

Run split_run(std::string_view text) {
  constexpr std::string_view kBy = " by ";
  const std::size_t by = text.rfind(kBy);
  if (by == std::string_view::npos) return {text, 0};
  const auto length = to_number<std::size_t>(trim(text.substr(by + kBy.size())));
  return length ? Run{text.substr(0, by), *length} : Run{text, 0};
}

}  // namespace

Result<std::string> fill_template(std::string_view text, std::span<const Binding> bindings) {
  std::string out;
  while (!text.empty()) {
    const std::size_t open = text.find('{');
    out += text.substr(0, open);
    if (open == std::string_view::npos) break;
    const std::size_t close = text.find('}', open);
    if (close == std::string_view::npos) return bad(fmt::format("a '{{' in '{}' is not closed", text));
    auto filled = fill_one(text.substr(open + 1, close - open - 1), bindings);
    if (!filled) return forward(filled);
    out += *filled;
    text.remove_prefix(close + 1);
  }
  return out;
}

bool NameExpander::charge(std::size_t n) {
  if (n > left_) return false;
  left_ -= n;
  return true;
}

Result<std::vector<std::string>> NameExpander::expand(std::string_view text) {
  // All known placeholders have been filled in by now.
  if (const auto filled = fill_template(text, {}); !filled) return tl::unexpected<Error>(filled.error());
  auto names = expand_node_set(text, left_);
  if (!names) return names;
  for (const std::string& name : *names) {
    if (name.find(' ') != std::string::npos) {
      return bad(
          fmt::format("the name '{}' holds a blank ('by' deals out names among several owners)", name));
    }
  }
  left_ -= names->size();
  return names;
}

Result<std::vector<std::vector<std::string>>> NameExpander::expand_each(std::string_view text,
                                                                        std::string_view placeholder,
                                                                        std::span<const std::string> owners) {
  std::vector<std::vector<std::string>> out;
  out.reserve(owners.size());
  const Run run = split_run(text);
  if (run.length > 0) {
    auto all = expand(run.set);
    if (!all) return forward(all);
    if (all->size() != run.length * owners.size()) {
      return bad(fmt::format("'{}' has {} names, but {} times {} are needed", run.set, all->size(),
                             owners.size(), run.length));
    }
    for (auto from = all->begin(); from != all->end();) {
      const auto to = from + static_cast<std::ptrdiff_t>(run.length);
      out.emplace_back(std::make_move_iterator(from), std::make_move_iterator(to));
      from = to;
    }
    return out;
  }
  for (const std::string& owner : owners) {
    const Binding binding{placeholder, owner};
    auto filled = fill_template(text, {&binding, 1});
    if (!filled) return forward(filled);
    auto names = expand(*filled);
    if (!names) return forward(names);
    out.push_back(std::move(*names));
  }
  return out;
}

Result<std::vector<std::string>> NameExpander::expand_one_each(std::string_view text,
                                                               std::string_view placeholder,
                                                               std::span<const std::string> owners) {
  if (text.find('{') == std::string_view::npos) {
    auto names = expand(text);
    if (!names) return names;
    if (names->size() == 1) return std::vector<std::string>(owners.size(), names->front());
    if (names->size() == owners.size()) return names;
    return bad(fmt::format("'{}' has {} names, but 1 or {} are needed, one for each {}", text, names->size(),
                           owners.size(), placeholder));
  }
  auto each = expand_each(text, placeholder, owners);
  if (!each) return forward(each);
  std::vector<std::string> out;
  out.reserve(owners.size());
  for (std::size_t i = 0; i < owners.size(); ++i) {
    if ((*each)[i].size() != 1) {
      return bad(fmt::format("'{}' gives {} names for {} '{}', but one is needed", text, (*each)[i].size(),
                             placeholder, owners[i]));
    }
    out.push_back(std::move((*each)[i].front()));
  }
  return out;
}

Result<std::vector<std::uint32_t>> parse_positions(std::string_view text, std::size_t count) {
  const auto bad = [&](std::string_view why) {
    return fail(ErrorCode::kBadInput, "", fmt::format("'{}' must be positions such as 1-4,7: {}", text, why));
  };
  if (text.find_first_not_of("0123456789-, ") != std::string_view::npos)
    return bad("it holds other characters");
  std::string set = "[";
  for (const char c : text) {
    if (c != ' ') set += c;
  }
  const auto numbers = expand_node_set(set + "]", count);
  if (!numbers) return bad(fmt::format("it does not expand into at most {}", count));
  std::vector<std::uint32_t> out;
  std::vector<bool> taken(count);
  for (const std::string& number : *numbers) {
    const auto position = to_number<std::uint32_t>(number);
    if (!position || *position == 0 || *position > count) {
      return bad(fmt::format("{} is not among the {} servers", number, count));
    }
    if (taken[*position - 1]) return bad(fmt::format("{} comes twice", number));
    taken[*position - 1] = true;
    out.push_back(*position - 1);
  }
  return out;
}

}  // namespace laggard::topology
