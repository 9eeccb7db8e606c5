#include "collect/pings/directory_pin.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "base/file.h"
#include "collect/pings/directory_target.h"
#include "collect/pings/gpfs_target.h"
#include "collect/pings/lustre_target.h"
#include "collect/pings/moosefs_target.h"
#include "testing/fake_machine.h"

namespace laggard::collect {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

/// What a pin was asked, and what it answers.
struct Pinned {
  int making = 0;   ///< errno
  int checked = 0;  ///< errno
  int made = 0;     ///< Times.
};

class FakePin final : public DirectoryPin {
 public:
  explicit FakePin(Pinned& pinned) : pinned_(pinned) {}
  [[nodiscard]] int make(const fs::path& directory) override {
    ++pinned_.made;
    if (pinned_.making == 0) fs::create_directory(directory);
    return pinned_.making;
  }
  [[nodiscard]] int check(const fs::path& file) override {
    EXPECT_TRUE(fs::exists(file));
    return pinned_.checked;
  }

 private:
  Pinned& pinned_;
};

class PinnedDirectory : public testing::Test {
 protected:
  PingResult run(PingOperation operation) {
    phases_.clear();
    return target_.run(operation, [&](PingPhase phase) { phases_.push_back(phase); });
  }
  [[nodiscard]] std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(directory_), fs::directory_iterator()));
  }

  FakeRoot machine_;
  Pinned pinned_;
  fs::path directory_ = machine_.path() / "pinned";
  DirectoryTarget target_{directory_, {.owner = this_owner("/", "c1")}, std::make_unique<FakePin>(pinned_)};
  std::vector<PingPhase> phases_;
};

TEST_F(PinnedDirectory, IsMadeAndItsFilesAreAskedWhereTheyLie) {
  EXPECT_EQ(run(PingOperation::kCreateWrite).error, 0);
  EXPECT_THAT(phases_, ElementsAre(PingPhase::kUnderWay, PingPhase::kPreparing));
  EXPECT_EQ(run(PingOperation::kWriteExisting).error, 0);
  EXPECT_THAT(phases_, ElementsAre(PingPhase::kUnderWay, PingPhase::kPreparing, PingPhase::kUnderWay));
  EXPECT_EQ(run(PingOperation::kWriteExisting).error, 0);
  EXPECT_EQ(phases_.back(), PingPhase::kUnderWay);
  EXPECT_EQ(run(PingOperation::kRemoveExisting).error, 0);
  EXPECT_EQ(files(), 1U);
  EXPECT_EQ(pinned_.made, 1);
  target_.remove_own();
  EXPECT_FALSE(fs::exists(directory_));
}

TEST_F(PinnedDirectory, AFileThatLiesElsewhereIsRemovedAndNotCounted) {
  pinned_.checked = EXDEV;
  for (const PingOperation operation : kPingOperations) EXPECT_TRUE(run(operation).skipped);
  EXPECT_EQ(run(PingOperation::kCreateWrite).error, EXDEV);
  EXPECT_EQ(files(), 0U);
}

TEST_F(PinnedDirectory, WhereItCannotBeMadeProbesAreSkippedUntilItCan) {
  pinned_.making = ENODEV;
  const PingResult result = run(PingOperation::kCreateWrite);
  EXPECT_TRUE(result.skipped);
  EXPECT_EQ(result.error, ENODEV);
  EXPECT_THAT(phases_, IsEmpty());
  pinned_.making = 0;
  EXPECT_EQ(run(PingOperation::kCreateWrite).error, 0);
  fs::remove_all(directory_);
  EXPECT_EQ(run(PingOperation::kCreateWrite).error, ENOENT) << "it has vanished";
  EXPECT_EQ(run(PingOperation::kCreateWrite).error, 0) << "and is made anew";
}

TEST(RunTool, SaysWhatFailed) {
  const std::vector<std::string> words{"sh", "-c", "echo out; echo 'no such class' >&2; exit 3"};
  const auto said = run_tool(words);
  ASSERT_FALSE(said);
  EXPECT_EQ(said.error().message(), "sh: exited with status 3: no such class");
  const std::vector<std::string> missing{"laggard-no-such-tool"};
  EXPECT_EQ(run_tool(missing).error().code, ErrorCode::kNotFound);
}

TEST(LustreParts, AreReadFromWhatLfsPrints) {
  const LustreParts parts = parse_lfs_targets(
      "OBDS:\n0: scratch-OST0000_UUID ACTIVE\n26: scratch-OST001a_UUID INACTIVE\n"
      "MDTS:\n1: my-fs-MDT0001_UUID ACTIVE\n2: scratch-OST00_UUID ACTIVE\nnonsense\n");
  EXPECT_THAT(parts.active,
              ElementsAre(LustrePart{"scratch-OST0000", false, 0}, LustrePart{"my-fs-MDT0001", true, 1}));
  EXPECT_THAT(parts.inactive, ElementsAre("scratch-OST001a"));
  for (const char* name :
       {"OST0000", "-OST0000", "scratch-OST000g", "scratch-OSS0000", "scratch-OST00000", ""})
    EXPECT_FALSE(parse_lustre_part(name)) << name;
  EXPECT_EQ(parse_lustre_part("scratch-OST001a")->index, 26U);
}

/// A made-up `lfs`, which notes its words and remembers where a directory's files lie: no Lustre is here.
class FakeLustre : public testing::Test {
 protected:
  FakeLustre() {
    struct statfs here {};
    EXPECT_EQ(::statfs(machine_.path().c_str(), &here), 0);
    client_ = {.lfs = (machine_.path() / "lfs").string(), .file_system = here.f_type};
    const std::string folder = machine_.path().string();
    machine_.write("lfs",
                   "#!/bin/sh\necho \"$@\" >>" + folder + "/words\n" +
                       "case $1 in\n"
                       "osts) printf 'OBDS:\\n3: s-OST0003_UUID ACTIVE\\n4: s-OST0004_UUID INACTIVE\\n';;\n"
                       "mdts) printf 'MDTS:\\n1: s-MDT0001_UUID ACTIVE\\n';;\n"
                       "mkdir) mkdir \"$4\";;\n"
                       "setstripe) test -d \"$6\" || exit 1;;\n"
                       "getstripe) cat " +
                       folder +
                       "/index;;\n"
                       "esac\n");
    ::chmod(client_.lfs.c_str(), 0755);
    machine_.folder("mount");
    machine_.write("index", "3\n");
  }
  [[nodiscard]] std::string mount() const { return (machine_.path() / "mount").string(); }
  [[nodiscard]] std::string words() const { return read_file(machine_.path() / "words").value_or(""); }

  FakeRoot machine_;
  LustreClient client_;
};

TEST_F(FakeLustre, FindsItsTargets) {
  const auto listing = list_lustre(mount(), client_);
  ASSERT_TRUE(listing) << listing.error().message();
  ASSERT_THAT(listing->targets, SizeIs(2));
  EXPECT_EQ(listing->targets[0].name, "s-OST0003");
  EXPECT_EQ(listing->targets[1].place, "s-MDT0001");
  ASSERT_THAT(listing->notes, SizeIs(1));
  EXPECT_THAT(listing->notes[0], HasSubstr("inactive on this client: s-OST0004"));
  const auto other = list_lustre(mount(), {.lfs = client_.lfs});
  ASSERT_FALSE(other);
  EXPECT_THAT(other.error().message(), HasSubstr("is not on a mounted Lustre"));
  const auto without = list_lustre(mount(), {.lfs = "laggard-no-lfs", .file_system = client_.file_system});
  ASSERT_FALSE(without);
  EXPECT_THAT(without.error().message(), HasSubstr("laggard-no-lfs"));
}

TEST_F(FakeLustre, FilesOfAnOstAreStripedOverItAlone) {
  const fs::path directory = fs::path(mount()) / "pings";
  LustrePin pin(*parse_lustre_part("s-OST0003"), client_);
  EXPECT_EQ(pin.make(directory), 0);
  EXPECT_EQ(words(), "setstripe -c 1 -i 3 " + directory.string() + "\n");
  EXPECT_EQ(pin.make(directory), 0) << "it is there already";
  EXPECT_EQ(pin.check(directory / "f"), 0);
  EXPECT_THAT(words(), HasSubstr("getstripe -i " + (directory / "f").string()));
  machine_.write("index", "0\n");
  EXPECT_EQ(pin.check(directory / "f"), EXDEV);
  machine_.write("index", "\n");
  EXPECT_EQ(pin.check(directory / "f"), EBADMSG);
  LustrePin elsewhere(*parse_lustre_part("s-OST0003"), {.lfs = client_.lfs});
  EXPECT_EQ(elsewhere.make(directory), ENODEV) << "no Lustre is mounted there";
}

TEST_F(FakeLustre, FilesOfAnMdtAreThereWithTheirData) {
  const fs::path directory = fs::path(mount()) / "pings";
  LustrePin pin(*parse_lustre_part("s-MDT0001"), client_);
  EXPECT_EQ(pin.make(directory), 0);
  EXPECT_EQ(words(),
            "mkdir -i 1 " + directory.string() + "\nsetstripe -E 64K -L mdt " + directory.string() + "\n");
  machine_.write("index", "1\n");
  EXPECT_EQ(pin.check(directory / "f"), 0);
  EXPECT_THAT(words(), HasSubstr("getstripe -m "));
}

TEST(MooseFs, ChunkserversWithALabelOfTheirOwnAreTargets) {
  const auto servers = parse_moosefs_servers(
      "chunk servers:\t10.0.0.1\t9422\t1\tA\t3.0.117\n"
      "chunk servers:\t10.0.0.2\t9422\t2\tA,B\t3.0.117\n"
      "chunk servers:\t10.0.0.2\t9423\t3\tC\t3.0.117\n"
      "chunk servers:\t10.0.0.3\t9422\t4\t-\t3.0.117\nchunk servers:\t10.0.0.4\ndisks:\tx\n");
  ASSERT_THAT(servers, SizeIs(4));
  EXPECT_EQ(servers[1], (MooseFsServer{"10.0.0.2:9422", {"A", "B"}}));
  const PingListing listing = moosefs_targets(servers, "/mnt/mfs");
  ASSERT_THAT(listing.targets, SizeIs(2));
  EXPECT_EQ(listing.targets[0].name, "10.0.0.2:9422") << "two are on this host";
  EXPECT_EQ(listing.targets[0].place, "B");
  EXPECT_EQ(listing.targets[0].known, "10.0.0.2:9422");
  EXPECT_EQ(listing.targets[1].place, "C");
  ASSERT_THAT(listing.notes, SizeIs(1));
  EXPECT_THAT(listing.notes[0], HasSubstr("mfschunkserver.cfg): 10.0.0.1:9422, 10.0.0.3:9422"));
  const auto alone = moosefs_targets({{"10.0.0.1:9422", {"A"}}}, "/mnt/mfs");
  EXPECT_EQ(alone.targets.at(0).name, "10.0.0.1");
}

TEST(MooseFs, TheMasterIsWhomTheMountAsks) {
  EXPECT_EQ(parse_moosefs_master("mfsmaster: 10.0.0.100\nmfsport: 9421\nmfsproxy: 127.0.0.1\n"),
            (MooseFsMaster{"10.0.0.100", "9421"}));
  EXPECT_EQ(parse_moosefs_master("mfsmaster: mfs1\nmfsproxy: 127.0.0.1\n"), std::nullopt);
  EXPECT_EQ(parse_moosefs_master("mfsmaster:\nmfsport: 9421\n"), std::nullopt);
}

TEST(MooseFs, CopiesAreReadFromMfsfileinfo) {
  EXPECT_THAT(parse_moosefs_copies(
                  "f:\n\tchunk 0: 0000000000000001_00000001 / (id:1 ver:1)\n"
                  "\t\tcopy 1: 10.0.0.1:9422 (status:VALID)\n\t\tcopy 2: 10.0.0.2:9422 (status:VALID)\n"),
              ElementsAre("10.0.0.1:9422", "10.0.0.2:9422"));
  EXPECT_THAT(parse_moosefs_copies("f:\n\tno chunks - empty file\n"), IsEmpty());
}

TEST(Gpfs, APlaceIsADirectoryAndTheirPoolIfItIsTold) {
  EXPECT_EQ(parse_gpfs_place("p1:/gpfs/a"), (GpfsPlace{"p1", "/gpfs/a"}));
  EXPECT_EQ(parse_gpfs_place("/gpfs/a:/b"), (GpfsPlace{"", "/gpfs/a:/b"}));
  for (const char* place : {"gpfs", ":/gpfs", "p1:", ""}) EXPECT_FALSE(parse_gpfs_place(place)) << place;
}

TEST(Gpfs, FilesAreAskedForTheirPool) {
  EXPECT_EQ(parse_mmlsattr_pool("file name:            f\nstorage pool name:    p1\nfileset name: pings1\n"),
            "p1");
  EXPECT_FALSE(parse_mmlsattr_pool("storage pool name:\n"));
  FakeRoot machine;
  machine.write("mmlsattr", "#!/bin/sh\necho 'storage pool name:    p1'\n");
  const std::string tool = (machine.path() / "mmlsattr").string();
  ::chmod(tool.c_str(), 0755);
  EXPECT_EQ(GpfsPin({"p1", "/d"}, tool).check("/d/f"), 0);
  EXPECT_EQ(GpfsPin({"p2", "/d"}, tool).check("/d/f"), EXDEV);
  EXPECT_EQ(GpfsPin({"p2", "/d"}, "/no/such/mmlsattr").check("/d/f"), ENOENT);
  EXPECT_EQ(GpfsPin({"", "/d"}, "/no/such/mmlsattr").check("/d/f"), 0) << "nobody said which pool";
  EXPECT_EQ(GpfsPin({"p1", "/d"}, tool).make(machine.path() / "pings"), ENODEV) << "no GPFS is mounted there";
}

}  // namespace
}  // namespace laggard::collect
