#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "archive/writer.h"
#include "base/file.h"
#include "testing/cli.h"

namespace laggard::cmd {
namespace {

using testing::HasSubstr;
using testing::StartsWith;
using testing_support::Folder;
using testing_support::laggard;
using testing_support::Said;

/// A folder with a recording of three busy servers (`s1/loop21` …) and an idle client.
class SystemCommand : public testing::Test {
 protected:
  void SetUp() override {
    SystemClock clock;
    auto writer = archive::Writer::open(folder_ / "rec", {}, clock);
    ASSERT_TRUE(writer.has_value()) << writer.error().message();
    for (int s = 1; s <= 3; ++s) {
      ASSERT_TRUE((*writer)->append(table("s" + std::to_string(s), "loop2" + std::to_string(s), 10)));
    }
    ASSERT_TRUE((*writer)->append(table("c1", "sda", 0)));
    ASSERT_TRUE((*writer)->close());
  }
  /// Twenty samples in which the disk completes `step` reads a second.
  static SampleTable table(const std::string& host, const std::string& device, std::uint64_t step) {
    constexpr std::size_t kSamples = 20;
    std::vector<WallTime> times;
    for (std::size_t t = 0; t < kSamples; ++t) {
      times.push_back(from_unix_ns(1'700'000'000'000'000'000 + static_cast<std::int64_t>(t) * 1'000'000'000));
    }
    SampleTable table(host, DeviceKind::kDisk, {{"rd_ios", CounterForm::kCumulative}}, {device}, times);
    for (std::size_t t = 0; t < kSamples; ++t) table.set(0, 0, t, 1000 + t * step);
    return table;
  }

  [[nodiscard]] std::string path(const char* name) const { return folder_ / name; }
  [[nodiscard]] std::string write(const char* name, const std::string& text) const {
    return folder_.write(name, text);
  }

  Folder folder_;
};

TEST_F(SystemCommand, DiscoverWritesWhatCheckAccepts) {
  const Said shown = laggard({"system", "discover", path("rec")});
  EXPECT_EQ(shown.status, kClean) << shown.err;
  EXPECT_THAT(shown.out, HasSubstr("name    = \"s[1-3]\"\ndevice  = \"loop[21-23]\"\n"));
  EXPECT_THAT(shown.out, HasSubstr("[[clients]]\nname    = \"c1\"\n"));

  const Said wrote = laggard({"system", "discover", path("rec"), "-o", path("system.toml")});
  EXPECT_EQ(wrote.status, kClean) << wrote.err;
  EXPECT_EQ(*read_file(path("system.toml")), shown.out);
  const Said again = laggard({"system", "discover", path("rec"), "-o", path("system.toml")});
  EXPECT_EQ(again.status, kBadUse);
  EXPECT_THAT(again.err, HasSubstr("is there already; --force overwrites it"));

  const Said checked = laggard({"system", "check", path("system.toml"), path("rec"), "--groups", "--strict"});
  EXPECT_EQ(checked.status, kClean) << checked.err;
  EXPECT_THAT(checked.out, HasSubstr("sound: 3 servers, 1 client, 3 disks"));
  EXPECT_THAT(checked.out, HasSubstr("disks       3 members  s1/loop21,s2/loop22,s3/loop23"));
}

TEST_F(SystemCommand, DiscoverProposesGroupsOfSimilarThroughput) {
  std::string csv = "time,host,kind,device,counter,value\n";
  for (int t = 0; t < 120; ++t) {
    for (int d = 0; d < 7; ++d) {
      const int rate = d < 3 ? 1000 : (d < 6 ? 4000 : 5);
      const std::string start = std::to_string(1000 + 15 * t) + ",fs1,disk,sd" + static_cast<char>('a' + d);
      csv += start + ",rd_sectors," + std::to_string(15 * rate * t + (t % 8) * 100) + "\n";
      csv += start + ",rd_ios," + std::to_string(t) + "\n";
    }
  }
  ASSERT_EQ(laggard({"import", "csv", write("flow.csv", csv), "--out", path("flow")}).status, kClean);
  const std::string truth = write(
      "truth.toml",
      "[[servers]]\nname = \"fs1\"\ndevices = [\"sda\", \"sdb\", \"sdc\", \"sdd\", \"sde\", \"sdf\"]\n\n"
      "[[peer_groups]]\nname = \"x\"\nmembers = \"fs1/sda,fs1/sdb,fs1/sdc\"\n\n"
      "[[peer_groups]]\nname = \"y\"\nmembers = \"fs1/sdd,fs1/sde,fs1/sdf\"\n");
  const Said said =
      laggard({"system", "discover", path("flow"), "--by-throughput", "--block", "1m", "--truth", truth});
  EXPECT_EQ(said.status, kClean) << said.err;
  EXPECT_THAT(said.out, HasSubstr("members = \"fs1/sda,fs1/sdb,fs1/sdc\""));
  EXPECT_THAT(said.out, HasSubstr("members = \"fs1/sdd,fs1/sde,fs1/sdf\""));
  EXPECT_THAT(said.out, HasSubstr("# 1 without load, so that nothing tells them apart: fs1/sdg\n"));
  EXPECT_THAT(said.out, HasSubstr("over 6 devices under load: adjusted Rand index 1.000"));
  EXPECT_EQ(laggard({"system", "discover", path("flow"), "--block", "1m"}).status, kBadUse);
}

TEST_F(SystemCommand, CheckNamesEveryMistakeWithItsLine) {
  const std::string file =
      write("bad.toml", "[[servers]]\nname = \"s[1-3]\"\ndevcie = \"sda\"\naddress = \"x\"\n");
  const Said ran = laggard({"system", "check", file});
  EXPECT_EQ(ran.status, kBadUse);
  EXPECT_THAT(ran.err, HasSubstr("bad.toml:3: [[servers]] has no key 'devcie'; did you mean 'device'?"));
  EXPECT_THAT(ran.err, HasSubstr("bad.toml:4: 'x' is no IP address"));
  EXPECT_EQ(ran.out, "");
}

TEST_F(SystemCommand, CheckComparesWithARecording) {
  const std::string file = write("system.toml", "[[servers]]\nname = \"s[1-4]\"\ndevice = \"loop2[1-4]\"\n");
  const Said ran = laggard({"system", "check", file, path("rec")});
  EXPECT_EQ(ran.status, kClean);
  EXPECT_THAT(ran.out, HasSubstr("system.toml:2: servers that the recording does not have: s4"));
  EXPECT_EQ(laggard({"system", "check", file, path("rec"), "--strict"}).status, kFinding);
}

TEST_F(SystemCommand, CheckSpeaksJson) {
  const std::string file = write("system.toml", "[[servers]]\nname = \"h\"\ndevices = \"d[1-3]\"\n");
  const Said ran = laggard({"system", "check", file, "--json", "-"});
  EXPECT_EQ(ran.status, kClean);
  EXPECT_THAT(ran.out, StartsWith("{"));
  EXPECT_THAT(ran.out, HasSubstr("\"schema\": \"laggard.system-check/1\""));
  EXPECT_THAT(ran.out, HasSubstr("\"members\": [\"h/d1\", \"h/d2\", \"h/d3\"]"));
  const Said bad = laggard({"system", "check", write("bad.toml", "x = 1\n"), "--json", "-"});
  EXPECT_EQ(bad.status, kBadUse);
  EXPECT_THAT(bad.out, HasSubstr("bad.toml:1"));
}

TEST_F(SystemCommand, AFileOfServersAloneIsSoundWithoutARecording) {
  const Said ran = laggard({"system", "check", write("system.toml", "[[servers]]\nname = \"s[1-3]\"\n")});
  EXPECT_EQ(ran.status, kClean) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("sound: 3 servers"));
}

TEST_F(SystemCommand, WhatIsMissingIsNamed) {
  EXPECT_THAT(laggard({"system", "check", path("none.toml")}).err, HasSubstr("none.toml"));
  const Said ran = laggard({"system", "discover", path("none")});
  EXPECT_EQ(ran.status, kBadUse);
  EXPECT_THAT(ran.err, HasSubstr("none"));
}

TEST_F(SystemCommand, ImportWritesWhatCheckAccepts) {
  const std::string nsd = write("nsd",
                                "File system Disk name NSD servers\n-----\n"
                                "scratch a_lun0 fs1,fs2\nscratch a_lun1 fs2,fs1\nscratch a_lun2 fs1,fs2\n");
  const std::string map =
      write("site.toml", "[[arrays]]\nname = 'a'\nluns = 'a_*'\ncontrollers = 'a[1-2]'\n");
  const std::string out = path("imported.toml");
  const Said wrote = laggard({"system", "import", "gpfs", nsd, "--map", map, "-o", out});
  EXPECT_EQ(wrote.status, kClean) << wrote.err;
  EXPECT_EQ(laggard({"system", "import", "gpfs", nsd, "-o", out}).status, kBadUse);
  const Said checked = laggard({"system", "check", out});
  EXPECT_EQ(checked.status, kClean) << checked.err;
  EXPECT_THAT(checked.out, HasSubstr("sound: 2 servers, 1 array, 2 controllers, 3 LUNs, 6 attachments"));
  EXPECT_THAT(checked.out, HasSubstr("LUNs, priority 2       3 members  a_lun0.fs2 … a_lun2.fs2"));
}

TEST_F(SystemCommand, ImportNamesHostsAfterTheirFiles) {
  std::vector<std::string> words{"system", "import", "lustre"};
  for (const char* host : {"oss1", "oss2"}) {
    const std::string ost = std::string("s-OST000") + host[3];
    words.push_back(
        write((std::string(host) + ".txt").c_str(), "1 UP obdfilter " + ost + " " + ost + "_UUID 5\n"));
  }
  words.push_back("oss3=" + write("dl", "1 UP obdfilter s-OST0003 s-OST0003_UUID 5\n"));
  const Said said = laggard(words);
  EXPECT_EQ(said.status, kClean) << said.err;
  EXPECT_THAT(said.out, HasSubstr("name    = \"oss[1-3]\""));
}

TEST_F(SystemCommand, ImportSaysWhatIsWrong) {
  const std::string nothing = write("nothing", "x\n");
  const Said bad = laggard({"system", "import", "gpfs", nothing});
  EXPECT_EQ(bad.status, kBadUse);
  EXPECT_THAT(bad.err, HasSubstr("holds no output of mmlsnsd"));
  EXPECT_THAT(laggard({"system", "import", "lustre", path("rec")}).err,
              HasSubstr("no copy of /proc/fs/lustre"));
  EXPECT_EQ(laggard({"system", "import", "gpfs", path("absent")}).status, kBadUse);
}

}  // namespace
}  // namespace laggard::cmd
