#include "report/html.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report/examples.h"
#include "report/html_parts.h"

namespace laggard::report {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::size_t count(std::string_view text, std::string_view part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

std::string block(const std::string& page, const std::string& id) {
  const std::string opening = R"(<script type="application/json" id=")" + id + "\">";
  const std::size_t start = page.find(opening) + opening.size();
  return page.substr(start, page.find("</script>", start) - start);
}

TEST(Html, SaysTheVerdictAndTheEvidenceWithoutScripts) {
  const std::string page = to_html(examples::busy_disk(), examples::plots_of_busy_disk());
  EXPECT_THAT(page,
              HasSubstr("<h1>s2 was sick: disk-busy (storage) from 19:22:36Z to 19:25:48Z, confirmed</h1>"));
  EXPECT_THAT(page, HasSubstr("<td class=\"n strong\">142 ms</td><td class=\"n\">18.3 ms</td>"));
  EXPECT_EQ(count(page, "<figure data-kind=\"peers\""), 2U);
  EXPECT_EQ(count(page, "<figure data-kind=\"distributions\""), 2U);
  EXPECT_EQ(count(page, "<figure data-kind=\"maps\""), 1U);
}

TEST(Html, ColumnsThatSayNothingAreLeftOut) {
  Diagnosis d = examples::busy_disk();
  EXPECT_THAT(to_html(d, {}), HasSubstr(">Ratio<"));
  for (Evidence& evidence : d.incidents.front().evidence) evidence.peers.reset();
  const std::string page = to_html(d, {});
  EXPECT_THAT(page, Not(HasSubstr(">Ratio<")));
  EXPECT_THAT(page, HasSubstr(">no data<")) << "a level is never just empty";
}

TEST(Html, NothingIsLoadedFromAnywhere) {
  const std::string page = to_html(examples::busy_disk(), examples::plots_of_busy_disk());
  EXPECT_THAT(page, Not(HasSubstr("http:")));
  EXPECT_THAT(page, Not(HasSubstr("https:")));
  EXPECT_THAT(page, Not(HasSubstr("@import")));
  EXPECT_THAT(page, HasSubstr("default-src 'none'; script-src 'sha256-"));
  EXPECT_EQ(count(page, " style=\""), 0U) << "the policy would ignore inline styles";
}

TEST(Html, NoNameBecomesMarkup) {
  const std::string page = to_html(examples::hostile(), examples::plots_of_hostile());
  EXPECT_EQ(count(page, "<script"), 3U) << "two blocks of data and one script, all ours";
  EXPECT_EQ(count(page, "</script"), 3U);
  EXPECT_THAT(page, Not(HasSubstr("<img")));
  EXPECT_EQ(page.find('\x1b'), std::string::npos);
  EXPECT_EQ(page.find('\xff'), std::string::npos);
}

TEST(Html, TheDataInsideIsJson) {
  const std::string page = to_html(examples::hostile(), examples::plots_of_hostile());
  const auto plots = nlohmann::json::parse(block(page, "plots"));
  const auto diagnosis = nlohmann::json::parse(block(page, "diagnosis"));
  EXPECT_EQ(diagnosis["schema"], "laggard.diagnosis/1");
  ASSERT_EQ(plots["peers"].size(), 2U);
  const auto& peers = plots["peers"][0];
  EXPECT_EQ(peers["packed"].get<std::string>().size(), 9U * 240 * 2 * 4 / 3);
  EXPECT_EQ(peers["sick"], cleaned(examples::hostile().incidents.front().id)) << "as the markup has it";
  EXPECT_EQ(plots["distributions"][0]["lengths"][0], 64);
}

TEST(Html, PlotsOfUnknownIncidentsAreLeftOut) {
  Plots plots = examples::plots_of_busy_disk();
  plots.incidents.front().incident = "another";
  const std::string page = to_html(examples::busy_disk(), plots);
  EXPECT_EQ(count(page, "<figure data-kind=\"peers\""), 0U);
  EXPECT_EQ(count(page, "<figure data-kind=\"maps\""), 1U);
}

TEST(Html, AHugeSystemStaysAFewMegabytes) {
  const std::string page = to_html(examples::big_system(768), examples::plots_of_big_system(768, 5760, 191));
  EXPECT_LT(page.size(), 4'000'000U);
  EXPECT_THAT(page, HasSubstr("data-more=\"ranks\" hidden>Show all 768</button>"));
}

TEST(Html, SameInputSameBytes) {
  EXPECT_EQ(to_html(examples::busy_disk(), examples::plots_of_busy_disk()),
            to_html(examples::busy_disk(), examples::plots_of_busy_disk()));
}

TEST(Html, EveryStateOfTheWorldHasAPage) {
  EXPECT_THAT(to_html(examples::all_well(), {}), HasSubstr("<section class=\"verdict well\">"));
  Diagnosis part = examples::all_well();
  part.coverage.damaged = {"s2-20261120T192134Z.lgd"};
  EXPECT_THAT(to_html(part, {}),
              AllOf(HasSubstr("<section class=\"verdict blind\">"), HasSubstr("the diagnosis is partial"),
                    HasSubstr("s2-20261120T192134Z.lgd")));
  EXPECT_THAT(to_html(examples::nothing_comparable(), {}), HasSubstr("<section class=\"verdict blind\">"));
  const std::string week = to_html(examples::bad_week(), {});
  EXPECT_THAT(week, HasSubstr("<section class=\"verdict confirmed\">"));
  EXPECT_THAT(week, HasSubstr("<a href=\"#incident-5\">fs4</a>"));
  EXPECT_THAT(week, HasSubstr("group &#39;metadata&#39; has 2 members"));
}

TEST(Html, GroupsAsAWholeHaveACard) {
  const std::string page = to_html(examples::nobody_stands_out(), {});
  EXPECT_THAT(page, AllOf(HasSubstr("<section class=\"verdict suspected\">"), HasSubstr("id=\"groups\""),
                          HasSubstr("<h3>All slow, nobody stands out</h3>"), HasSubstr("moved 62 % less"),
                          HasSubstr("<h3>Two camps</h3>"), HasSubstr("share switch sw1, rack r7")));
  EXPECT_THAT(to_html(examples::busy_disk(), {}), Not(HasSubstr("id=\"groups\"")));
}

TEST(TrainingHtml, ShowsEveryGroupAndHowToDecide) {
  TrainingDay day;
  day.from = examples::at(0);
  day.to = examples::at(240);
  day.plots = examples::training_day();
  day.notes = {"<b>left out"};
  const std::string page = training_html(day);
  EXPECT_EQ(count(page, "<figure data-kind=\"peers\""), 2U);
  EXPECT_THAT(page, HasSubstr("Accept the day when no line leaves the bundle"));
  EXPECT_THAT(page, HasSubstr("&lt;b&gt;left out"));
  EXPECT_THAT(training_html({}), HasSubstr("There was nothing to plot"));
}

TEST(HtmlEscape, LeavesNoMarkup) {
  EXPECT_EQ(html_escape("<img src='x' alt=\"y\">&"), "&lt;img src=&#39;x&#39; alt=&quot;y&quot;&gt;&amp;");
  EXPECT_EQ(html_escape(std::string_view("\0\x1b\xff", 3)), "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
}

}  // namespace
}  // namespace laggard::report
