#include "detect/logs/log_pattern.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "detect/logs/log_matcher.h"
#include "detect/logs/pattern_file.h"
#include "detect/logs/required_literals.h"

namespace laggard::detect {
namespace {

/// The name of the pattern that a text matches first, or nothing.
std::string matched(const LogMatcher& matcher, std::string_view text) {
  const LogPattern* pattern = matcher.first(text);
  return pattern == nullptr ? "" : std::string(pattern->name);
}

class LogPatternTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!LogMatcher::available()) GTEST_SKIP() << "built without RE2";
  }
};

TEST_F(LogPatternTest, EachSampleMatchesItsOwnPatternFirst) {
  const auto matcher = LogMatcher::make(log_patterns());
  ASSERT_TRUE(matcher) << matcher.error().message();
  std::set<std::string_view> names;
  for (const LogPattern& pattern : log_patterns()) {
    EXPECT_EQ(matched(*matcher, pattern.sample), pattern.name);
    EXPECT_TRUE(names.insert(pattern.name).second) << pattern.name << " is there twice";
    EXPECT_TRUE(pattern.severity >= kCritical && pattern.severity <= kNotice) << pattern.name;
    const std::string prefix = pattern.match.front() == '^' ? "" : "[12345.678901] prefix: ";
    EXPECT_NE(matched(*matcher, prefix + std::string(pattern.sample)), "") << pattern.name;
  }
  EXPECT_GE(names.size(), 184U) << "as many as K's library has (K §V-B)";
}

TEST_F(LogPatternTest, LinesOfHealthySystemsMatchNone) {
  const auto matcher = LogMatcher::make(log_patterns());
  ASSERT_TRUE(matcher) << matcher.error().message();
  const std::vector<std::string_view> healthy{
      "Lustre: Lustre: Build Version: 2.15.3",
      "Lustre: scratch-OST0003: Imperative Recovery enabled, recovery window shrunk from 300-900 down to "
      "150-900",
      "Lustre: Mounted scratch-client",
      "Lustre: scratch-MDT0000: new disk, initializing",
      "LNet: Added LNI 10.2.0.5@o2ib [8/256/0/180]",
      "Connecting to 10.2.0.7 c7 <c0n7>",
      "Node 10.2.0.7 (c7) is now the Group Leader.",
      "Accepted and connected to 10.2.0.7 c7 <c0n7>",
      "Mount of gpfs1 completed",
      "osd.3 1234 crush map has features 288514051259236352, adjusting msgr requires for osds",
      "pgmap v1234: 128 pgs: 128 active+clean; 10 GiB data, 30 GiB used, 970 GiB / 1000 GiB avail",
      "1.2f deep-scrub starts",
      "1.2f deep-scrub ok",
      "mgrmap e12: x(active, since 2d)",
      "[MSGID: 100030] [glusterfsd.c:2511:main] 0-/usr/sbin/glusterfsd: Started running version 10.3",
      "[MSGID: 114020] [client.c:2319:notify] 0-vol-client-1: parent translators are ready, attempting "
      "connect",
      "sd 2:0:0:0: [sdb] 7814037168 512-byte logical blocks: (4.00 TB/3.64 TiB)",
      "sd 2:0:0:0: [sdb] Attached SCSI disk",
      "sd 2:0:0:0: [sdb] Synchronizing SCSI cache",
      "ata3.00: configured for UDMA/133",
      "nvme nvme0: 8/0/0 default/read/poll queues",
      "md: data-check of RAID array md0",
      "md/raid:md0: raid level 6 active with 10 out of 10 devices, algorithm 2",
      "EXT4-fs (sdb1): mounted filesystem with ordered data mode. Opts: (null)",
      "XFS (sdb1): Mounting V5 Filesystem",
      "BTRFS info (device sdb1): disk space caching is enabled",
      "Device: /dev/sdb [SAT], SMART Prefailure Attribute: 1 Raw_Read_Error_Rate changed from 75 to 77",
      "Device: /dev/sdb [SAT], Temperature changed +2 Celsius to 35 Celsius",
      "bonding: bond0: Setting MII monitoring interval to 100",
      "IPv6: ADDRCONF(NETDEV_UP): eth0: link is not up yet",
      "mlx5_core 0000:81:00.0: firmware version: 16.35.2000",
      "(root) CMD (run-parts /etc/cron.hourly)",
      "session opened for user root by (uid=0)",
      "Accepted publickey for root from 10.2.4.19 port 51234 ssh2: RSA SHA256:abc",
      "authentication failure; logname= uid=0 euid=0 tty=ssh ruser= rhost=10.9.9.9",
      "Started Session 123 of user root.",
      "Starting Cleanup of Temporary Directories...",
      "systemd-logind.service: Succeeded.",
      "DHCPACK from 10.2.0.1 (xid=0x1234)",
      "synchronized to 10.2.0.1, stratum 2",
      "perf: interrupt took too long (2501 > 2500), lowering kernel.perf_event_max_sample_rate to 79750",
      "Memory: 131072000K/134217728K available (12288K kernel code)",
      "EDAC MC0: Giving out device to module skx_edac controller Skylake Socket#0 IMC#0",
      "",
      "x"};
  for (const std::string_view line : healthy) EXPECT_EQ(matched(*matcher, line), "") << line;
}

TEST_F(LogPatternTest, HostileTexts) {
  const auto matcher = LogMatcher::make(log_patterns());
  ASSERT_TRUE(matcher) << matcher.error().message();
  EXPECT_EQ(matched(*matcher, std::string(1'000'000, '\0')), "");
  std::string near;
  for (int i = 0; i < 20'000; ++i)
    near += "Buffer I/O error on dev INFO: task blocked for more than LustreError ";
  EXPECT_EQ(matched(*matcher, near), "") << "literals without their patterns, thousands of times";
  EXPECT_EQ(matched(*matcher, "\x1b[2J\xff INFO: task \xfe\xff:1 blocked for more than 120 seconds."),
            "hung-task");
}

TEST(RequiredLiterals, AreWhatEveryMatchContains) {
  using Literals = std::vector<std::string>;
  EXPECT_EQ(required_literals("hard resetting link"), (Literals{"hard resetting link"}));
  EXPECT_EQ(required_literals(R"(md\d+: .*recovery (?:a|b) (x[)]y) done\.)"), (Literals{"recovery "}));
  EXPECT_EQ(required_literals("colou?red stripes"), (Literals{"red stripes"}));
  EXPECT_EQ(required_literals("abcd*efg"), std::nullopt) << "the d need not be there";
  EXPECT_EQ(required_literals("abcde{0,2}fg"), (Literals{"abcd"}));
  EXPECT_EQ(required_literals("first one|second"), (Literals{"first one", "second"}));
  EXPECT_EQ(required_literals("first one|b"), std::nullopt);
  EXPECT_EQ(required_literals("(?i)anything"), std::nullopt);
  EXPECT_EQ(required_literals("(?:lost|gone)"), (Literals{"lost", "gone"}));
  EXPECT_EQ(required_literals("(?:lost|gone)? disk"), (Literals{" disk"}));
  EXPECT_EQ(required_literals("x(?:lost|(?:far )+gone|b)"), std::nullopt) << "b is too short";
  EXPECT_EQ(required_literals("(?P<what>lost|been (?:gone|moved))s"), (Literals{"lost", "been "}));
  EXPECT_EQ(required_literals(R"([\]]abcd[^]x]\x41bcdef)"), std::nullopt) << "rather none than a wrong one";
  EXPECT_EQ(required_literals(""), std::nullopt);
}

std::string refusal(const std::string& text) {
  const auto file = PatternFile::parse(text, "site.toml");
  return file ? "" : file.error().message();
}

TEST_F(LogPatternTest, ASitesPatternsComeFirst) {
  const auto file = PatternFile::parse(R"([[pattern]]
name = "acme"
part = "array"
severity = "warning"
class = "recovery"
match = 'md: md\d+: recovery done'
samples = ["md: md0: recovery done."]
)",
                                       "site.toml");
  ASSERT_TRUE(file) << file.error().message();
  const auto matcher = LogMatcher::make(with_library(*file));
  ASSERT_TRUE(matcher);
  const LogPattern* found = matcher->first("md: md7: recovery done.");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->name, "acme");
  EXPECT_EQ(found->part, PartKind::kArray);
  EXPECT_EQ(found->severity, kWarning);
  EXPECT_EQ(found->what, LogClass::kRecovery);
  EXPECT_TRUE(PatternFile::parse("", "site.toml")->patterns().empty());
}

TEST_F(LogPatternTest, AWrongPatternIsRefusedWithLineAndReason) {
  const std::string head = "[[pattern]]\nname = 'a'\npart = 'disk'\n";
  EXPECT_EQ(refusal(head + "match = 'lost (disk'\nsamples = ['x']\n"),
            "site.toml:4: 'match': missing ): lost (disk");
  EXPECT_EQ(refusal(head + "match = 'l.s.t'\nsamples = ['lost']\n").substr(0, 44),
            "site.toml:4: 'match': needs four characters ");
  EXPECT_EQ(refusal(head + "match = 'lost disk'\nsamples = [\n'lost disk',\n'found disk']\n"),
            "site.toml:7: the pattern 'a' does not match this sample");
  EXPECT_EQ(refusal(head + "match = 'lost disk'\n"),
            "site.toml:1: a pattern needs 'samples', a list of lines that it matches");
  EXPECT_EQ(refusal("[[pattern]]\nname = 'a'\npart = 'disc'\nmatch = 'lost'\n").substr(0, 41),
            "site.toml:3: 'part' must be one of server");
  EXPECT_EQ(refusal(head + "severity = 3\n").substr(0, 25), "site.toml:1: a pattern ne");
  EXPECT_EQ(refusal(head + "colour = 'red'\n"), "site.toml:4: 'colour' is no key of a pattern");
  EXPECT_EQ(refusal("patterns = 1\n").substr(0, 12), "site.toml:1:");
  const std::string whole = head + "match = 'lost disk'\nsamples = ['lost disk']\n";
  EXPECT_EQ(refusal(whole + whole), "site.toml:6: the name 'a' is that of another pattern");
  EXPECT_NE(refusal("[[pattern]\n"), "");
}

}  // namespace
}  // namespace laggard::detect
