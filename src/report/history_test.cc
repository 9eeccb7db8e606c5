#include "report/history.h"

#include <gtest/gtest.h>

namespace laggard::report {
namespace {

std::vector<PersistenceRow> two_hours() {
  const WallTime hour = *parse_time("2011-04-17T00:00:00Z");
  return {{hour, {{"fs61/lun102", "old, first", 7, 1.25}, {"fs65/lun74", "old", 6, 0}}},
          {hour + std::chrono::hours(1), {}}};
}

TEST(History, ReadsAsTheThesisShowsIt) {
  EXPECT_EQ(to_history_text(two_hours()),
            "2011-04-17T00:00:00Z  7 fs61/lun102  6 fs65/lun74\n"
            "2011-04-17T01:00:00Z  -\n");
  EXPECT_EQ(to_history_text({}), "");
}

TEST(History, HasALineForEveryPlaceAsCsv) {
  EXPECT_EQ(to_history_csv(two_hours()),
            "from,rank,persistence,severity,group,component\n"
            "2011-04-17T00:00:00Z,1,7,1.25,\"old, first\",fs61/lun102\n"
            "2011-04-17T00:00:00Z,2,6,0,old,fs65/lun74\n");
}

TEST(History, NamesCannotPlayTricks) {
  const std::vector<PersistenceRow> rows{{WallTime{}, {{"a\x1b[31m\"", "g", 1, 0}}}};
  EXPECT_EQ(to_history_text(rows).find('\x1b'), std::string::npos);
  EXPECT_NE(to_history_csv(rows).find("\"\"\""), std::string::npos);
}

}  // namespace
}  // namespace laggard::report
