#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

/// What reader, writer and salvage must agree on. docs/formats/archive.md tells the same in prose and
/// pictures.
namespace laggard::archive {

/// Kept in SQLite's `user_version`. A file with another version is refused, because its tables and blocks may
/// mean something else: every change of what is written increments it. Version 1 had a row of `fact` for each
/// fact.
inline constexpr int kFormatVersion = 2;
/// SQLite's `application_id`: "lgrd" in ASCII, so that file(1) and we can tell the file from other databases.
inline constexpr int kApplicationId = 0x6c677264;
/// Fixed, so that salvage can cut a file into pages when the first page, which states the size, is gone.
/// Small, because chunks of a few kB leave much of larger pages empty: with 4096 a day of 30 disks takes 40 %
/// more.
inline constexpr int kPageBytes = 1024;

/// The streams of a recording, each in its own folder. A file says in `meta` which stream it belongs to;
/// files of metrics, which existed before the other streams, do not.
enum class Stream : std::uint8_t { kMetrics = 0, kEvents = 1, kProfiles = 2 };
inline constexpr std::array kStreams{Stream::kMetrics, Stream::kEvents, Stream::kProfiles};
inline constexpr std::array<std::string_view, kStreams.size()> kStreamFolders{"metrics", "events",
                                                                              "profiles"};
[[nodiscard]] constexpr std::string_view folder_of(Stream stream) {
  return kStreamFolders[static_cast<std::size_t>(stream)];
}
/// What a stream consists of, in messages.
[[nodiscard]] constexpr std::string_view things_of(Stream stream) {
  return stream == Stream::kMetrics ? "samples" : folder_of(stream);
}
inline constexpr std::string_view kStreamFolder = folder_of(Stream::kMetrics);
inline constexpr std::string_view kFileSuffix = ".lgd";

/// The first bytes of a block header; the digit is the version of the block's layout.
inline constexpr std::string_view kBlockMagic = "LGB1";
/// The same for a block of events or profiles.
inline constexpr std::string_view kColumnsMagic = "LGC1";
/// The same for a row of facts.
inline constexpr std::string_view kFactMagic = "LGF1";

/// How many samples compaction gathers into one block.
inline constexpr std::size_t kBlockSamples = 1024;

/// Limits that a writer keeps and a reader enforces: they bound the memory of one table.
inline constexpr std::size_t kMaxCounters = 512;
inline constexpr std::size_t kMaxDevices = std::size_t{1} << 20;
inline constexpr std::size_t kMaxSamples = std::size_t{1} << 20;
inline constexpr std::size_t kMaxCells = std::size_t{1} << 25;
/// The most that a writer puts into one block of several samples, so that neither a writer nor a reader needs
/// more than 20 MB for a block; with many devices fewer samples make a block long enough. A single sample may
/// have more.
inline constexpr std::size_t kMaxBlockCells = std::size_t{1} << 21;
inline constexpr std::size_t kMaxSampleCells = std::size_t{1} << 24;
inline constexpr std::size_t kMaxHeaderBytes = std::size_t{1} << 26;
inline constexpr std::size_t kMaxNameBytes = 4096;
/// A file that has more zeros than this in one place has a hole there, which may be of terabytes. What is
/// behind it is not read.
inline constexpr std::uint64_t kLargestHole = std::uint64_t{1} << 28;
inline constexpr std::size_t kMaxFactBytes = std::size_t{1} << 20;

/// The most events or periods that a writer puts into one block, and how many small blocks accumulate before
/// it merges them.
inline constexpr std::size_t kBlockRows = std::size_t{1} << 16;
inline constexpr std::size_t kMostSmallBlocks = 128;
/// Limits of a block of events or profiles, as above; its columns together have at most kMaxCells values.
inline constexpr std::size_t kMaxRows = std::size_t{1} << 20;
inline constexpr std::size_t kMaxColumns = 768;
/// How many distinct strings, and bytes of strings, the events or profiles of one file may name: an analysis
/// may keep those of a day in memory.
inline constexpr std::size_t kMaxFileWords = std::size_t{1} << 20;
inline constexpr std::size_t kMaxFileWordBytes = std::size_t{1} << 26;

/// A chunk's rowid is its block's id times this plus the index of its counter in the block's header.
inline constexpr std::int64_t kChunksPerBlock = 1024;
/// An index that no counter has, where a copy of the header is stored. Many headers share a page of their
/// table, so without copies one bad page would make hours of intact values unreadable.
inline constexpr std::size_t kHeaderCopy = 1023;
static_assert(kMaxColumns <= kHeaderCopy);
static_assert(kMaxCounters <= kHeaderCopy && kHeaderCopy < static_cast<std::size_t>(kChunksPerBlock));
/// Blocks of fewer samples are merged soon, so they have no copy of the header, a single stream of tokens and
/// no references.
inline constexpr std::size_t kSettledSamples = 64;

/// The key in `meta` of the stream, which is named as its folder.
inline constexpr std::string_view kStreamKey = "stream";
/// The keys in `meta` for the numbers of rows in `block` and `fact`: a bad page can hide rows without SQLite
/// noticing.
inline constexpr std::string_view kBlockCountKey = "blocks";
inline constexpr std::string_view kFactCountKey = "facts";
/// The keys in `meta` by which a reader tells whether a write-ahead log belongs to a file, and whether the
/// file is complete without one: a number derived from the name, host and boot that the file was made with,
/// the number of commits so far, and `1` when the file is finished, `0` while it may have a log. Files by
/// earlier versions lack them.
inline constexpr std::string_view kFileNumberKey = "file";
inline constexpr std::string_view kCommitCountKey = "commits";
inline constexpr std::string_view kFinishedKey = "finished";

/// The tables, exactly as in sqlite_schema. A file whose schema differs is not opened, so that no view or
/// trigger of a hostile file ever runs.
struct SchemaTable {
  std::string_view name;
  std::string_view sql;
};
inline constexpr SchemaTable kSchema[] = {
    {"meta", "CREATE TABLE meta(key TEXT NOT NULL, value TEXT NOT NULL)"},
    {"block",
     "CREATE TABLE block(id INTEGER PRIMARY KEY, kind TEXT NOT NULL, earliest INTEGER NOT NULL, "
     "latest INTEGER NOT NULL, samples INTEGER NOT NULL, header BLOB NOT NULL)"},
    {"chunk", "CREATE TABLE chunk(id INTEGER PRIMARY KEY, data BLOB NOT NULL)"},
    {"fact", "CREATE TABLE fact(data BLOB NOT NULL)"},
    {"gap",
     "CREATE TABLE gap(first INTEGER NOT NULL, last INTEGER NOT NULL, lost INTEGER NOT NULL, "
     "reason TEXT NOT NULL, hash INTEGER NOT NULL)"},
};

}  // namespace laggard::archive
