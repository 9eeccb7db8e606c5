// Whether mined statements make the difference of logs better, on samples of real logs whose statements are
// known (loghub): of lines that healthy peers log too fewer are to be left, of new ones all.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "detect/logs/log_detector.h"
#include "detect/logs/template_miner.h"
#include "model/log_line.h"

namespace laggard::detect {
namespace {

/// The fields of a line of CSV.
std::vector<std::string> fields_of(std::string_view line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
  return fields;
}

struct KnownLine {
  std::string text;
  std::string statement;
};

std::vector<KnownLine> read_sample(const std::filesystem::path& csv) {
  std::ifstream file(csv);
  std::string line;
  std::getline(file, line);
  const std::vector<std::string> head = fields_of(line);
  const auto text = static_cast<std::size_t>(std::ranges::find(head, "Content") - head.begin());
  std::vector<KnownLine> lines;
  while (std::getline(file, line)) {
    std::vector<std::string> fields = fields_of(line);
    if (fields.size() > text + 1) lines.push_back({fields[text], fields[text + 1]});
  }
  return lines;
}

/// As the archive keeps it: without its numbers.
std::string numberless(const std::string& text) {
  EventTable table("h", std::string(kLogKind));
  EXPECT_TRUE(
      LogAppender(table).append({.time = {}, .program = {}, .pid = {}, .severity = {}, .text = text}));
  return std::string(table.words().text(table.whats()[0]));
}

/// Of the suspect's lines how many there were, and how many are left without mining and with it.
struct Left {
  double lines = 0;
  double by_template = 0;
  double by_mining = 0;
};

/// Gives a third of the lines to the suspect, and all of every tenth statement.
void compare(const std::vector<KnownLine>& lines, std::mt19937_64& random, Left& common, Left& fresh) {
  std::set<std::string> statements;
  for (const KnownLine& line : lines) statements.insert(line.statement);
  std::erase_if(statements, [&](const std::string&) { return random() % 10 != 0; });
  std::map<std::string, std::string> healthy;
  std::vector<const KnownLine*> suspect;
  for (const KnownLine& line : lines) {
    if (statements.contains(line.statement) || random() % 3 == 0) {
      suspect.push_back(&line);
    } else {
      healthy.try_emplace(numberless(line.text), line.text);
    }
  }
  TemplateMiner miner;
  for (const auto& [form, text] : healthy) miner.add(text);
  for (const KnownLine* line : suspect) {
    const bool is_known = healthy.contains(numberless(line->text));
    const MinedTemplate* const mined = miner.find(line->text);
    const bool is_mined = mined != nullptr && mined->count >= LogDetector::kFewestVariants;
    Left& left = statements.contains(line->statement) ? fresh : common;
    left.lines += 1;
    left.by_template += is_known ? 0 : 1;
    left.by_mining += is_known || is_mined ? 0 : 1;
  }
}

TEST(TemplateMinerOnRealLogs, LessIsLeftOfWhatAllLogAndNearlyAllOfWhatIsNew) {
  const std::filesystem::path data = LAGGARD_SOURCE_DIR "/../shared/data/loghub";
  if (!std::filesystem::exists(data)) GTEST_SKIP() << "needs the samples of loghub in ../shared";
  for (const std::string name : {"HPC", "Linux", "BGL", "Thunderbird"}) {
    const auto lines = read_sample(data / name / (name + "_2k.log_structured.csv"));
    ASSERT_EQ(lines.size(), 2000U) << name;
    std::mt19937_64 random(1);
    Left common;
    Left fresh;
    for (int trial = 0; trial < 5; ++trial) compare(lines, random, common, fresh);
    const std::string figures = fmt::format(
        "{}: of common lines {:.3f} are left, {:.3f} without mining; of new ones {:.3f} and {:.3f}", name,
        common.by_mining / common.lines, common.by_template / common.lines, fresh.by_mining / fresh.lines,
        fresh.by_template / fresh.lines);
    RecordProperty(name, figures);
    std::printf("%s\n", figures.c_str());
    EXPECT_LE(common.by_mining, common.by_template) << figures;
    EXPECT_GE(fresh.by_mining, 0.9 * fresh.by_template) << figures;
  }
}

}  // namespace
}  // namespace laggard::detect
