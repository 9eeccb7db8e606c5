#include "lab/score/flow_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

#include "base/text.h"

namespace laggard::lab {

namespace {

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words = split(trim(line), ' ');
  std::erase_if(words, [](std::string_view word) { return word.empty(); });
  return words;
}

class TraceReader {
 public:
  explicit TraceReader(std::string where) : where_(std::move(where)) {}

  [[nodiscard]] Status read(std::string_view line) {
    ++number_;
    const std::vector<std::string_view> words = words_of(line);
    if (words.empty() || words[0] == "FP") return {};
    if (words[0] == "Failing_link" && words.size() >= 3) {
      trace_.failing.insert(link(words[1], words[2]));
      return {};
    }
    if (words[0] == "FID" && words.size() >= 3) {
      ends_ = {std::string(words[1]), std::string(words[2])};
      path_.clear();
      return {};
    }
    if (words[0] == "FPT" && words.size() >= 2 && !ends_.first.empty()) {
      take_path(words);
      return {};
    }
    if (words[0] == "SS" && words.size() >= 4 && !path_.empty()) return take_counts(words);
    return wrong("is no line of a trace of flows, or not at its place");
  }
  [[nodiscard]] FlowTrace take() && { return std::move(trace_); }

 private:
  [[nodiscard]] Status wrong(std::string_view what) const {
    return fail(ErrorCode::kBadInput, fmt::format("{}:{}", where_, number_), std::string(what));
  }

  std::size_t link(std::string_view from, std::string_view to) {
    const auto [at, is_new] = numbers_.try_emplace(fmt::format("{}>{}", from, to), trace_.links.size());
    if (is_new) trace_.links.push_back(at->first);
    return at->second;
  }

  void take_path(const std::vector<std::string_view>& words) {
    path_.clear();
    std::string_view from = ends_.first;
    for (std::size_t i = 1; i <= words.size(); ++i) {
      const std::string_view to = i < words.size() ? words[i] : std::string_view(ends_.second);
      path_.push_back(link(from, to));
      from = to;
    }
  }

  [[nodiscard]] Status take_counts(const std::vector<std::string_view>& words) {
    const auto sent = to_number<std::uint64_t>(words[2]);
    const auto lost = to_number<std::uint64_t>(words[3]);
    if (!sent || !lost || *lost > *sent) return wrong("does not say how many packets were sent and lost");
    const auto [at, is_new] = paths_.try_emplace(path_, trace_.paths.size());
    if (is_new) {
      trace_.paths.push_back(path_);
      trace_.sent.push_back(0);
      trace_.lost.push_back(0);
    }
    trace_.sent[at->second] += static_cast<double>(*sent);
    trace_.lost[at->second] += static_cast<double>(*lost);
    return {};
  }

  std::string where_;
  std::size_t number_ = 0;
  FlowTrace trace_;
  std::map<std::string, std::size_t> numbers_;             ///< Of links.
  std::map<std::vector<std::size_t>, std::size_t> paths_;  ///< The same of paths.
  std::pair<std::string, std::string> ends_;               ///< Of the flow that is read.
  std::vector<std::size_t> path_;
};

}  // namespace

Result<FlowTrace> parse_flow_trace(std::string_view text, const std::string& where) {
  TraceReader reader(where);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (Status read = reader.read(text.substr(0, end)); !read) return forward(read);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return std::move(reader).take();
}

}  // namespace laggard::lab
