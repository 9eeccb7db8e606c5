#include "detect/peer/judge/level_book.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <vector>

#include "testing/grouping.h"

namespace laggard::detect {
namespace {

using testing_support::GroupingBuilder;

/// The primary attachments of an array of so many LUNs, half of which each of its controllers serves.
class Attachments {
 public:
  explicit Attachments(std::size_t luns) : system_(GroupingBuilder().array("x", luns, 8)) {}

  [[nodiscard]] Neighbourhoods neighbourhoods() const {
    return neighbourhoods_of(system_.get(), system_.get().groups.front());
  }

  /// Of an anomaly of the first member, of whose neighbours each waits so long, and of the others 10 ms.
  [[nodiscard]] std::optional<ComparedLevel> neighbours(double wait, const char* metric = "r_await") const {
    const Neighbourhoods of = neighbourhoods();
    const std::vector<GroupJudge::Column> columns{{find_metric(metric), true}};
    std::vector<double> levels;
    for (const std::size_t number : of) levels.push_back(number == of.front() ? wait : 10);
    levels.front() = 50;
    Anomaly anomaly;
    anomaly.metric = columns.front().metric;
    anomaly.member = 0;
    anomaly.levels = std::make_shared<LevelSums>();
    anomaly.levels->add({levels});
    return LevelBook(columns, {}, of).summary(anomaly).neighbours;
  }

 private:
  GroupingBuilder system_;
};

TEST(LevelBook, NeighboursAreServedByTheSameController) {
  const Neighbourhoods of = Attachments(32).neighbourhoods();
  const std::set<std::size_t> numbers(of.begin(), of.end());
  EXPECT_EQ(numbers, (std::set<std::size_t>{1, 2}));
  const GroupingBuilder servers = GroupingBuilder().servers(5, 1, false);
  EXPECT_TRUE(neighbourhoods_of(servers.get(), servers.get().groups.front()).empty());
}

TEST(LevelBook, NeighboursAreOwnedByTheSameControllerWhereThatIsKnown) {
  const GroupingBuilder owned = GroupingBuilder().array("x", 4, 4).owned("x", 4);
  EXPECT_EQ(neighbourhoods_of(owned.get(), owned.get().groups.front()), (Neighbourhoods{1, 2, 1, 2}));
  const GroupingBuilder cabled = GroupingBuilder().array("x", 4, 4);
  EXPECT_EQ(neighbourhoods_of(cabled.get(), cabled.get().groups.front()), (Neighbourhoods{1, 1, 2, 2}));
}

TEST(LevelBook, SaysWhatNeighboursTookBesideAllOthers) {
  const auto compared = Attachments(32).neighbours(11);
  ASSERT_TRUE(compared);
  EXPECT_DOUBLE_EQ(compared->own, 11) << "without the member itself";
  EXPECT_DOUBLE_EQ(compared->peers, 10);
}

TEST(LevelBook, FewNeighboursSayNothing) {
  EXPECT_FALSE(Attachments(8).neighbours(11));
  EXPECT_FALSE(Attachments(32).neighbours(11, "rd_sec")) << "who moves more makes nobody else do so";
}

}  // namespace
}  // namespace laggard::detect
