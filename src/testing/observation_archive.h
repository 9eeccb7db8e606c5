#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "archive/reader.h"
#include "archive/writer.h"
#include "testing/archive.h"
#include "testing/observations.h"

/// What the archive's tests of events and profiles share.
namespace laggard::archive::testing {

using testing_support::plain;
using testing_support::PlainEvent;
using testing_support::PlainPeriod;
using testing_support::random_events;
using testing_support::random_profile;

/// Rows by host and kind, sorted.
template <typename Row>
struct Read {
  std::map<std::pair<std::string, std::string>, std::vector<Row>> rows;
  std::uint64_t lost = 0;

  template <typename Table>
  void add(const Table& table) {
    testing_support::add_plain(table, rows[{table.host(), table.kind()}]);
    for (const Loss& loss : table.losses()) lost += loss.count;
  }
  void sort() {
    std::erase_if(rows, [](const auto& entry) { return entry.second.empty(); });
    for (auto& [key, list] : rows) std::ranges::sort(list);
  }
  [[nodiscard]] std::size_t count() const {
    std::size_t sum = 0;
    for (const auto& [key, list] : rows) sum += list.size();
    return sum;
  }
};

template <typename Row, typename Reader>
Read<Row> drain(Result<std::unique_ptr<Reader>> reader) {
  Read<Row> read;
  EXPECT_TRUE(reader) << reader.error().message();
  while (reader) {
    auto table = (*reader)->next();
    EXPECT_TRUE(table) << table.error().message();
    if (!table || !table->has_value()) break;
    read.add(**table);
  }
  read.sort();
  return read;
}

inline Read<PlainEvent> read_events(Reader& reader, const ObservationRequest& request = {}) {
  return drain<PlainEvent>(reader.read_events(request));
}
inline Read<PlainPeriod> read_profiles(Reader& reader, const ObservationRequest& request = {}) {
  return drain<PlainPeriod>(reader.read_profiles(request));
}

template <typename Row, typename Table>
Read<Row> rows_of_all(const std::vector<Table>& tables) {
  Read<Row> read;
  for (const Table& table : tables) read.add(table);
  read.sort();
  return read;
}

/// Whether everything in `part` is in `whole`, at least as often.
template <typename Row>
bool is_part_of(const Read<Row>& part, const Read<Row>& whole) {
  return std::ranges::all_of(part.rows, [&](const auto& entry) {
    const auto there = whole.rows.find(entry.first);
    return there != whole.rows.end() && std::ranges::includes(there->second, entry.second);
  });
}

/// The only file of a stream.
inline std::filesystem::path only_file(const std::filesystem::path& recording, const std::string& stream) {
  std::filesystem::path found;
  for (const auto& entry : std::filesystem::directory_iterator(recording / stream)) {
    if (entry.path().extension() != ".lgd") continue;
    EXPECT_TRUE(found.empty()) << "there are several";
    found = entry.path();
  }
  return found;
}

}  // namespace laggard::archive::testing
