#include "engine/persistence_history.h"

#include <gtest/gtest.h>

namespace laggard::engine {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

RankedComponent ranked(const char* name, int persistence) { return {name, "luns", persistence, 1}; }

TEST(PersistenceHistory, OneRowForEveryHourThatHadWindows) {
  PersistenceHistory history({.every = hours(1), .top = 2});
  const WallTime midnight = from_unix_ns(0) + hours(24 * 365);
  EXPECT_FALSE(history.due(midnight + minutes(30)));
  history.pass(midnight + minutes(30));
  EXPECT_FALSE(history.due(midnight + minutes(60))) << "a window that ends with the hour belongs to it";
  history.pass(midnight + minutes(60));
  ASSERT_TRUE(history.due(midnight + minutes(61)));
  history.close({ranked("a", 7), ranked("b", 6), ranked("c", 5)});
  history.pass(midnight + minutes(61));
  ASSERT_TRUE(history.due(midnight + hours(5))) << "and hours without windows are skipped";
  history.close({ranked("b", 9), ranked("d", 0)});
  history.pass(midnight + hours(5));
  history.close({});
  history.close({ranked("nobody", 1)});
  const std::vector<PersistenceRow> want{{midnight, {ranked("a", 7), ranked("b", 6)}},
                                         {midnight + hours(1), {ranked("b", 9)}},
                                         {midnight + hours(4), {}}};
  EXPECT_EQ(history.rows(), want);
}

}  // namespace
}  // namespace laggard::engine
