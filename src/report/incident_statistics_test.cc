#include "report/incident_statistics.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

namespace laggard::report {
namespace {

using testing::HasSubstr;
using testing::Not;

const WallTime kNoon = from_unix_ns(1'763'985'600'000'000'000);

IncidentDurations durations(const std::string& name, std::vector<double> sorted_s) {
  return {
      .name = name, .incidents = sorted_s.size(), .confirmed = 1, .open = 0, .sorted_s = std::move(sorted_s)};
}

IncidentStatistics statistics() {
  IncidentStatistics statistics{.from = kNoon, .to = kNoon + std::chrono::days(30)};
  statistics.all = durations("", {60, 120, 7200});
  statistics.accounted_for = 2;
  statistics.causes = {durations("slow-disk", {60, 7200}), durations("slow-link", {120})};
  statistics.modes = {durations("unknown", {60, 120, 7200})};
  statistics.kinds = {durations("server", {60, 120, 7200})};
  statistics.relapses = {
      {{PartKind::kServer, "s\x1b[31m2"}, {"slow-disk"}, kNoon, durations("", {60, 7200})}};
  statistics.excess = {{"await", {2, 8}}};
  ProbeTimes probes{.operation = "WrEx", .sick = {}, .well = {}};
  probes.sick.failed = 4;
  probes.sick.done = {.count = 4, .sum_ms = 4000};
  probes.sick.done.bins[40] = 4;
  probes.well.done = {.count = 100, .sum_ms = 100};
  probes.well.done.bins[20] = 98;
  probes.well.done.bins[30] = 2;
  statistics.probes = {probes};
  statistics.under_load = {{.from = 4, .to = 8, .latency = probes.well.done, .slow = 17}};
  return statistics;
}

TEST(IncidentStatisticsReport, IsReadOnATerminal) {
  const std::string text = to_text(statistics(), {.width = 100});
  EXPECT_THAT(text,
              HasSubstr("3 incidents from 2025-11-24 12:00:00Z to 2025-12-24 12:00:00Z (30d), 1 confirmed"));
  EXPECT_THAT(text, HasSubstr("of them over within 2m"));
  EXPECT_THAT(text, HasSubstr("2 more explained by others or withdrawn"));
  EXPECT_THAT(text, HasSubstr("slow-disk"));
  EXPECT_THAT(text, HasSubstr("8x"));
  EXPECT_THAT(text, HasSubstr("1 s ")) << "the mean while it was sick";
  EXPECT_THAT(text, HasSubstr("by the load of their host"));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
}

TEST(IncidentStatisticsReport, IsJsonWithNumbers) {
  const auto json = nlohmann::json::parse(to_json(statistics()));
  EXPECT_EQ(json["schema"], "laggard.history/1");
  EXPECT_EQ(json["incidents"], 3);
  EXPECT_EQ(json["median_s"], 120);
  EXPECT_EQ(json["causes"][0]["longest_s"], 7200);
  EXPECT_EQ(json["relapses"][0]["kind"], "server");
  EXPECT_EQ(json["excess"][0]["most"], 8);
  EXPECT_EQ(json["probes"][0]["sick"]["mean_ms"], 1000);
  EXPECT_EQ(json["probes"][0]["sick"]["failed"], 4);
  EXPECT_EQ(json["under_load"][0]["load_to"], 8);
  EXPECT_EQ(json["under_load"][0]["slow"], 17);
}

TEST(IncidentStatisticsReport, NothingIsSaidAsNothing) {
  const IncidentStatistics none{.from = kNoon, .to = kNoon + std::chrono::hours(1)};
  EXPECT_THAT(to_text(none), HasSubstr("0 incidents from"));
  EXPECT_TRUE(nlohmann::json::parse(to_json(none))["median_s"].is_null());
  EXPECT_THAT(to_html(none), HasSubstr("0 incidents"));
}

TEST(IncidentStatisticsReport, IsAPageInWhichEveryTextIsEscaped) {
  const std::string html = to_html(statistics());
  EXPECT_THAT(html, HasSubstr("<polyline class=\"sick area\"")) << "how long they lasted";
  EXPECT_THAT(html, HasSubstr("Sick more than once"));
  EXPECT_THAT(html, Not(HasSubstr("\x1b")));
}

TEST(IncidentStatisticsReport, HeavyWorkIsAPictureAndWhoDidMostOfIt) {
  IncidentStatistics work{.from = kNoon, .to = kNoon + std::chrono::days(30)};
  work.heavy_work = {.from_per_second = 1000, .jobs = 40};
  EXPECT_THAT(to_text(work), HasSubstr("Metadata work of 40 jobs from 1k requests/s on, 0 times"));
  for (int i = 0; i < 12; ++i) {
    const WallTime from = kNoon + std::chrono::hours(i);
    work.heavy_work.stretches.push_back({"mds1", "l-MDT0000", fmt::format("job\x1b{}", i), from,
                                         from + std::chrono::seconds(10 * (i + 1)),
                                         static_cast<std::uint64_t>(20'000 * (i + 1))});
  }
  const auto json = nlohmann::json::parse(to_json(work))["heavy_work"];
  EXPECT_EQ(json["stretches"], 12);
  EXPECT_EQ(json["longest_s"], 120);
  ASSERT_EQ(json["most"].size(), 10U);
  EXPECT_EQ(json["most"][0]["requests"], 240'000);
  EXPECT_EQ(json["most"][9]["requests"], 60'000);
  const std::string html = to_html(work);
  EXPECT_THAT(html, HasSubstr("<polyline class=\"sick area\""));
  EXPECT_THAT(html, Not(HasSubstr("\x1b")));
  const std::string text = to_text(work);
  EXPECT_THAT(text, HasSubstr("240,000"));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
}

TEST(IncidentStatisticsReport, ShareOfProbesIsReadOffTheirBins) {
  const ProbeTimes probes = statistics().probes.front();
  EXPECT_NEAR(latency_at_share(probes.well.done, 0.5), std::exp2(10.5) / 1e3, 1e-9);
  EXPECT_NEAR(latency_at_share(probes.well.done, 0.99), std::exp2(15.5) / 1e3, 1e-9);
  EXPECT_TRUE(std::isnan(latency_at_share({}, 0.5)));
}

}  // namespace
}  // namespace laggard::report
