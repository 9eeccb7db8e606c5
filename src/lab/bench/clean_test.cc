// Cleaning up journals and state folders that a killed bench left behind, or that others put there.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "base/file.h"
#include "lab/bench/bench.h"
#include "lab/bench/folders.h"
#include "testing/fake_bench_machine.h"

namespace laggard::lab::bench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

/// The journal and the state folder are files; the rest of the machine is not real.
class CleanTest : public testing::Test {
 protected:
  CleanTest() {
    std::filesystem::create_directories(root_);
    layout_.root = root_;
    layout_.instance = instance_.id;
  }
  ~CleanTest() override { std::filesystem::remove_all(root_); }
  /// A journal as a killed bench leaves it.
  void leave_journal(const std::vector<Change>& changes = {}) {
    auto journal = FileJournal::create(layout_.journal(), instance_);
    ASSERT_TRUE(journal) << journal.error().message();
    for (const Change& change : changes) ASSERT_TRUE(journal->enter(change));
  }
  [[nodiscard]] std::string clean_says() {
    Layout layout = layout_;
    layout.instance.clear();
    const auto cleaned = clean(machine_, layout, [](const std::string&) {});
    return cleaned ? (*cleaned ? "cleaned" : "nothing") : cleaned.error().message();
  }
  [[nodiscard]] std::vector<std::string> left() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root_)) {
      names.push_back(entry.path().lexically_relative(root_).native());
    }
    std::sort(names.begin(), names.end());
    return names;
  }
  std::filesystem::path root_ =
      std::filesystem::temp_directory_path() / ("laggard-clean-" + std::to_string(::getpid()));
  Instance instance_ = new_instance().value();
  Layout layout_;
  FakeMachine machine_;
};

TEST_F(CleanTest, NothingIsThere) {
  EXPECT_EQ(clean_says(), "nothing");
  EXPECT_THAT(left(), IsEmpty());
}

TEST_F(CleanTest, ABenchThatWasKilledIsGoneWithItsFolder) {
  leave_journal();
  ASSERT_TRUE(make_state_folder(layout_));
  ASSERT_TRUE(write_file(layout_.state() / "s1.vol", "x"));
  std::filesystem::create_directory_symlink("/etc", layout_.logs() / "link");
  EXPECT_EQ(clean_says(), "cleaned");
  EXPECT_THAT(left(), IsEmpty());
  EXPECT_TRUE(std::filesystem::exists("/etc/passwd"));
}

TEST_F(CleanTest, KilledWhileItsFolderWasMadeOrRemoved) {
  leave_journal();
  EXPECT_EQ(clean_says(), "cleaned");  // Before.
  leave_journal();
  std::filesystem::create_directories(layout_.nameless_state() /
                                      "log");  // Without its mark yet, or any more.
  EXPECT_EQ(clean_says(), "cleaned");
  EXPECT_THAT(left(), IsEmpty());
}

TEST_F(CleanTest, AFolderThatIsNotProvenIsNotTouched) {
  const auto foreign = [&](const std::string& what) {
    EXPECT_THAT(clean_says(), HasSubstr("nothing was touched")) << what;
    EXPECT_THAT(machine_.log, IsEmpty()) << what;
  };
  leave_journal({{Setting::kCongestionControl, "", "reno"}});
  std::filesystem::create_directories(layout_.state() / "log");
  foreign("without a mark");
  ASSERT_TRUE(write_file(layout_.state() / "instance", std::string(32, '0') + "\n"));
  foreign("with another one's mark");
  ASSERT_TRUE(write_file(layout_.state() / "instance", instance_.id));
  foreign("with half a mark");
  std::filesystem::remove(layout_.state() / "instance");
  ASSERT_TRUE(write_file(root_ / "mark", instance_.id + "\n"));
  std::filesystem::create_symlink(root_ / "mark", layout_.state() / "instance");
  foreign("with a link to a mark");
  std::filesystem::remove(layout_.state() / "instance");
  std::filesystem::rename(root_ / "mark", layout_.state() / "instance");
  ASSERT_EQ(::chmod(layout_.state().c_str(), 0777), 0);
  foreign("open to all");
  ASSERT_EQ(::chmod(layout_.state().c_str(), 0700), 0);
  std::filesystem::rename(layout_.state(), root_ / "elsewhere");
  std::filesystem::create_directory_symlink(root_ / "elsewhere", layout_.state());
  foreign("a link");
  std::filesystem::remove(layout_.state());
  ASSERT_TRUE(write_file(layout_.state(), "a file"));
  foreign("a file");
  std::filesystem::remove(layout_.state());
  if (::geteuid() == 0) {
    std::filesystem::rename(root_ / "elsewhere", layout_.state());
    ASSERT_EQ(::chown(layout_.state().c_str(), 12345, 12345), 0);
    foreign("another user's");
    std::filesystem::rename(layout_.state(), root_ / "elsewhere");
    ASSERT_EQ(::chown((root_ / "elsewhere").c_str(), 0, 0), 0);
  }
  std::filesystem::rename(root_ / "elsewhere", layout_.state());
  machine_.files[kAllowedControl] = "reno";
  EXPECT_EQ(clean_says(), "cleaned");
}

TEST_F(CleanTest, AFolderWithoutAJournalIsNotTouched) {
  ASSERT_TRUE(make_state_folder(layout_));
  EXPECT_THAT(clean_says(), HasSubstr("would say whose it is; it is left alone"));
  EXPECT_TRUE(std::filesystem::exists(layout_.logs()));
}

TEST_F(CleanTest, APlantedJournalDoesNothing) {
  std::filesystem::create_directories(root_ / "home");
  for (const std::string& text :
       {"folder\t" + (root_ / "home").string() + "\t\n", "setting\t" + (root_ / "file").string() + "\tx\n",
        to_line(instance_) + "folder\t" + (root_ / "home").string() + "\t\n", std::string("\n"),
        std::string()}) {
    ASSERT_TRUE(write_file(layout_.journal(), text));
    ASSERT_EQ(::chmod(layout_.journal().c_str(), 0600), 0);
    EXPECT_THAT(clean_says(), HasSubstr("nothing was touched")) << text;
    EXPECT_THAT(machine_.log, IsEmpty());
    EXPECT_THAT(left(), ElementsAre("home", "laggard-bench.journal"));
  }
}

TEST_F(CleanTest, AJournalOfAnotherBootDoesNothing) {
  instance_.boot = "01234567-89ab-cdef-0123-456789abcdef";
  leave_journal();
  ASSERT_TRUE(make_state_folder(layout_));
  EXPECT_THAT(clean_says(), StartsWith(layout_.journal().string() + ":1: its bench was built before"));
  EXPECT_THAT(machine_.log, IsEmpty());
  EXPECT_TRUE(std::filesystem::exists(layout_.logs()));
}

TEST_F(CleanTest, AnExistingFolderIsNeverTakenOver) {
  std::filesystem::create_directories(layout_.state() / "mine");
  const auto built = Bench::build(machine_, layout_, {}, [](const std::string&) {});
  ASSERT_FALSE(built);
  EXPECT_THAT(built.error().message(), HasSubstr("is there already"));
  EXPECT_THAT(machine_.log, IsEmpty());
  EXPECT_THAT(left(), ElementsAre("laggard-bench", "laggard-bench/mine"));
}

TEST_F(CleanTest, AnEmptyFolderAndALinkAreNotTakenOverEither) {
  std::filesystem::create_directories(layout_.state());
  EXPECT_FALSE(make_state_folder(layout_));
  ASSERT_TRUE(remove_state_folder(layout_));
  std::filesystem::remove(layout_.state());
  std::filesystem::create_directory_symlink("/tmp", layout_.state());
  EXPECT_FALSE(make_state_folder(layout_));
  ASSERT_TRUE(remove_state_folder(layout_));
  EXPECT_THAT(left(), ElementsAre("laggard-bench"));
}

}  // namespace
}  // namespace laggard::lab::bench
