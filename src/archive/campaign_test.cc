// Damaged recordings: day files, their logs and their folder. Whatever has happened to them, reading returns
// only what was recorded, says so when anything is missing, and leaves every byte as it was.
#include <sys/stat.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "archive/format.h"
#include "archive/recover.h"
#include "testing/archive.h"

namespace laggard::archive {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace): the archive's own test support.
namespace fs = std::filesystem;
using std::chrono::hours;
using std::chrono::seconds;

/// A day file and what lies beside it.
struct FileBytes {
  std::string database;
  std::string log;
  std::string index;
};

FileBytes bytes_of(const fs::path& file) {
  return {read_file(file).value_or(""), read_file(file.string() + "-wal").value_or(""),
          read_file(file.string() + "-shm").value_or("")};
}

void put(const fs::path& file, const FileBytes& bytes) {
  write_bytes(file, bytes.database);
  if (!bytes.log.empty()) write_bytes(file.string() + "-wal", bytes.log);
  if (!bytes.index.empty()) write_bytes(file.string() + "-shm", bytes.index);
}

using Random = std::mt19937_64;

std::size_t below(Random& random, std::size_t n) { return static_cast<std::size_t>(random() % n); }

std::string cut(const std::string& bytes, std::size_t size) { return bytes.substr(0, size); }

std::string noise(Random& random, std::size_t size) {
  std::string bytes(size, '\0');
  for (char& c : bytes) c = static_cast<char>(random());
  return bytes;
}

std::string flip_bit(std::string bytes, Random& random) {
  if (bytes.empty()) return bytes;
  char& byte = bytes[below(random, bytes.size())];
  byte = static_cast<char>(byte ^ (1 << below(random, 8)));
  return bytes;
}

/// Everything in a folder, to the byte.
std::map<std::string, std::string> contents(const fs::path& folder) {
  std::map<std::string, std::string> all;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const bool plain = entry.is_regular_file() && !entry.is_symlink();
    all[entry.path().string()] = plain ? read_file(entry.path()).value_or("unreadable") : "no file";
  }
  return all;
}

/// Three hosts: fs1 has two days; fs2's recorder was restarted and then killed in the middle of the day; fs3
/// stays intact for comparison.
class Campaign : public ::testing::Test {
 protected:
  static constexpr std::size_t kKinds = 36;

  void SetUp() override {
    const SampleTable day_one = noisy_table("fs1", at(kStart), 2 * 1024, 2);
    const SampleTable day_two = disk_table("fs1", at(kStart) + hours{24}, 1100);
    const SampleTable other = disk_table("fs3", at(kStart), 300);
    record({day_one, day_two, other});
    ManualClock clock;
    for (std::size_t t = 0; t < 300; t += 50) {
      auto writer = open_writer(scratch(), clock);
      ASSERT_OK(writer->append(disk_table("fs2", at(kStart) + seconds{t}, 50)));
      if (t == 0) {
        ASSERT_OK(writer->close());
        old_ = bytes_of(scratch() / "metrics" / kNames[2]);
        continue;
      }
      for (std::size_t more = t + 50; more < 300; more += 10) {
        ASSERT_OK(writer->flush());
        ASSERT_OK(writer->append(disk_table("fs2", at(kStart) + seconds{more}, 10)));
        if (more == 150) old_log_ = bytes_of(scratch() / "metrics" / kNames[2]);
      }
      ASSERT_OK(writer->flush());
      sound_.push_back(bytes_of(scratch() / "metrics" / kNames[2]));
      break;
    }
    sound_.insert(sound_.begin(), bytes_of(scratch() / "metrics" / kNames[1]));
    sound_.insert(sound_.begin(), bytes_of(scratch() / "metrics" / kNames[0]));
    sound_.push_back(bytes_of(scratch() / "metrics" / kNames[3]));
    truth_ = cells_of({day_one, day_two, other, disk_table("fs2", at(kStart), 300)});
    ASSERT_FALSE(sound_[2].log.empty());
  }

  void record(const std::vector<SampleTable>& tables) {
    ManualClock clock;
    auto writer = open_writer(scratch(), clock);
    for (const SampleTable& table : tables) ASSERT_OK(writer->append(table));
    ASSERT_OK(writer->close());
  }

  [[nodiscard]] fs::path scratch() const { return dir_.path() / "scratch"; }
  [[nodiscard]] fs::path recording() const { return dir_.path() / "rec"; }
  [[nodiscard]] fs::path file(std::size_t f) const { return recording() / "metrics" / kNames[f]; }

  void restore() {
    fs::remove_all(recording());
    fs::remove_all(dir_.path() / "elsewhere");
    fs::create_directories(recording() / "metrics");
    for (std::size_t f = 0; f < sound_.size(); ++f) put(file(f), sound_[f]);
  }

  /// Damages the file. \return whether a reader may refuse it, because its version is another one.
  void spoil(std::size_t kind, std::size_t f, Random& random) {
    FileBytes bytes = sound_[f];
    if (kind < 16) {
      spoil_database(kind, bytes.database, random);
    } else if (kind < 26) {
      spoil_beside(kind, bytes, random);
    } else {
      return spoil_folder(kind, f, random);
    }
    for (const char* suffix : {"", "-wal", "-shm"}) fs::remove(file(f).string() + suffix);
    put(file(f), bytes);
  }

  void spoil_database(std::size_t kind, std::string& bytes, Random& random) const {
    const std::size_t pages = bytes.size() / kPageBytes;
    const std::size_t page = below(random, pages) * kPageBytes;
    const std::size_t other = below(random, pages) * kPageBytes;
    const std::string here = bytes.substr(page, kPageBytes);
    switch (kind) {
      case 0:
        bytes = cut(bytes, page);
        break;
      case 1:
        bytes = cut(bytes, below(random, bytes.size()));
        break;
      case 2:
      case 3:
        bytes = flip_bit(bytes, random);
        break;
      case 4:
        bytes.replace(page, kPageBytes, kPageBytes, '\0');
        break;
      case 5:
        bytes.replace(page, kPageBytes, bytes, other, kPageBytes);
        bytes.replace(other, kPageBytes, here);
        break;
      case 6:
        bytes.replace(0, kPageBytes, noise(random, kPageBytes));
        break;
      case 7:  // The first page of a database without tables.
        bytes.replace(0, kPageBytes, foreign_page(0));
        break;
      case 8:  // That of another application.
        bytes.replace(0, kPageBytes, foreign_page(0x12345678));
        break;
      case 9:
        bytes.clear();
        break;
      case 10:
        bytes = cut(bytes, 1);
        break;
      case 11:
        bytes += noise(random, 1 + below(random, 5000));
        break;
      case 12:
        bytes.replace(0, 100, noise(random, 100));
        break;
      case 13:
        bytes = "time,host,kind,device,counter,value\n";
        break;
      case 14:
        bytes[63] = 0;  // Marked as written by an earlier version.
        break;
      default:
        bytes.replace(page, kPageBytes, noise(random, kPageBytes));
    }
  }

  void spoil_beside(std::size_t kind, FileBytes& bytes, Random& random) const {
    switch (kind) {
      case 16:
        bytes.log.clear();
        break;
      case 17:
        bytes.index.clear();
        break;
      case 18:
        bytes.log = cut(bytes.log, below(random, bytes.log.size() + 1));
        break;
      case 19:
        bytes.log = flip_bit(bytes.log, random);
        break;
      case 20:
        bytes.log += noise(random, 1 + below(random, 5000));
        break;
      case 21:
        bytes.index = noise(random, 32768);
        break;
      case 22:
        bytes.log.clear();
        bytes.index.clear();
        break;
      case 23:
        bytes.log = flip_bit(bytes.log, random);
        bytes.index.clear();
        break;
      case 24:  // What the file was before it had this log.
        if (!bytes.log.empty()) bytes.database = old_.database;
        break;
      default:  // The log of another file, or of an earlier moment.
        bytes.log = below(random, 2) == 0 ? sound_[2].log : old_log_.log;
    }
  }

  void spoil_folder(std::size_t kind, std::size_t f, Random& random) {
    const fs::path path = file(f);
    switch (kind) {
      case 26:
        fs::copy_file(path, path.parent_path() / "fs1-20110510T070000Z.lgd");
        break;
      case 27:
        for (const char* suffix : {"", "-wal", "-shm"}) {
          std::error_code none;
          fs::rename(path.string() + suffix,
                     (path.parent_path() / "fs9-20110509T060000Z.lgd").string() + suffix, none);
        }
        break;
      case 28:
        fs::remove(path);
        fs::create_directory(path);
        break;
      case 29:
        fs::remove(path);
        ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
        break;
      case 30:
        if (!sound_[f].log.empty()) fs::remove(path);
        break;
      case 31:
        fs::remove(path);
        fs::create_symlink("nowhere.lgd", path);
        break;
      case 32:  // The file of another host, or of another day, copied over it.
        for (const char* suffix : {"-wal", "-shm"}) fs::remove(path.string() + suffix);
        write_bytes(path, sound_[(f + 1 + below(random, 2)) % 4].database);
        break;
      case 33:
        fs::create_directory(dir_.path() / "elsewhere");
        put(dir_.path() / "elsewhere" / path.filename(), sound_[f]);
        for (const char* suffix : {"", "-wal", "-shm"}) fs::remove(path.string() + suffix);
        fs::create_symlink(dir_.path() / "elsewhere" / path.filename(), path);
        break;
      case 34:
        write_bytes(path.string() + "-journal", noise(random, 2000));
        break;
      default:
        fs::remove(path.string() + "-wal");
        ASSERT_EQ(::mkfifo((path.string() + "-wal").c_str(), 0600), 0);
    }
  }

  /// The first page of a database that SQLite has just made.
  static std::string foreign_page(std::uint32_t application) {
    std::string page(kPageBytes, '\0');
    page.replace(0, 16, std::string("SQLite format 3\0", 16));
    page.replace(16, 12, std::string("\4\0\1\1\0\100\40\40\0\0\0\1", 12));
    page[31] = 1;
    page[47] = 4;
    page[59] = 1;
    for (int i = 0; i < 4; ++i)
      page[static_cast<std::size_t>(71 - i)] = static_cast<char>(application >> (8 * i));
    page[100] = '\x0d';
    page[105] = '\4';
    return page;
  }

  /// How many of the cells were read; none may have another value.
  std::size_t true_cells(const Cells& got) {
    std::size_t wrong = 0;
    for (const auto& [key, value] : got) {
      const auto known = truth_.find(key);
      if (known == truth_.end() || known->second != value) ++wrong;
    }
    EXPECT_EQ(wrong, 0U) << "values that nobody recorded";
    return got.size();
  }

  /// \return how many cells were read.
  std::size_t check_reading(std::size_t f) {
    const auto before = contents(dir_.path());
    const std::vector<fs::path> paths{recording()};
    std::size_t found = 0;
    {
      auto reader = Reader::open(paths, {.verify = true});
      if (!reader) {
        EXPECT_EQ(reader.error().code, ErrorCode::kTooNew) << reader.error().message();
        return 0;
      }
      const auto inventory = (*reader)->inventory();
      EXPECT_TRUE(inventory) << inventory.error().message();
      found = true_cells(cells_of(read_all(**reader)));
      if (found < truth_.size()) {
        const std::vector<std::string> damaged = (*reader)->damaged();
        EXPECT_THAT(damaged, ::testing::Contains(file(f).string()))
            << truth_.size() - found << " are missing";
        EXPECT_THAT((*reader)->notices(), ::testing::Contains(::testing::HasSubstr(kNames[f])));
      }
    }
    EXPECT_TRUE(contents(dir_.path()) == before) << "reading has changed the recording";
    return found;
  }

  void check_recovery(std::size_t read) {
    ManualClock clock;
    const fs::path in = recording();
    const fs::path out = dir_.path() / "out";
    fs::remove_all(out);
    const auto before = contents(recording());
    auto recovery = recover(std::span(&in, 1), out, clock);
    EXPECT_TRUE(contents(recording()) == before) << "recovery has changed the recording";
    if (!recovery) {
      EXPECT_EQ(recovery.error().code, ErrorCode::kTooNew) << recovery.error().message();
      return;
    }
    const std::size_t saved = true_cells(read_cells(out));
    EXPECT_GE(saved, read) << "less than a reader gave";
    EXPECT_TRUE(saved == truth_.size() || !recovery->lost.empty()) << "a loss that is not named";
  }

  static constexpr std::array kNames{"fs1-20110509T060000Z.lgd", "fs1-20110510T060000Z.lgd",
                                     "fs2-20110509T060000Z.lgd", "fs3-20110509T060000Z.lgd"};
  TempDir dir_;
  std::vector<FileBytes> sound_;  ///< By kNames.
  FileBytes old_;                 ///< fs2's file after its first recorder ended.
  FileBytes old_log_;             ///< fs2's log while its second recorder was writing.
  Cells truth_;
};

TEST_F(Campaign, ASoundRecordingIsAllThereWithoutANotice) {
  restore();
  EXPECT_EQ(check_reading(2), truth_.size());
  auto reader = open_reader(recording(), {.verify = true});
  ASSERT_OK(reader->inventory());
  EXPECT_THAT(reader->notices(), ::testing::IsEmpty());
  EXPECT_THAT(reader->damaged(), ::testing::IsEmpty());
}

TEST_F(Campaign, WhateverIsDoneToARecordingNothingIsDroppedInSilence) {
  // --gtest_random_seed=N gives other damage.
  Random random{static_cast<std::uint64_t>(20261123 + GTEST_FLAG_GET(random_seed))};
  std::size_t incomplete = 0;
  for (std::size_t round = 0; round < 4 * kKinds; ++round) {
    const std::size_t kind = round % kKinds;
    const std::size_t f = round % 2 == round / kKinds % 2 ? 2 : below(random, 2);
    SCOPED_TRACE("round " + std::to_string(round) + ", kind " + std::to_string(kind) + ", " + kNames[f]);
    restore();
    spoil(kind, f, random);
    const std::size_t read = check_reading(f);
    if (read < truth_.size()) ++incomplete;
    if (round < 2 * kKinds) check_recovery(read);
    if (HasFailure()) break;
  }
  EXPECT_GT(incomplete, kKinds) << "the campaign spoils what nobody reads";
}

}  // namespace
}  // namespace laggard::archive
