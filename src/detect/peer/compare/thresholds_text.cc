#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "base/node_set.h"
#include "base/parse_toml.h"
#include "base/text.h"
#include "detect/peer/compare/thresholds.h"

namespace laggard::detect {

namespace {

constexpr std::string_view kFormat = "laggard.thresholds/1";
constexpr std::size_t kMostComponents = 1'000'000;

// ---- writing ----

/// A TOML basic string.
std::string toml_string(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (is_control(c)) {
      out += fmt::format("\\u{:04X}", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
  return out + '"';
}

/// A TOML float: shortest that reads back as the same number, never an integer.
std::string number(double value) {
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

/// Lines `"names" = threshold`. Names that mean something else in node-set notation go one by one into a
/// table of their own.
struct Lines {
  std::vector<std::pair<std::string, double>> folded;
  std::vector<std::pair<std::string, double>> exact;
};

bool folds_back(std::vector<std::string> names, const std::string& folded) {
  auto back = expand_node_set(folded, kMostComponents);
  if (!back) return false;
  std::sort(names.begin(), names.end());
  std::sort(back->begin(), back->end());
  return names == *back;
}

bool plain(const std::string& name) { return folds_back({name}, name); }

Lines fold(const std::map<std::string, double>& components) {
  std::map<double, std::vector<std::string>> by_threshold;
  Lines lines;
  for (const auto& [name, threshold] : components) {
    if (plain(name)) {
      by_threshold[threshold].push_back(name);
    } else {
      lines.exact.emplace_back(name, threshold);
    }
  }
  for (const auto& [threshold, names] : by_threshold) {
    const std::string folded = fold_node_set(names);
    if (folds_back(names, folded)) {
      lines.folded.emplace_back(folded, threshold);
    } else {
      for (const std::string& name : names) lines.folded.emplace_back(name, threshold);
    }
  }
  std::sort(lines.folded.begin(), lines.folded.end(),
            [](const auto& a, const auto& b) { return natural_less(a.first, b.first); });
  return lines;
}

void write_table(std::string& out, std::string_view name,
                 const std::vector<std::pair<std::string, double>>& lines) {
  if (lines.empty()) return;
  out += fmt::format("[{}]\n", name);
  for (const auto& [key, value] : lines) out += fmt::format("{} = {}\n", toml_string(key), number(value));
}

constexpr std::string_view kSaturatedKey = "saturated";
constexpr std::string_view kNormalErrorsKey = "normal_errors";

void write_names(std::string& out, std::string_view key, const std::set<std::string>& names) {
  if (names.empty()) return;
  std::vector<std::string> quoted;
  quoted.reserve(names.size());
  for (const std::string& name : names) quoted.push_back(toml_string(name));
  out += fmt::format("{} = [{}]\n", key, fmt::join(quoted, ", "));
}

constexpr std::string_view kIntroduction =
    "# Thresholds as `laggard train` and --learn write them. A component is anomalous in a window when its\n"
    "# distance to more than half of its peers exceeds its threshold.\n";

/// \param table  that these lines are in: empty, or `beside.`.
std::string header_text(const TrainingHeader& header, std::string_view table) {
  const WindowSpec& w = header.windows;
  return fmt::format(
      "preset = {}\n"
      "from = \"{}\"\n"
      "to = \"{}\"\n"
      "recordings = {}\n"
      "form = \"{}\"\n"
      "factor = {}\n"
      "step = {}\n"
      "\n"
      "[{}windows]\n"
      "interval = \"{}\"\n"
      "size = {}\n"
      "shift = {}\n"
      "smoothing = {}\n"
      "k = {}\n",
      toml_string(header.preset), to_iso8601(header.from), to_iso8601(header.to), header.recordings,
      to_name(header.form), number(header.factor), number(header.step), table, to_text(w.interval), w.size,
      w.shift, w.smoothing, w.k);
}

void write_part(std::string& out, const Thresholds& thresholds, std::string_view table) {
  out += header_text(thresholds.header, table);
  for (const GroupThresholds& group : thresholds.groups) {
    const Lines lines = fold(group.components);
    out += fmt::format("\n[[{}group]]\ndistance = {}\nmetric = {}\nname = {}\nothers = {}\n", table,
                       toml_string(group.distance), toml_string(group.metric), toml_string(group.group),
                       number(group.others));
    if (group.windows > 0) out += fmt::format("windows = {}\n", number(group.windows));
    write_names(out, kSaturatedKey, group.saturated);
    write_table(out, fmt::format("{}group.thresholds", table), lines.folded);
    write_table(out, fmt::format("{}group.exact", table), lines.exact);
  }
}

// ---- reading ----

/// Reads keys of one table; the first error sticks.
class TableReader {
 public:
  TableReader(const toml::table& table, std::string_view path, Status& status)
      : table_(table), path_(path), status_(status) {}

  std::string text(std::string_view key) {
    const toml::node* const node = need(key, "a text");
    if (node == nullptr) return {};
    const auto value = node->value<std::string>();
    if (!value) refuse(*node, key, "must be a text");
    return value.value_or("");
  }

  double real(std::string_view key) {
    const toml::node* const node = need(key, "a number");
    return node == nullptr ? 0 : real(*node, key);
  }

  double real(const toml::node& node, std::string_view key) {
    const auto value = node.value<double>();
    if (!value || !std::isfinite(*value) || *value < 0) {
      refuse(node, key, "must be a number that is not negative");
      return 0;
    }
    return *value;
  }

  std::size_t count(std::string_view key, std::size_t least) {
    const toml::node* const node = need(key, "a whole number");
    if (node == nullptr) return 0;
    const auto value = node->value_exact<std::int64_t>();
    constexpr std::int64_t kMost = 1'000'000;
    if (!value || *value < static_cast<std::int64_t>(least) || *value > kMost) {
      refuse(*node, key, fmt::format("must be a whole number from {} to {}", least, kMost));
      return least;
    }
    return static_cast<std::size_t>(*value);
  }

  /// Anything that base can read: times and durations.
  template <typename Value>
  Value parsed(std::string_view key, Result<Value> (*parse)(std::string_view)) {
    const std::string value = text(key);
    if (!status_) return Value{};
    Result<Value> result = parse(value);
    if (!result) {
      refuse(*table_.get(key), key, result.error().what);
      return Value{};
    }
    return *result;
  }

  void refuse(const toml::node& node, std::string_view key, std::string_view why) {
    if (!status_) return;
    status_ = fail(ErrorCode::kBadInput, fmt::format("{}:{}", path_, node.source().begin.line),
                   fmt::format("'{}' {}", key, why));
  }

  [[nodiscard]] const toml::table& table() const { return table_; }
  [[nodiscard]] std::string_view path() const { return path_; }
  [[nodiscard]] bool good() const { return status_.has_value(); }

 private:
  const toml::node* need(std::string_view key, std::string_view kind) {
    const toml::node* const node = table_.get(key);
    if (node == nullptr) refuse(table_, key, fmt::format("is missing; it is {}", kind));
    return node;
  }

  const toml::table& table_;
  std::string_view path_;
  Status& status_;
};

/// Adds the components of one `names = threshold` line.
void add_components(TableReader& reader, GroupThresholds& group, const toml::node& node, std::string_view key,
                    bool exact) {
  const double threshold = reader.real(node, key);
  std::vector<std::string> names{std::string(key)};
  if (!exact) {
    auto expanded = expand_node_set(key, kMostComponents);
    if (!expanded) return reader.refuse(node, key, "cannot be read: " + expanded.error().what);
    names = std::move(*expanded);
  }
  for (std::string& name : names) {
    if (group.components.size() >= kMostComponents)
      return reader.refuse(node, key, "is one component too many");
    const auto [at, added] = group.components.emplace(std::move(name), threshold);
    if (!added) return reader.refuse(node, key, fmt::format("names '{}' a second time", at->first));
  }
}

void read_components(TableReader& reader, GroupThresholds& group, std::string_view table, bool exact) {
  const toml::node* const node = reader.table().get(table);
  if (node == nullptr || !reader.good()) return;
  const toml::table* const lines = node->as_table();
  if (lines == nullptr) return reader.refuse(*node, table, "must be a table of names and thresholds");
  for (const auto& [key, value] : *lines) {
    if (!reader.good()) return;
    add_components(reader, group, value, key, exact);
  }
}

/// None where the key is not there.
void read_names(TableReader& reader, std::string_view key, std::set<std::string>& names) {
  const toml::node* const node = reader.table().get(key);
  if (node == nullptr || !reader.good()) return;
  const toml::array* const list = node->as_array();
  if (list == nullptr) return reader.refuse(*node, key, "must be a list of names");
  for (const toml::node& name : *list) {
    const auto text = name.value<std::string>();
    if (!text) return reader.refuse(name, key, "must be a list of names");
    names.insert(*text);
  }
}

void check_format(const toml::table& root, std::string_view path, Status& status) {
  TableReader reader(root, path, status);
  const std::string format = reader.text("format");
  if (reader.good() && format != kFormat) {
    status = fail(format.starts_with("laggard.thresholds/") ? ErrorCode::kTooNew : ErrorCode::kBadInput,
                  std::string(path),
                  fmt::format("the format is '{}', but this laggard reads '{}'", format, kFormat));
  }
}

void read_header(const toml::table& root, std::string_view path, Status& status, TrainingHeader& header) {
  TableReader reader(root, path, status);
  header.preset = reader.text("preset");
  header.from = reader.parsed<WallTime>("from", parse_time);
  header.to = reader.parsed<WallTime>("to", parse_time);
  header.recordings = reader.count("recordings", 1);
  header.factor = reader.real("factor");
  header.step = reader.real("step");
  const std::string form_name = reader.text("form");
  const auto form = training_form(form_name);
  if (reader.good() && !form) reader.refuse(*root.get("form"), "form", "must be filtered or single");
  if (form) header.form = *form;
  const toml::node* const windows = root.get("windows");
  if (windows == nullptr || !windows->is_table())
    return reader.refuse(root, "windows", "is missing; it is a table");
  TableReader window_reader(*windows->as_table(), path, status);
  header.windows.interval = window_reader.parsed<Duration>("interval", parse_duration);
  header.windows.size = window_reader.count("size", 1);
  header.windows.shift = window_reader.count("shift", 1);
  header.windows.smoothing = window_reader.count("smoothing", 1);
  header.windows.k = window_reader.count("k", 1);
  if (window_reader.good() && header.windows.interval.count() <= 0) {
    window_reader.refuse(*windows, "interval", "must be longer than nothing");
  }
}

GroupThresholds read_group(TableReader& reader) {
  GroupThresholds group;
  group.distance = reader.text("distance");
  group.metric = reader.text("metric");
  group.group = reader.text("name");
  group.others = reader.real("others");
  if (reader.table().contains("windows")) group.windows = reader.real("windows");
  read_components(reader, group, "thresholds", false);
  read_components(reader, group, "exact", true);
  read_names(reader, kSaturatedKey, group.saturated);
  return group;
}

void read_groups(const toml::table& root, std::string_view path, Status& status,
                 std::vector<GroupThresholds>& groups) {
  const toml::node* const node = root.get("group");
  if (node == nullptr || !status) return;
  TableReader root_reader(root, path, status);
  const toml::array* const array = node->as_array();
  if (array == nullptr) return root_reader.refuse(*node, "group", "must be written [[group]]");
  std::set<std::tuple<std::string, std::string, std::string>> seen;
  for (const toml::node& element : *array) {
    if (!status) return;
    const toml::table* const table = element.as_table();
    if (table == nullptr) return root_reader.refuse(element, "group", "must be written [[group]]");
    TableReader reader(*table, path, status);
    GroupThresholds group = read_group(reader);
    if (!seen.emplace(group.distance, group.metric, group.group).second) {
      reader.refuse(
          element, "group",
          fmt::format("for {} of {} in '{}' is there twice", group.distance, group.metric, group.group));
    }
    groups.push_back(std::move(group));
  }
}

Thresholds read_part(const toml::table& table, std::string_view path, Status& status) {
  Thresholds thresholds;
  read_header(table, path, status, thresholds.header);
  read_groups(table, path, status, thresholds.groups);
  return thresholds;
}

/// Thresholds of windows of other lengths, each of another preset.
void read_beside(const toml::table& root, std::string_view path, Status& status, Thresholds& thresholds) {
  const toml::node* const node = root.get("beside");
  if (node == nullptr || !status) return;
  TableReader reader(root, path, status);
  const toml::array* const array = node->as_array();
  if (array == nullptr) return reader.refuse(*node, "beside", "must be written [[beside]]");
  for (const toml::node& element : *array) {
    const toml::table* const table = element.as_table();
    if (table == nullptr) return reader.refuse(element, "beside", "must be written [[beside]]");
    Thresholds other = read_part(*table, path, status);
    if (!status) return;
    if (thresholds.of_preset(other.header.preset) != nullptr) {
      return reader.refuse(element, "beside",
                           fmt::format("is of the preset {}, which is there already", other.header.preset));
    }
    thresholds.beside.push_back(std::move(other));
  }
}

}  // namespace

Result<std::string> write_thresholds(const Thresholds& thresholds) {
  std::string out = fmt::format("{}format = \"{}\"\n", kIntroduction, kFormat);
  write_names(out, kNormalErrorsKey, thresholds.normal_errors);
  write_part(out, thresholds, "");
  for (const Thresholds& other : thresholds.beside) {
    out += "\n[[beside]]\n";
    write_part(out, other, "beside.");
  }
  // What cannot be read back must not be left behind for the day on which it is needed.
  const Result<Thresholds> back = read_thresholds(out, "thresholds");
  if (!back) {
    return fail(ErrorCode::kBadInput, "",
                "the thresholds cannot be written as text: " + back.error().message());
  }
  LAGGARD_CHECK(*back == thresholds);
  return out;
}

Result<Thresholds> read_thresholds(std::string_view text, std::string_view path) {
  Result<toml::table> root = parse_toml(text, path);
  if (!root) return forward(root);
  Status status;
  check_format(*root, path, status);
  Thresholds thresholds;
  if (status) thresholds = read_part(*root, path, status);
  TableReader reader(*root, path, status);
  read_names(reader, kNormalErrorsKey, thresholds.normal_errors);
  read_beside(*root, path, status, thresholds);
  if (!status) return forward(status);
  return thresholds;
}

}  // namespace laggard::detect
