#include "report/incident_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/examples.h"

namespace laggard::report {
namespace {
Evidence spell(const char* component, const char* detector, double score, std::int64_t begin) {
  Evidence e;
  e.metric = "await";
  e.component = component;
  e.detector = detector;
  e.score = score;
  e.level = 10 * score;
  e.windows = {examples::at(begin), examples::at(begin + 60)};
  return e;
}

TEST(Findings, NoEvidenceHasNone) { EXPECT_TRUE(findings_of({}).empty()); }

TEST(Findings, SpellsOfOneFindingAreOneLineWithTheStrongest) {
  const std::vector<Evidence> spells{spell("s2/sda", "cdf", 3, 0), spell("s2/sda", "cdf", 7, 600),
                                     spell("s2/sda", "cdf", 5, 1200)};
  const std::vector<Finding> findings = findings_of(spells);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].spells, 3U);
  EXPECT_EQ(findings[0].evidence.score, 7);
  EXPECT_EQ(findings[0].evidence.level, 70);
  EXPECT_THAT(findings[0].evidence.windows,
              testing::ElementsAre(examples::at(0), examples::at(60), examples::at(600), examples::at(660),
                                   examples::at(1200), examples::at(1260)));
}

TEST(Findings, OtherComponentsTestsAndMetricsStayApart) {
  Evidence of_another_metric = spell("s2/sda", "cdf", 9, 0);
  of_another_metric.metric = "rd_sec";
  const std::vector<Evidence> spells{spell("s2/sda", "cdf", 3, 0), spell("s2/sda", "bias", 4, 0),
                                     spell("s3/sda", "cdf", 5, 0), of_another_metric,
                                     spell("s2/sda", "bias", 1, 600)};
  const std::vector<Finding> findings = findings_of(spells);
  ASSERT_EQ(findings.size(), 4U);
  EXPECT_EQ(findings[1].evidence.detector, "bias");
  EXPECT_EQ(findings[1].spells, 2U);
  EXPECT_EQ(findings[1].evidence.score, 4);
  EXPECT_EQ(findings[3].evidence.metric, "rd_sec");
}

}  // namespace
}  // namespace laggard::report
