// Packed files that were damaged on their way: however they are damaged, no wrong value is taken.
#include "collect/import/members.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "base/file.h"
#include "collect/import/csv/import.h"
#include "testing/import_fixture.h"

namespace laggard::collect {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class Packed : public FolderTest {
 protected:
  void SetUp() override {
    write("a.csv", text(1));
    write("b.csv", text(2));
    ASSERT_EQ(shell("gzip -nc a.csv > a.gz; (gzip -nc a.csv; tail -n +2 b.csv | gzip -nc) > two.gz; "
                    "tar czf all.tar.gz a.csv b.csv"),
              0);
  }

  static std::string text(int disk) {
    std::string text = "time,host,kind,device,counter,value\n";
    for (int t = 0; t < 12; ++t) {
      text += std::to_string(1795202494 + t) + ",fs1,disk,sd" + std::to_string(disk) + ",rd_ios," +
              std::to_string(t * t * 1234567 % 99991) + "\n";
    }
    return text;
  }

  struct Outcome {
    std::map<std::string, std::vector<std::pair<std::int64_t, double>>> series;
    std::vector<std::string> errors;
  };
  static Outcome import(const std::filesystem::path& file) {
    MemorySink sink;
    QuietObserver observer;
    Outcome outcome;
    auto result = import_csv(std::span(&file, 1), {}, sink, observer);
    EXPECT_TRUE(result) << result.error().message();
    if (!result) return outcome;
    for (const Error& error : result->errors) outcome.errors.push_back(error.message());
    for (const auto& [name, points] : sink.series) outcome.series[name].assign(points.begin(), points.end());
    return outcome;
  }
};

TEST_F(Packed, AFlippedBitAnywhereInGzipIsFoundBeforeAnythingIsTaken) {
  for (const char* name : {"a.gz", "two.gz", "all.tar.gz"}) {
    const std::string sound = read_file(folder_ / name).value();
    const Outcome whole = import(folder_ / name);
    ASSERT_THAT(whole.errors, IsEmpty());
    std::size_t found = 0;
    for (std::size_t at = 0; at < sound.size(); ++at) {
      for (const int bit : {1, 128}) {
        SCOPED_TRACE(std::string(name) + " at " + std::to_string(at));
        std::string bytes = sound;
        bytes[at] = static_cast<char>(bytes[at] ^ bit);
        const Outcome outcome = import(write("flipped", bytes));
        // The time, the system and the text flag in gzip's header are in no checksum and do not matter.
        if (outcome.errors.empty()) {
          EXPECT_EQ(outcome.series, whole.series);
          continue;
        }
        ++found;
        EXPECT_THAT(outcome.errors, SizeIs(1));
        EXPECT_THAT(outcome.series, IsEmpty());
      }
    }
    EXPECT_GE(found, 2 * (sound.size() - 14)) << name;
  }
}

TEST_F(Packed, AGzipFileThatIsCutAnywhereGivesNothing) {
  for (const char* name : {"a.gz", "two.gz", "all.tar.gz"}) {
    const std::string sound = read_file(folder_ / name).value();
    const std::size_t first_of_two = read_file(folder_ / "a.gz").value().size();
    for (std::size_t size = 2; size < sound.size(); ++size) {
      if (size == first_of_two && std::string_view(name) == "two.gz") continue;  // A whole file as well.
      const Outcome outcome = import(write("cut", sound.substr(0, size)));
      ASSERT_THAT(outcome.errors, SizeIs(1)) << name << " cut to " << size;
      EXPECT_THAT(outcome.errors[0], HasSubstr("cut: is cut off in the middle of its packed data"));
      EXPECT_THAT(outcome.series, IsEmpty());
    }
  }
}

TEST_F(Packed, BehindGzipDataThereMayBeZerosOnly) {
  const std::string sound = read_file(folder_ / "a.gz").value();
  const Outcome padded = import(write("padded", sound + std::string(1000, '\0')));
  EXPECT_THAT(padded.errors, IsEmpty());
  EXPECT_THAT(padded.series, SizeIs(1));
  for (const std::string& behind :
       {std::string("x"), std::string("\0\0\0x", 4), std::string("\0", 1) + sound}) {
    const Outcome outcome = import(write("more", sound + behind));
    ASSERT_THAT(outcome.errors, SizeIs(1));
    EXPECT_THAT(outcome.errors[0], HasSubstr("more: is damaged"));
    EXPECT_THAT(outcome.series, IsEmpty());
  }
}

TEST_F(Packed, OtherPackersAreReadToTheirEndBeforeAnythingIsTaken) {
  ASSERT_EQ(shell("xz -c a.csv > a.xz; bzip2 -c a.csv > a.bz2; zstd -qc a.csv > a.zst"), 0);
  for (const char* name : {"a.xz", "a.bz2", "a.zst"}) {
    const std::string sound = read_file(folder_ / name).value();
    const Outcome whole = import(folder_ / name);
    ASSERT_THAT(whole.errors, IsEmpty());
    for (std::size_t at = 0; at < sound.size(); ++at) {
      std::string bytes = sound;
      bytes[at] = static_cast<char>(bytes[at] ^ 16);
      const Outcome outcome = import(write("flipped", bytes));
      EXPECT_EQ(outcome.series, outcome.errors.empty() ? whole.series : Outcome{}.series)
          << name << " at " << at;
    }
  }
}

TEST_F(Packed, APipeIsReadOnceAndCheckedTheSame) {
  const std::filesystem::path pipe = folder_ / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::string flipped = read_file(folder_ / "a.gz").value();
  flipped[flipped.size() - 6] ^= 1;
  for (const auto& [content, errors] :
       {std::pair(text(1), 0), std::pair(read_file(folder_ / "a.gz").value(), 0), std::pair(flipped, 1)}) {
    std::jthread writer([&bytes = content, &pipe] { std::ofstream(pipe, std::ios::binary) << bytes; });
    const Outcome outcome = import(pipe);
    EXPECT_THAT(outcome.errors, SizeIs(errors));
    EXPECT_THAT(outcome.series, SizeIs(1 - errors));
  }
}

/// Text that packs extremely well.
TEST_F(Packed, WhatUnpacksToTooMuchIsRefusedBeforeAnythingIsTaken) {
  std::string idle = text(1);
  while (idle.size() < (3U << 20U)) idle += "1795202494,fs1,disk,sd1,rd_ios,1\n";
  write("idle.csv", idle);
  ASSERT_EQ(shell("gzip -nk idle.csv && xz -k idle.csv && bzip2 -k idle.csv && zstd -qk idle.csv && "
                  "tar cJf idle.tar.xz a.csv idle.csv && mkfifo pipe"),
            0);
  const UnpackLimits strict{.always = 1U << 20U, .ratio = 2, .most = std::nullopt};
  for (const std::string name :
       {"idle.csv.gz", "idle.csv.xz", "idle.csv.bz2", "idle.csv.zst", "idle.tar.xz"}) {
    MemorySink sink;
    QuietObserver observer;
    const std::vector files{folder_ / name};
    const auto result = import_csv(files, {}, sink, observer, strict);
    ASSERT_TRUE(result && result->errors.size() == 1) << name;
    EXPECT_THAT(result->errors.front().message(), HasSubstr("unpacks to more than 1.05 MB")) << name;
    EXPECT_EQ(sink.values(), 0U) << name;
    EXPECT_THAT(import_csv(files, {}, sink, observer, {})->errors, IsEmpty()) << name;
  }
  // The limit is for packed files: a plain file may be of any size.
  MemorySink sink;
  QuietObserver observer;
  const UnpackLimits one{.always = 1, .ratio = 1, .most = 1};
  EXPECT_THAT(import_csv(std::vector{folder_ / "idle.csv"}, {}, sink, observer, one)->errors, IsEmpty());
}

TEST_F(Packed, PackedOverAndOverIsRefused) {
  ASSERT_EQ(shell("cp a.csv x; for i in 1 2 3; do gzip -nc x >y; mv y x; done; cp x three; gzip -nc x >four"),
            0);
  EXPECT_THAT(import(folder_ / "three").errors, IsEmpty());
  EXPECT_THAT(import(folder_ / "four").errors, ElementsAre(HasSubstr("is packed over and over")));
}

/// Names appear in messages only, and entries that are not files are skipped.
TEST_F(Packed, MembersNeverLeaveTheArchive) {
  ASSERT_EQ(
      shell("mkdir d && cp a.csv d/ && mkfifo d/fifo && ln -s /etc/passwd d/link && ln d/a.csv d/hard && "
            "tar cPf evil.tar --transform='s,d/a.csv,../../../../tmp/laggard-escaped.csv,' d"),
      0);
  const Outcome outcome = import(folder_ / "evil.tar");
  EXPECT_THAT(outcome.errors, IsEmpty());
  EXPECT_THAT(outcome.series, SizeIs(1));
  EXPECT_FALSE(std::filesystem::exists("/tmp/laggard-escaped.csv"));
}

TEST_F(Packed, ANameOrANumberOfMembersThatNobodyHasIsRefused) {
  const std::string name(200, 'n');
  ASSERT_EQ(shell("p=.; for i in 1 2 3 4 5 6; do p=$p/" + name +
                  "; done; mkdir -p $p && cp a.csv $p/ && tar cf long.tar ./n*"),
            0);
  EXPECT_THAT(import(folder_ / "long.tar").errors, ElementsAre(HasSubstr("name is longer than 1024 bytes")));
  ASSERT_EQ(shell("for i in $(seq 30); do echo x >no$i; done; tar cf many.tar no* a.csv"), 0);
  MemorySink sink;
  QuietObserver observer;
  EXPECT_THAT(import_csv(std::vector{folder_ / "many.tar"}, {}, sink, observer)->errors, IsEmpty());
  EXPECT_THAT(observer.notices, SizeIs(21));
  EXPECT_THAT(observer.notices.back(), HasSubstr("left out: 10 more"));
}

}  // namespace
}  // namespace laggard::collect
