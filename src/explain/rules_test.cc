#include "explain/rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace laggard::explain {
namespace {

using testing::HasSubstr;

/// A finding in this metric; \param moved  what the component moves over the metric's resource, its peers and
/// their scatter.
Finding in(std::string_view metric, std::vector<double> moved = {}, std::string detector = "cdf") {
  const MetricSpec& spec = *find_metric(metric);
  Finding finding;
  finding.resource = spec.resource;
  finding.role = spec.role;
  finding.strength = 5;
  finding.evidence.metric = metric;
  finding.evidence.detector = std::move(detector);
  const FactSpec& fact = spec.resource == Resource::kStorage ? kStorageMoved : kNetworkMoved;
  if (!moved.empty()) finding.facts.push_back({&fact, moved[0], moved[1], moved[2]});
  return finding;
}

std::string cause(std::string_view rules_text, const std::vector<Finding>& findings,
                  PartKind tier = PartKind::kServer, const std::set<Pattern>& is = {}) {
  const auto rules = parse_rules(rules_text, "rules.toml");
  EXPECT_TRUE(rules.has_value()) << rules.error().message();
  Suspect suspect{{}, tier, is};
  for (const Finding& finding : findings) suspect.findings.push_back(&finding);
  const Rule* rule = first_match(*rules, suspect);
  return rule == nullptr ? "none" : rule->cause;
}

TEST(Rules, OursLookForWhatOtherFaultsCannotMake) {
  EXPECT_EQ(cause(default_rules(), {in("await", {1000, 1010, 30})}), "disk-busy");
  EXPECT_EQ(cause(default_rules(), {in("await", {2000, 1010, 30})}), "disk-hog")
      << "a hog on a saturated disk";
  const std::vector<double> a_little_more{5.1e6, 5e6, 9e4};
  EXPECT_EQ(
      cause(default_rules(), {in("rxbyt", a_little_more), in("txbyt", a_little_more), in("retransmits")}),
      "packet-loss")
      << "duplicate ACKs move both throughputs a little";
  EXPECT_EQ(cause(default_rules(), {in("txbyt", {10e6, 5e6, 9e4})}), "network-hog");
  const Finding received = in("rxbyt", {115e6, 3e5, 1e4});
  EXPECT_EQ(cause(default_rules(), {in("await", {9000, 1010, 30}), received}), "network-hog")
      << "what has come late is written while all others wait";
  EXPECT_EQ(cause(default_rules(), {in("await", {9000, 1010, 30}), in("retransmits")}), "packet-loss")
      << "so is what was sent again";
  EXPECT_EQ(cause(default_rules(), {in("wr_sec", {9000, 1010, 30}), received}), "disk-hog");
  EXPECT_EQ(cause(default_rules(), {in("cwnd")}), "packet-loss");
  EXPECT_EQ(cause(default_rules(), {in("rtt")}), "slow-link");
  EXPECT_EQ(cause(default_rules(), {in("await", {1000, 1010, 30}), in("rtt")}), "disk-busy")
      << "acknowledgements wait for a slow disk, too";
  EXPECT_EQ(cause(default_rules(), {in("latency", {}, "bias")}), "slow-disk");
  EXPECT_EQ(cause(default_rules(), {}), "none");
}

TEST(Rules, HardwareThatSaysWhatIsWrongWithItIsBelieved) {
  const std::vector<double> as_much{1000, 1010, 30};
  EXPECT_EQ(cause(default_rules(), {in("paths-down"), in("await", as_much)}), "lost-path");
  EXPECT_EQ(cause(default_rules(), {in("memory-errors"), in("run-wait")}), "failing-memory");
  EXPECT_EQ(cause(default_rules(), {in("memory-errors"), in("throttled")}), "slow-cpu") << "a quota, besides";
  EXPECT_EQ(cause(default_rules(), {in("thermal"), in("run-wait")}), "slow-cpu");
}

TEST(Rules, WhoIsWaitedForIsOneThingAndWhyAnother) {
  const auto ours = [](const std::vector<Finding>& findings) { return cause(default_rules(), findings); };
  EXPECT_EQ(ours({in("awaiting")}), "unknown") << "the right server is a right answer";
  EXPECT_EQ(ours({in("awaiting"), in("cwnd"), in("txbyt")}), "unknown")
      << "who waits sends less, which is neither loss nor a hog";
  EXPECT_EQ(ours({in("awaiting"), in("throttled"), in("retransmits")}), "slow-cpu");
  EXPECT_EQ(ours({in("run-wait"), in("cwnd")}), "slow-cpu");
  EXPECT_EQ(ours({in("run-wait"), in("retransmits")}), "slow-cpu") << "nobody empties its sockets";
  EXPECT_EQ(ours({in("rtt"), in("retransmits")}), "slow-link") << "its queue overflows";
  EXPECT_EQ(ours({in("rtt"), in("retransmits"), in("cwnd")}), "packet-loss") << "windows without a queue";
  EXPECT_EQ(ours({in("stopped"), in("run-wait")}), "stopped-daemon");
  EXPECT_EQ(ours({in("carrier"), in("retransmits")}), "flapping-link");
  EXPECT_EQ(ours({in("crc-errors"), in("cwnd")}), "packet-loss");
  EXPECT_EQ(ours({in("run-wait"), in("await", {2000, 1010, 30})}), "disk-hog")
      << "what moves extra data takes a processor, too";
  EXPECT_EQ(ours({in("page-waits"), in("await", {2000, 1010, 30})}), "memory-pressure")
      << "swapping moves extra data";
  EXPECT_EQ(ours({in("awaiting"), in("rtt")}), "slow-link");
  EXPECT_EQ(ours({in("link-speed")}), "slow-link");
  EXPECT_EQ(ours({in("tcp-busy")}), "slow-link");
  EXPECT_EQ(ours({in("tcp-busy"), in("rwnd-limited")}), "unknown") << "the server does not read";
}

TEST(Rules, TellKindsOfTroubleByTheirShape) {
  const auto said = [](PartKind tier, std::set<Pattern> is, const std::vector<Finding>& seen) {
    return cause(default_rules(), seen, tier, is);
  };
  using enum Pattern;
  const std::vector<Finding> lost{in("rd_sec", {}, "absent")};
  const std::vector<Finding> slow{in("await")};
  EXPECT_EQ(said(PartKind::kController, {kLost, kGone, kWhole}, lost), "controller-failed");
  EXPECT_EQ(said(PartKind::kController, {kLost, kGone}, lost), "luns-inaccessible");
  EXPECT_EQ(said(PartKind::kController, {kLost, kUnused}, lost), "misconfiguration");
  EXPECT_EQ(said(PartKind::kArray, {kLost, kGone}, lost), "coherency-lost");
  EXPECT_EQ(said(PartKind::kArray, {kLost, kUnused, kSlowBefore}, slow), "cascaded-failure");
  EXPECT_EQ(said(PartKind::kServer, {kLost, kGone, kFailover}, lost), "server-down");
  EXPECT_EQ(said(PartKind::kServer, {kLost, kUnused, kFailover}, lost), "service-down");
  EXPECT_EQ(said(PartKind::kServer, {kLost, kUnused}, lost), "lost-attachment")
      << "a server whose only disk does nothing may have nothing to do";
  EXPECT_EQ(said(PartKind::kDrawer, {}, slow), "drawer-errors");
  EXPECT_EQ(said(PartKind::kController, {}, slow), "slow-array");
  EXPECT_EQ(said(PartKind::kArray, {}, slow), "slow-array");
  EXPECT_EQ(said(PartKind::kLun, {kWithNeighbours}, slow), "reconstruction");
  EXPECT_EQ(said(PartKind::kLun, {kStandbyUsed}, slow), "silent-lun");
  EXPECT_EQ(said(PartKind::kLun, {kComesAndGoes}, slow), "oscillation");
  EXPECT_EQ(said(PartKind::kLun, {}, slow), "slow-lun");
  EXPECT_EQ(said(PartKind::kLun, {}, {in("await"), in("rd_sec")}), "busy-lun");
  EXPECT_EQ(said(PartKind::kServer, {kComesAndGoes}, slow), "disk-busy");
}

TEST(Rules, AskForSymptomsOfAnyDetector) {
  constexpr std::string_view kRules = "[[rule]]\nname = \"x\"\ncause = \"dead\"\nany = [\"symptom lost\"]";
  Finding finding = in("await", {}, "some detector of later");
  EXPECT_EQ(cause(kRules, {finding}), "none");
  finding.symptom = Symptom::kLost;
  EXPECT_EQ(cause(kRules, {finding}), "dead");
}

TEST(Rules, AskForDeclaredFacts) {
  constexpr std::string_view kRules =
      "[[rule]]\nname = \"x\"\ncause = \"moody\"\nfacts = [{ of = \"pauses\", least = 3, most = 9 }]";
  Finding finding = in("await");
  EXPECT_EQ(cause(kRules, {finding}), "none") << "nobody declared it of this finding";
  finding.facts = {{&kPauses, 2}};
  EXPECT_EQ(cause(kRules, {finding}), "none");
  Finding stronger = finding;
  stronger.strength = 6;
  stronger.facts = {{&kPauses, 3}};
  EXPECT_EQ(cause(kRules, {finding, stronger}), "moody") << "the strongest finding that has it counts";
}

TEST(Rules, AFactThatNobodyDeclaresIsAMistake) {
  const auto wrong = parse_rules(
      "[[rule]]\nname = \"x\"\ncause = \"y\"\nfacts = [{ of = \"colour\", least = 3 }]", "r.toml");
  EXPECT_THAT(wrong.error().message(), HasSubstr("r.toml:4: 'of' names no fact that a detector declares"));
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
  EXPECT_EQ(cause(paper_rules(), {in("wr_sec"), in("await"), in("cwnd")}), "disk-hog");
  EXPECT_EQ(cause(paper_rules(), {in("await"), in("rxbyt"), in("txbyt")}), "disk-busy");
  EXPECT_EQ(cause(paper_rules(), {in("rxbyt"), in("txbyt"), in("cwnd")}), "network-hog");
  EXPECT_EQ(cause(paper_rules(), {in("rxpck"), in("txpck"), in("cwnd")}), "network-hog")
      << "F §12: packets in place of bytes, in which acknowledgements are buried";
  EXPECT_EQ(cause(paper_rules(), {in("rxpck"), in("cwnd")}), "packet-loss");
  EXPECT_EQ(cause(paper_rules(), {in("rxbyt")}), "network-hog");
  EXPECT_EQ(cause(paper_rules(), {in("rxbyt"), in("cwnd")}), "packet-loss");
}

TEST(Rules, SayWhatAndWhy) {
  const auto rules = parse_rules(default_rules(), "rules.toml");
  const Finding await = in("await", {20000, 10000, 10});
  const Finding reads = in("rd_sec");
  const Suspect suspect{{&await, &reads}};
  EXPECT_THAT(explain(*first_match(*rules, suspect), suspect, "s2"), HasSubstr("s2 moves 5.1 MB/s more"));
}

/// A bound that is no number would make a rule hold always or never, without a word.
TEST(Rules, BoundsAreNumbers) {
  const auto said = [](const std::string& bound) {
    const auto rules = parse_rules(
        "[[rule]]\nname = \"n\"\ncause = \"c\"\nexcess = { of = \"storage\", " + bound + " }\n", "r.toml");
    return rules ? "" : rules.error().message();
  };
  for (const std::string key : {"share", "spread", "least"}) {
    for (const std::string value : {"nan", "-nan", "inf", "-inf", "-1", "\"2\"", "true", "[1]"}) {
      EXPECT_EQ(said(key + " = " + value), "r.toml:4: '" + key + "' must be a number that is not negative");
    }
    EXPECT_EQ(said(key + " = 2"), "");
    EXPECT_EQ(said(key + " = 0.5"), "");
  }
  EXPECT_EQ(said("shares = 2"), "r.toml:4: 'excess' has no 'shares'");
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

TEST(Rules, WhatTheKernelSendsAgainIsLost) {
  Finding finding;
  finding.symptom = Symptom::kComputing;
  finding.resource = Resource::kNetwork;
  finding.evidence.source = "behaviour";
  finding.evidence.detector = "kernel-calls";
  EXPECT_EQ(cause(default_rules(), {finding}), "unknown") << "another function of the kernel";
  finding.facts = {{&kRetransmissions, 1.5, 0}};
  EXPECT_EQ(cause(default_rules(), {finding}), "packet-loss");
}

TEST(Rules, OtherCodeIsSelectedByTheResourceThatItWorksFor) {
  const auto rules = parse_rules(default_rules(), "rules.toml");
  ASSERT_TRUE(rules);
  const auto name_of = [&](std::optional<Resource> resource) {
    Finding finding;
    finding.symptom = Symptom::kComputing;
    finding.resource = resource;
    finding.evidence.source = "behaviour";
    const Rule* rule = first_match(*rules, Suspect{{&finding}, PartKind::kServer, {}});
    return rule == nullptr ? "none" : rule->name;
  };
  EXPECT_EQ(name_of(Resource::kStorage), "other code for storage");
  EXPECT_EQ(name_of(Resource::kNetwork), "other code for the network");
  EXPECT_EQ(name_of(Resource::kMemory), "other code for memory");
  EXPECT_EQ(name_of(std::nullopt), "other code");
}

}  // namespace
}  // namespace laggard::explain
