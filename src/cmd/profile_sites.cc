// Which functions a program is to be compiled without hooks in, as GCC is told: lists that are made from a
// first recording of calls (B §5, "selectively instrumenting function call sites").
#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cmd/profile_forms.h"
#include "model/code_profile.h"

namespace laggard::cmd {

namespace {

/// `_ZN2ns1fEi` -> `ns::f`, as GCC compares names: without arguments.
std::string name_of_source(const std::string& symbol) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), &std::free);
  if (text == nullptr || status != 0) return symbol;
  constexpr std::string_view kUnnamed = "(anonymous namespace)";
  std::string name = text.get();
  for (std::size_t at = name.find(kUnnamed); at != std::string::npos; at = name.find(kUnnamed))
    name.replace(at, kUnnamed.size(), "{anonymous}");
  return name.substr(0, name.find('('));
}

/// As an item of a list between commas.
std::string escaped(std::string_view name) {
  std::string text;
  for (const char c : name) {
    if (c == ',') text.push_back('\\');
    text.push_back(c);
  }
  return text;
}

class SitesWriter final : public ProfileWriter {
 public:
  /// \param kept  as symbols or as sources have them
  SitesWriter(LineWriter& out, const std::vector<std::string>& kept, bool keeps_rare)
      : out_(out), keeps_rare_(keeps_rare) {
    for (const std::string& name : kept) kept_.push_back(name_of_source(name));
  }

  [[nodiscard]] Status add(const ProfileTable& table, std::span<const std::uint32_t> periods) override {
    for (const std::uint32_t p : periods) {
      for (std::size_t i = 0; i < table.seen(p).size(); ++i) {
        const auto name = function_name(table.words().text(table.seen(p)[i]));
        if (!name || name->function.empty()) continue;
        std::uint64_t& sum = calls_[name_of_source(std::string(name->function))];
        sum = sum_of_counts(sum, table.counts(p)[i]);
      }
    }
    return {};
  }

  [[nodiscard]] Status finish() override {
    std::string list;
    for (const std::string& name : candidates()) {
      // GCC leaves out whatever has this in its name.
      const auto has_it = [&](const std::string& kept) { return kept.find(name) != std::string::npos; };
      if (std::ranges::any_of(kept_, has_it)) continue;
      list += (list.empty() ? "" : ",") + escaped(name);
    }
    return list.empty() ? Status()
                        : out_.write(fmt::format("-finstrument-functions-exclude-function-list={}\n", list));
  }

 private:
  /// Most often called first. Of the rare ones are those that come after nine tenths of all calls.
  [[nodiscard]] std::vector<std::string> candidates() const {
    constexpr double kOften = 0.9;
    std::vector<std::pair<std::uint64_t, std::string>> sorted;
    double all = 0;
    for (const auto& [name, calls] : calls_) {
      sorted.emplace_back(calls, name);
      all += static_cast<double>(calls);
    }
    std::ranges::stable_sort(sorted, std::greater{}, [](const auto& entry) { return entry.first; });
    std::vector<std::string> chosen;
    double before = 0;
    for (const auto& [calls, name] : sorted) {
      if (keeps_rare_ && before >= kOften * all) break;
      before += static_cast<double>(calls);
      chosen.push_back(name);
    }
    return chosen;
  }

  LineWriter& out_;
  std::vector<std::string> kept_;
  bool keeps_rare_;
  std::map<std::string, std::uint64_t> calls_;
};

}  // namespace

std::unique_ptr<ProfileWriter> make_hot_sites_writer(LineWriter& out, const std::vector<std::string>& kept) {
  return std::make_unique<SitesWriter>(out, kept, true);
}

std::unique_ptr<ProfileWriter> make_other_sites_writer(LineWriter& out,
                                                       const std::vector<std::string>& kept) {
  return std::make_unique<SitesWriter>(out, kept, false);
}

}  // namespace laggard::cmd
