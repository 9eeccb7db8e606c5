#include "analyse/explain/rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace laggard::analyse {
namespace {

using testing::HasSubstr;

Divergence in(std::string_view metric, std::string detector = "cdf") {
  return {find_metric(metric), std::move(detector), true};
}

std::string cause(std::string_view rules_text, const Facts& facts) {
  const auto rules = parse_rules(rules_text, "rules.toml");
  EXPECT_TRUE(rules.has_value()) << rules.error().message();
  const Rule* rule = first_match(*rules, facts);
  return rule == nullptr ? "none" : rule->cause;
}

TEST(Rules, OursLookForWhatOtherFaultsCannotMake) {
  const Excess busy{1000, 1010, 30};
  const Excess hog{2000, 1010, 30};
  EXPECT_EQ(cause(default_rules(), {{in("await")}, busy, {}}), "disk-busy");
  EXPECT_EQ(cause(default_rules(), {{in("await")}, hog, {}}), "disk-hog") << "a hog on a saturated disk";
  EXPECT_EQ(
      cause(default_rules(), {{in("rxbyt"), in("txbyt"), in("retransmits")}, {}, Excess{5.1e6, 5e6, 9e4}}),
      "packet-loss")
      << "duplicate ACKs move both throughputs a little";
  EXPECT_EQ(cause(default_rules(), {{in("txbyt")}, {}, Excess{10e6, 5e6, 9e4}}), "network-hog");
  EXPECT_EQ(cause(default_rules(), {{in("cwnd")}, {}, {}}), "packet-loss");
  EXPECT_EQ(cause(default_rules(), {{in("latency", "bias")}, {}, {}}), "slow-disk");
  EXPECT_EQ(cause(default_rules(), {}), "none");
}

TEST(Rules, TellKindsOfTroubleByTheirShape) {
  const auto said = [](BlameKind tier, std::set<Fact> is, const std::vector<Divergence>& seen) {
    Facts facts{seen, {}, {}, tier, std::move(is)};
    return cause(default_rules(), facts);
  };
  const std::vector<Divergence> lost{in("rd_sec", "absent")};
  const std::vector<Divergence> slow{in("await")};
  EXPECT_EQ(said(BlameKind::kController, {Fact::kLost, Fact::kGone, Fact::kWhole}, lost),
            "controller-failed");
  EXPECT_EQ(said(BlameKind::kController, {Fact::kLost, Fact::kGone}, lost), "luns-inaccessible");
  EXPECT_EQ(said(BlameKind::kController, {Fact::kLost, Fact::kUnused}, lost), "misconfiguration");
  EXPECT_EQ(said(BlameKind::kArray, {Fact::kLost, Fact::kGone}, lost), "coherency-lost");
  EXPECT_EQ(said(BlameKind::kArray, {Fact::kLost, Fact::kUnused, Fact::kSlowBefore}, slow),
            "cascaded-failure");
  EXPECT_EQ(said(BlameKind::kServer, {Fact::kLost, Fact::kGone, Fact::kTakenOver}, lost), "server-down");
  EXPECT_EQ(said(BlameKind::kServer, {Fact::kLost, Fact::kUnused, Fact::kTakenOver}, lost), "service-down");
  EXPECT_EQ(said(BlameKind::kServer, {Fact::kLost, Fact::kUnused}, lost), "lost-attachment")
      << "a server whose only disk does nothing may have nothing to do";
  EXPECT_EQ(said(BlameKind::kDrawer, {}, slow), "drawer-errors");
  EXPECT_EQ(said(BlameKind::kLun, {Fact::kWithNeighbours}, slow), "reconstruction");
  EXPECT_EQ(said(BlameKind::kLun, {Fact::kUncalled}, slow), "silent-lun");
  EXPECT_EQ(said(BlameKind::kLun, {Fact::kComesAndGoes}, slow), "oscillation");
  EXPECT_EQ(said(BlameKind::kLun, {}, slow), "slow-lun");
  EXPECT_EQ(said(BlameKind::kLun, {}, {in("await"), in("rd_sec")}), "busy-lun");
  EXPECT_EQ(said(BlameKind::kServer, {Fact::kComesAndGoes}, slow), "disk-busy");
}

TEST(Rules, NamesOfShapesAreChecked) {
  const auto wrong = [](const std::string& line) {
    return parse_rules("[[rule]]\nname = \"x\"\ncause = \"y\"\n" + line, "r.toml").error().message();
  };
  EXPECT_THAT(wrong("blames = [\"shelf\"]"), HasSubstr("'shelf' is nothing that 'blames' knows"));
  EXPECT_THAT(wrong("is = [\"gone\", \"lots\"]"), HasSubstr("'lots' is nothing that 'is' knows"));
  EXPECT_THAT(wrong("is_not = \"gone\""), HasSubstr("'is_not' must be a list of strings"));
}

TEST(Rules, TheChecklistOfThePaper) {
  EXPECT_EQ(cause(paper_rules(), {{in("wr_sec"), in("await"), in("cwnd")}, {}, {}}), "disk-hog");
  EXPECT_EQ(cause(paper_rules(), {{in("await"), in("rxbyt"), in("txbyt")}, {}, {}}), "disk-busy");
  EXPECT_EQ(cause(paper_rules(), {{in("rxbyt"), in("txbyt"), in("cwnd")}, {}, {}}), "network-hog");
  EXPECT_EQ(cause(paper_rules(), {{in("rxbyt")}, {}, {}}), "network-hog");
  EXPECT_EQ(cause(paper_rules(), {{in("rxbyt"), in("cwnd")}, {}, {}}), "packet-loss");
}

TEST(Rules, SayWhatAndWhy) {
  const auto rules = parse_rules(default_rules(), "rules.toml");
  const Facts facts{{in("await"), in("rd_sec")}, Excess{20000, 10000, 10}, {}};
  EXPECT_THAT(explain(*first_match(*rules, facts), facts, "s2"), HasSubstr("s2 moves 5.1 MB/s more"));
}

TEST(Rules, MistakesAreNamedWithTheirLine) {
  const auto error = [](std::string_view text) {
    const auto rules = parse_rules(text, "r.toml");
    return rules ? std::string("accepted") : rules.error().message();
  };
  EXPECT_THAT(error("[[rule]]\nname = \"a\"\ncause = \"b\"\nany = [\"storage smell\"]\n"),
              HasSubstr("r.toml:4: 'storage smell'"));
  EXPECT_THAT(error("[[rule]]\nname = \"a\"\n"), HasSubstr("needs a name and a cause"));
  EXPECT_THAT(error("[[rule]]\nname = \"a\"\ncause = \"b\"\nwhen = 1\n"),
              HasSubstr("r.toml:4: a rule has no 'when'"));
  EXPECT_THAT(error("rule = ["), HasSubstr("r.toml:1"));
  EXPECT_THAT(error(""), HasSubstr("no [[rule]]"));
}

}  // namespace
}  // namespace laggard::analyse
