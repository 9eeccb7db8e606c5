#include "collect/logs/log_forms.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

namespace laggard::collect {
namespace {

using namespace std::chrono_literals;

/// A form, a line of it, and what is to come out.
struct FormCase {
  const char* form;
  std::string line;
  const char* time;
  const char* host;
  const char* program;
  std::optional<std::int64_t> pid;
  std::optional<int> severity;
  const char* text;
};

WallTime at(const char* time) { return parse_time(time).value(); }

TEST(LogForms, EachFormIsTakenApart) {
  const std::vector<FormCase> cases{
      {"RFC 3164",
       "Nov 20 19:21:34 fs1 kernel: sd 0:0: lost",
       "2026-11-20T19:21:34Z",
       "fs1",
       "kernel",
       {},
       {},
       "sd 0:0: lost"},
      {"with a priority", "<11>Nov  2 09:01:02 fs1 ceph-osd[77]: text", "2026-11-02T09:01:02Z", "fs1",
       "ceph-osd", 77, 3, "text"},
      {"a tag with brackets",
       "Jun 14 15:16:01 combo sshd(pam_unix)[19939]: check pass",
       "2026-06-14T15:16:01Z",
       "combo",
       "sshd(pam_unix)",
       19939,
       {},
       "check pass"},
      {"no tag",
       "Nov 20 19:21:34 fs1 last message repeated 2 times",
       "2026-11-20T19:21:34Z",
       "fs1",
       "",
       {},
       {},
       "last message repeated 2 times"},
      {"a router's year",
       "Nov 20 2025 19:21:34 sw1 fan: failed",
       "2025-11-20T19:21:34Z",
       "sw1",
       "fan",
       {},
       {},
       "failed"},
      {"RFC 5424",
       "<165>1 2003-10-11T22:14:15.003+02:00 host.example app 1234 ID47 [x@1 a=\"q\\\"]\"][y b=\"1\"] "
       "\xEF\xBB\xBFtext",
       "2003-10-11T20:14:15.003Z", "host.example", "app", 1234, 5, "text"},
      {"RFC 5424 without anything",
       "<0>1 2003-10-11T22:14:15Z - - - - - text",
       "2003-10-11T22:14:15Z",
       "",
       "",
       {},
       0,
       "text"},
      {"ISO 8601",
       "2026-11-20T19:21:34.5+01:00 fs1 kernel: text",
       "2026-11-20T18:21:34.5Z",
       "fs1",
       "kernel",
       {},
       {},
       "text"},
      {"dmesg -T",
       "[Fri Nov 20 19:21:34 2026] nvme0: text",
       "2026-11-20T19:21:34Z",
       "",
       "kernel",
       {},
       {},
       "nvme0: text"},
      {"Lustre's debug log",
       "00000100:00000400:3.0F:1700000000.123456:0:2113:0:(client.c:2305:expire()) @@@ text",
       "2023-11-14T22:13:20.123456Z",
       "",
       "lustre",
       2113,
       {},
       "@@@ text"},
      {"GPFS",
       "2024-01-15_10:20:30.123+0100: [E] text",
       "2024-01-15T09:20:30.123Z",
       "",
       "mmfs",
       {},
       3,
       "text"},
      {"GPFS of old",
       "Mon Jan 15 10:20:30.123 2024: [W] text",
       "2024-01-15T10:20:30.123Z",
       "",
       "mmfs",
       {},
       4,
       "text"},
      {"a daemon of Ceph",
       "2024-01-15T10:20:30.123+0000 7f31c0a0c700 -1 osd.3 12 text",
       "2024-01-15T10:20:30.123Z",
       "",
       "ceph",
       {},
       3,
       "osd.3 12 text"},
      {"a daemon of Ceph of old",
       "2018-01-15 10:20:30.123456 7f31c0a0c700  0 text",
       "2018-01-15T10:20:30.123456Z",
       "",
       "ceph",
       {},
       {},
       "text"},
      {"Ceph's cluster log",
       "2024-01-15T10:20:30.1+0000 mon.a (mon.0) 7 : cluster [WRN] text",
       "2024-01-15T10:20:30.1Z",
       "",
       "ceph",
       {},
       4,
       "text"},
      {"GlusterFS",
       "[2024-01-15 10:20:30.123456 +0000] W [MSGID: 1] [a.c:1:f] 0-v: text",
       "2024-01-15T10:20:30.123456Z",
       "",
       "gluster",
       {},
       4,
       "[MSGID: 1] [a.c:1:f] 0-v: text"},
      {"Blue Gene/L",
       "KERNX 1117838570 2005.06.03 R02-M1 2005-06-03-15.42.50.675872 R02-M1 RAS KERNEL FATAL text",
       "2005-06-03T22:42:50.675872Z",
       "R02-M1",
       "KERNEL",
       {},
       2,
       "text"},
      {"Thunderbird",
       "- 1131566461 2005.11.09 dn228 Nov 9 12:01:01 dn228/dn228 crond[2916]: text",
       "2005-11-09T20:01:01Z",
       "dn228",
       "crond",
       2916,
       {},
       "text"},
      {"LANL",
       "134681 node-246 unix.hw state.gone 1077804742 1 text",
       "2004-02-26T14:12:22Z",
       "node-246",
       "unix.hw",
       {},
       {},
       "state.gone 1077804742 1 text"},
  };
  for (const FormCase& each : cases) {
    SCOPED_TRACE(each.form);
    LogForms forms({.zone = {}, .year = {}, .latest = at("2026-11-25T00:00:00Z")});
    const auto line = forms.parse(each.line);
    ASSERT_TRUE(line);
    EXPECT_EQ(to_iso8601(line->time), to_iso8601(at(each.time)));
    EXPECT_EQ(line->host, each.host);
    EXPECT_EQ(line->program, each.program);
    EXPECT_EQ(line->pid, each.pid);
    EXPECT_EQ(line->severity, each.severity);
    EXPECT_EQ(line->text, each.text);
  }
}

TEST(LogForms, WhatHasNoTimeIsNoLine) {
  const std::vector<std::string> none{"",
                                      "   ",
                                      "Call Trace:",
                                      " [<ffffffff81>] schedule+0x29/0x70",
                                      "[12345.678901] sd 0:0:0:0: text",
                                      "Nov 31 19:21:34 fs1 kernel: no such day",
                                      "Nov 20 25:21:34 fs1 kernel: no such hour",
                                      "<999>Nov 20 19:21:34 fs1 kernel: text",
                                      "<34>1 - host app - - - no time",
                                      "2024-13-15T10:20:30Z fs1 a: text",
                                      "KERNX 99999999999 2005.06.03 x",
                                      "- 9999999999 2005.06.03 R02 Nov 9 12:01:01 a b: c",
                                      std::string("\0\0\0", 3)};
  for (const std::string& text : none) {
    EXPECT_FALSE(LogForms({}).parse(text)) << text;
  }
}

TEST(LogForms, TheYearIsTheLastInWhichALineIsNotLaterThanTheLogsEnd) {
  LogForms forms({.zone = {}, .year = {}, .latest = at("2026-01-02T08:00:00Z")});
  EXPECT_EQ(forms.parse("Dec 31 23:59:59 a b: c")->time, at("2025-12-31T23:59:59Z"));
  EXPECT_EQ(forms.parse("Jan  2 07:00:00 a b: c")->time, at("2026-01-02T07:00:00Z"));
  EXPECT_FALSE(forms.parse("Feb 29 07:00:00 a b: c")) << "neither year has one";
  EXPECT_TRUE(LogForms({}).parse("Nov 20 19:21:34 a b: c")) << "nobody asks when";
  EXPECT_TRUE(forms.assumed_year());
}

TEST(LogForms, AGivenYearGoesOnWhereMonthsBeginAnew) {
  LogForms forms({.zone = 1h, .year = 2023, .latest = at("2026-01-02T08:00:00Z")});
  EXPECT_EQ(forms.parse("Dec 31 23:59:59 a b: c")->time, at("2023-12-31T22:59:59Z"));
  EXPECT_EQ(forms.parse("Jan  1 00:00:01 a b: c")->time, at("2023-12-31T23:00:01Z"));
  EXPECT_EQ(forms.parse("Feb 29 01:00:00 a b: c")->time, at("2024-02-29T00:00:00Z"));
  EXPECT_TRUE(forms.assumed_zone());
  LogForms zoned({});
  EXPECT_TRUE(zoned.parse("2026-11-20T19:21:34Z fs1 kernel: text"));
  EXPECT_FALSE(zoned.assumed_zone() || zoned.assumed_year());
}

}  // namespace
}  // namespace laggard::collect
