#include "report/evidence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/examples.h"

namespace laggard::report {
namespace {
Evidence finding(const char* component, const char* detector, double score, std::int64_t begin) {
  Evidence e;
  e.metric = "await";
  e.component = component;
  e.detector = detector;
  e.score = score;
  e.level = 10 * score;
  e.windows = {examples::at(begin), examples::at(begin + 60)};
  return e;
}

TEST(MergedEvidence, IsEmptyWithoutEvidence) { EXPECT_TRUE(merged({}).empty()); }

TEST(MergedEvidence, KeepsTheStrongestOfFindingsThatSayTheSame) {
  const std::vector<Evidence> found{finding("s2/sda", "cdf", 3, 0), finding("s2/sda", "cdf", 7, 600),
                                    finding("s2/sda", "cdf", 5, 1200)};
  const std::vector<MergedEvidence> evidence = merged(found);
  ASSERT_EQ(evidence.size(), 1U);
  EXPECT_EQ(evidence[0].findings, 3U);
  EXPECT_EQ(evidence[0].evidence.score, 7);
  EXPECT_EQ(evidence[0].evidence.level, 70);
  EXPECT_THAT(evidence[0].evidence.windows,
              testing::ElementsAre(examples::at(0), examples::at(60), examples::at(600), examples::at(660),
                                   examples::at(1200), examples::at(1260)));
}

TEST(MergedEvidence, KeepsComponentsTestsAndMetricsApart) {
  Evidence of_another_metric = finding("s2/sda", "cdf", 9, 0);
  of_another_metric.metric = "rd_sec";
  const std::vector<Evidence> found{finding("s2/sda", "cdf", 3, 0), finding("s2/sda", "bias", 4, 0),
                                    finding("s3/sda", "cdf", 5, 0), of_another_metric,
                                    finding("s2/sda", "bias", 1, 600)};
  const std::vector<MergedEvidence> evidence = merged(found);
  ASSERT_EQ(evidence.size(), 4U);
  EXPECT_EQ(evidence[1].evidence.detector, "bias");
  EXPECT_EQ(evidence[1].findings, 2U);
  EXPECT_EQ(evidence[1].evidence.score, 4);
  EXPECT_EQ(evidence[3].evidence.metric, "rd_sec");
}

TEST(EvidenceTables, GiveEachSourceATableOfItsOwn) {
  Evidence of_a_log = finding("s4/sda", "pattern", 1, 0);
  of_a_log.source = "logs";
  of_a_log.note = "the controller was reset";
  Incident incident;
  incident.evidence = {finding("s2/sda", "cdf", 3, 0), of_a_log, finding("s3/sda", "cdf", 5, 0)};
  const std::vector<EvidenceTable> tables =
      evidence_tables(incident, Clockface(examples::at(0), examples::at(60)));
  ASSERT_EQ(tables.size(), 2U);
  ASSERT_EQ(tables[0].rows.size(), 2U);
  EXPECT_EQ(tables[0].rows[1].subject, "await of s3/sda");
  ASSERT_EQ(tables[1].rows.size(), 1U);
  EXPECT_EQ(tables[1].rows[0].note, "the controller was reset");
  EXPECT_EQ(tables[1].rows[0].cells.size(), tables[1].columns.size());
}

}  // namespace
}  // namespace laggard::report
