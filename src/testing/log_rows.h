#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/time.h"
#include "model/event.h"
#include "model/log_line.h"
#include "model/observation_source.h"

// What tests say of recorded lines of logs.

namespace laggard::testing_support {

/// Each event with all that it has, whatever the order of its attributes and the dictionary.
inline std::vector<std::string> rows_of(const EventTable& table) {
  std::vector<std::vector<std::string>> attributes(table.size());
  for (const AttributeColumn& column : table.attributes()) {
    for (std::size_t i = 0; i < column.events.size(); ++i) {
      const bool is_word = column.form == AttributeForm::kWord;
      const Word word{static_cast<std::uint32_t>(column.values[i])};
      attributes[column.events[i]].push_back(
          column.key + "=" +
          (is_word ? std::string(table.words().text(word)) : std::to_string(column.values[i])));
    }
  }
  std::vector<std::string> rows;
  for (std::size_t e = 0; e < table.size(); ++e) {
    std::ranges::sort(attributes[e]);
    rows.push_back(fmt::format("{} {} {} {}", to_iso8601(table.times()[e]), table.host(),
                               table.words().text(table.whats()[e]), fmt::join(attributes[e], " ")));
  }
  return rows;
}

/// Their texts.
inline std::vector<std::string> texts_of(const EventTable& table) {
  std::vector<std::string> texts(table.size());
  const LogLines lines(table);
  for (std::size_t e = 0; e < table.size(); ++e) lines.text(e, texts[e]);
  return texts;
}

/// Keeps the rows of all events.
class RowSink final : public ObservationSink {
 public:
  [[nodiscard]] Status append(const EventTable& table) override {
    for (std::string& row : rows_of(table)) rows.push_back(std::move(row));
    return {};
  }
  [[nodiscard]] Status append(const ProfileTable& /*table*/) override { return {}; }

  std::vector<std::string> rows;
};

}  // namespace laggard::testing_support
