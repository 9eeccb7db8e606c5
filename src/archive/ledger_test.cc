#include "archive/ledger.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <thread>

#include "testing/archive.h"

namespace laggard::archive {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace): the archive's own test support.
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Decision decision(DecisionKind kind, std::string subject, std::optional<WallTime> from = std::nullopt) {
  return {.kind = kind,
          .subject = std::move(subject),
          .from = from,
          .made = "2011-05-10T08:00:00Z"_utc,
          .by = "ann",
          .why = "drive 3 of the tier 'replaced'; see #17\nand Ärger"};
}

class Ledger : public ::testing::Test {
 protected:
  [[nodiscard]] std::filesystem::path file() const { return ledger_of(dir_.path()); }
  void add(const Decision& one) { ASSERT_OK(add_to_ledger(file(), std::span(&one, 1))); }

  TempDir dir_;
};

TEST_F(Ledger, WhatWasDecidedComesBackInItsOrder) {
  EXPECT_THAT(read_ledger(file()).value(), IsEmpty());
  const Decision first = decision(DecisionKind::kExcluded, "fs3/sdb", "2011-05-09T12:00:00.5Z"_utc);
  const Decision second = decision(DecisionKind::kNoted, "fs3-disk-busy-20110509T120000Z");
  add(first);
  add(second);
  EXPECT_THAT(read_ledger(file()).value(), ElementsAre(first, second));
}

TEST_F(Ledger, KeepsWhatTheIncidentWasAndWhatATakenBackDecisionWas) {
  Decision excluded = decision(DecisionKind::kExcluded, "fs3-sdb-slower-20110509T120000Z");
  excluded.about = KnownIncident{.id = excluded.subject,
                                 .blamed = "fs3",
                                 .cause = "disk-busy",
                                 .since = "2011-05-09T11:58:00Z"_utc,
                                 .until = "2011-05-09T14:00:00.25Z"_utc,
                                 .components = {"fs3/sdb", "fs3/a\nname of two lines"}};
  Decision undone = decision(DecisionKind::kUndone, excluded.subject);
  undone.undoes = excluded.made;
  add(excluded);
  add(decision(DecisionKind::kNoted, "fs1"));
  add(undone);
  EXPECT_THAT(read_ledger(file()).value(),
              ElementsAre(excluded, decision(DecisionKind::kNoted, "fs1"), undone));
}

/// Runs SQL on a ledger as another program would.
void tamper(const std::filesystem::path& file, const char* sql) {
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(file.c_str(), &database), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(database, sql, nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(database);
  sqlite3_close(database);
}

TEST_F(Ledger, OneOfVersionOneIsReadAndGoesOnWithTheNextDecision) {
  const Decision old = decision(DecisionKind::kExcluded, "fs3/sdb");
  add(old);
  tamper(file(), "DROP TABLE detail; PRAGMA user_version=1");
  EXPECT_THAT(read_ledger(file()).value(), ElementsAre(old));
  Decision undone = decision(DecisionKind::kUndone, "fs3/sdb");
  undone.undoes = old.made;
  add(undone);
  EXPECT_THAT(read_ledger(file()).value(), ElementsAre(old, undone));
}

TEST_F(Ledger, ADetailThatWasChangedOrBelongsToNoDecisionIsDamage) {
  Decision undone = decision(DecisionKind::kUndone, "fs3/sdb");
  undone.undoes = undone.made;
  add(undone);
  const std::string sound = read_file(file()).value();
  for (const char* sql : {"UPDATE detail SET value='2011-05-10T08:00:01Z'", "UPDATE detail SET what='since'",
                          "UPDATE detail SET decision=7", "DELETE FROM decision"}) {
    tamper(file(), sql);
    const auto read = read_ledger(file());
    ASSERT_FALSE(read) << sql;
    EXPECT_EQ(read.error().code, ErrorCode::kDamaged) << sql;
    write_bytes(file(), sound);
  }
  EXPECT_THAT(read_ledger(file()).value(), ElementsAre(undone));
}

TEST_F(Ledger, WhoWasKilledInTheMiddleOfADecisionHasTakenNone) {
  const Decision one = decision(DecisionKind::kExcluded, "fs3/sdb");
  add(one);
  const pid_t child = ::fork();
  if (child == 0) {
    // A cache of a page: what is inserted goes to the file long before it is committed.
    sqlite3* connection = nullptr;
    sqlite3_open(file().c_str(), &connection);
    sqlite3_exec(connection, "PRAGMA cache_size=1; BEGIN IMMEDIATE", nullptr, nullptr, nullptr);
    for (int i = 0; i < 50; ++i) {
      sqlite3_exec(connection,
                   "INSERT INTO decision(kind, subject, since, made, who, why, hash)"
                   " VALUES('noted', 'x', '', '', '', hex(zeroblob(4000)), 0)",
                   nullptr, nullptr, nullptr);
    }
    ::raise(SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  const std::filesystem::path journal = file().string() + "-journal";
  ASSERT_TRUE(std::filesystem::exists(journal)) << "the kill came too early";
  const std::string left = read_file(file()).value() + read_file(journal).value();
  const std::filesystem::path link = dir_.path() / "link.lgl";
  std::filesystem::create_symlink(file(), link);
  for (const std::filesystem::path& path : {file(), link}) {
    const auto read = read_ledger(path);
    ASSERT_OK(read);
    EXPECT_THAT(*read, ElementsAre(one));
  }
  // Who may only read could not have rolled it back.
  EXPECT_EQ(read_file(file()).value() + read_file(journal).value(), left);
  const Decision two = decision(DecisionKind::kRepaired, "fs3/sdb");
  add(two);
  EXPECT_FALSE(std::filesystem::exists(journal));
  EXPECT_THAT(read_ledger(file()).value(), ElementsAre(one, two));
}

TEST_F(Ledger, AtNoMomentOfItsBeginningIsItHalfThere) {
  const Decision one = decision(DecisionKind::kExcluded, "fs3/sdb");
  for (int microseconds = 0; microseconds < 4000; microseconds += 50) {
    const pid_t child = ::fork();
    if (child == 0) {
      const bool added = add_to_ledger(file(), std::span(&one, 1)).has_value();
      ::_exit(added ? 0 : 1);
    }
    ::usleep(static_cast<useconds_t>(microseconds));
    ::kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    const auto read = read_ledger(file());
    ASSERT_OK(read);
    EXPECT_LE(read->size(), 1U);
    add(one);
    EXPECT_GE(read_ledger(file()).value().size(), 1U);
    std::filesystem::remove(file());
  }
}

TEST_F(Ledger, ManyMayAddAtTheSameTime) {
  constexpr std::size_t kPeople = 4;
  constexpr std::size_t kEach = 10;
  std::vector<std::jthread> people;
  for (std::size_t p = 0; p < kPeople; ++p) {
    people.emplace_back([&, p] {
      for (std::size_t i = 0; i < kEach; ++i) {
        const Decision one = decision(DecisionKind::kRepaired, fmt::format("fs{}", p));
        EXPECT_TRUE(add_to_ledger(file(), std::span(&one, 1)));
      }
    });
  }
  people.clear();
  EXPECT_THAT(read_ledger(file()).value(), SizeIs(kPeople * kEach));
}

TEST_F(Ledger, APipeInThePlaceOfItsJournalIsNotWaitedFor) {
  const Decision one = decision(DecisionKind::kNoted, "fs1");
  add(one);
  ASSERT_EQ(::mkfifo((file().string() + "-journal").c_str(), 0600), 0);
  const auto read = read_ledger(file());
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().message(), HasSubstr("ledger.lgl-journal: is no file"));
  EXPECT_FALSE(add_to_ledger(file(), std::span(&one, 1)));
}

TEST_F(Ledger, AFileThatIsSomethingElseIsLeftAlone) {
  for (const std::string& content : {std::string("# my notes\n"), std::string(5000, 'x')}) {
    write_bytes(file(), content);
    EXPECT_FALSE(read_ledger(file()));
    const Decision one = decision(DecisionKind::kNoted, "fs1");
    EXPECT_FALSE(add_to_ledger(file(), std::span(&one, 1)));
    EXPECT_EQ(read_file(file()).value(), content);
  }
}

TEST_F(Ledger, AnotherDatabaseOrVersionIsRefusedByName) {
  add(decision(DecisionKind::kNoted, "fs1"));
  set_user_version(file(), 7);
  const auto newer = read_ledger(file());
  ASSERT_FALSE(newer);
  EXPECT_EQ(newer.error().code, ErrorCode::kTooNew);
  EXPECT_THAT(newer.error().message(), HasSubstr("ledger format 7"));
  std::filesystem::remove(file());
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(file().c_str(), &database), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(database, "CREATE TABLE music(title)", nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(database);
  const Decision one = decision(DecisionKind::kNoted, "fs1");
  const Status added = add_to_ledger(file(), std::span(&one, 1));
  ASSERT_FALSE(added);
  EXPECT_EQ(added.error().code, ErrorCode::kBadInput);
  EXPECT_THAT(added.error().message(), HasSubstr("is no operators' ledger"));
}

TEST_F(Ledger, NoDamageGivesADecisionThatNobodyMade) {
  const Decision one = decision(DecisionKind::kExcluded, "fs3/sdb", "2011-05-09T12:00:00Z"_utc);
  add(one);
  const std::string sound = read_file(file()).value();
  std::size_t refused = 0;
  for (std::size_t at = 0; at < sound.size(); at += at < 200 ? 1 : 7) {
    std::string bytes = sound;
    bytes[at] = static_cast<char>(bytes[at] ^ 0x55);
    write_bytes(file(), bytes);
    const auto read = read_ledger(file());
    refused += read ? 0U : 1U;
    if (!read) continue;
    EXPECT_THAT(*read, ::testing::AnyOf(IsEmpty(), ElementsAre(one))) << at;
  }
  EXPECT_GT(refused, 50U);
}

}  // namespace
}  // namespace laggard::archive
