#include "report/wording.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "report/examples.h"
#include "report/quantity.h"
#include "report/utf8.h"

namespace laggard::report {
namespace {

TEST(Verdict, SaysWhoWhatAndSinceWhen) {
  Diagnosis d = examples::busy_disk();
  EXPECT_EQ(verdict(d), "s2 was sick: disk-busy (storage) from 19:22:36Z to 19:25:48Z, confirmed");
  d.incidents.front().until.reset();
  d.incidents.front().status = IncidentStatus::kOpen;
  EXPECT_EQ(verdict(d), "s2 is sick: disk-busy (storage) since 19:22:36Z, confirmed");
  d.incidents.front().state = IncidentState::kSuspected;
  d.incidents.front().blame = {PartKind::kLoadBalancer, "lb1"};
  EXPECT_EQ(verdict(d),
            "load balancer lb1 is suspected: disk-busy (storage) since 19:22:36Z, not confirmed yet");
  d.incidents.front().blame = {PartKind::kDrawer, "r7", "rack"};
  EXPECT_EQ(verdict(d), "rack r7 is suspected: disk-busy (storage) since 19:22:36Z, not confirmed yet");
}

TEST(Verdict, ManyIncidentsAndNone) {
  EXPECT_EQ(
      verdict(examples::bad_week()),
      "3 incidents, 2 confirmed: controller ddn12 lost-attachment (storage) since 2026-11-21 19:21:34Z; fs7 "
      "packet-loss (network) from 2026-11-20 20:21:34Z to 2026-11-20 21:51:34Z; fs9 packet-loss (network) "
      "since "
      "2026-11-20 20:21:34Z");
  EXPECT_EQ(headline(examples::bad_week()), "3 incidents, 2 confirmed: controller ddn12, fs7, fs9");
  EXPECT_EQ(headline(examples::busy_disk()), verdict(examples::busy_disk()));
  EXPECT_EQ(verdict(examples::all_well()), "No component differs persistently from its peers");
  EXPECT_EQ(verdict(examples::nothing_comparable()), "Nothing could be compared, so nothing can be said");
  Diagnosis d = examples::busy_disk();
  d.incidents.front().status = IncidentStatus::kExcluded;
  EXPECT_EQ(verdict(d), "Nothing new: 1 known incident, excluded or explained");
}

TEST(Humanise, ThreeDigitsAndTheUnitPeopleUse) {
  EXPECT_EQ(humanise(142.4, "ms"), "142 ms");
  EXPECT_EQ(humanise(0.0421, "ms"), "42.1 us");
  EXPECT_EQ(humanise(103'250, "ms"), "103 s");
  EXPECT_EQ(humanise(999.97, "ms"), "1 s");
  EXPECT_EQ(humanise(0, "ms"), "0 ms");
  EXPECT_EQ(humanise(61234.5, "sectors/s"), "31.4 MB/s");
  EXPECT_EQ(humanise(0, "bytes/s"), "0 B/s");
  EXPECT_EQ(humanise(12345, "packets/s"), "12.3k packets/s");
  EXPECT_EQ(humanise(87.25, "%"), "87.2 %");
  EXPECT_EQ(humanise(0.5, "any"), "0.5");
  EXPECT_EQ(humanise(std::nan(""), "ms"), "-");
  EXPECT_EQ(humanise(std::numeric_limits<double>::infinity()), "-");
  EXPECT_EQ(humanise(-1.5e6), "-1.5M");
  EXPECT_EQ(humanise(3e12), "3000G");
}

TEST(Ratio, SaysNothingWhereThereIsNothingToSay) {
  EXPECT_EQ(ratio(142.4, 18.31), "7.8x");
  EXPECT_EQ(ratio(1424, 18.31), "78x");
  EXPECT_EQ(ratio(2.2, 87.5), "0.025x");
  EXPECT_EQ(ratio(0, 5), "0x");
  EXPECT_EQ(ratio(7000, 5.79), "1209x");
  EXPECT_EQ(ratio(2e9, 1), "2Gx");
  EXPECT_EQ(ratio(5, 0), std::nullopt);
  EXPECT_EQ(ratio(std::nullopt, 5), std::nullopt);
  EXPECT_EQ(ratio(std::nan(""), 5), std::nullopt);
}

TEST(Clockface, ShowsTheDateOnlyWhenThereAreSeveral) {
  EXPECT_EQ(Clockface(examples::at(0), examples::at(60)).moment(examples::at(1)), "19:21:35Z");
  EXPECT_EQ(Clockface(examples::at(0), examples::at(86400)).moment(examples::at(1)), "2026-11-20 19:21:35Z");
  EXPECT_EQ(coarse(std::chrono::seconds(3661)), "1h1m");
  EXPECT_EQ(coarse(std::chrono::milliseconds(2500)), "2s");
  EXPECT_EQ(coarse(std::chrono::seconds(90061)), "1d1h");
}

TEST(Utf8, TakesApartWhatIsThere) {
  EXPECT_EQ(first_code_point("a").value, U'a');
  EXPECT_EQ(first_code_point("\xe2\x82\xac").value, U'\u20ac');
  EXPECT_EQ(first_code_point("\xf0\x9f\x98\x80").bytes, 4U);
  for (const std::string_view bad :
       {"\x80", "\xc0\xaf", "\xe2\x82", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xff"}) {
    EXPECT_FALSE(first_code_point(bad).valid) << printable(bad);
    EXPECT_EQ(first_code_point(bad).bytes, 1U);
  }
}

TEST(Printable, MakesControlCharactersVisible) {
  EXPECT_EQ(printable("a\x1b[2Jb"), "a\\x1b[2Jb");
  EXPECT_EQ(printable("\xc2\x9b"), "\\x9b") << "the eight-bit escape introducer";
  EXPECT_EQ(printable(examples::kOverride), "\\u202e");
  EXPECT_EQ(printable("größe"), "größe");
}

TEST(HtmlEscape, LeavesNoMarkup) {
  EXPECT_EQ(html_escape("<img src='x' alt=\"y\">&"), "&lt;img src=&#39;x&#39; alt=&quot;y&quot;&gt;&amp;");
  EXPECT_EQ(html_escape(std::string_view("\0\x1b\xff", 3)), "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
}

}  // namespace
}  // namespace laggard::report
