#include "archive/salvage_observations.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "archive/observation_blocks.h"

namespace laggard::archive {

namespace {

std::string_view rows_name(Stream stream) { return stream == Stream::kEvents ? "events" : "periods"; }

void add_lost(const LostBlock& lost, Salvage& salvage) {
  if (std::ranges::find(salvage.lost, lost) == salvage.lost.end()) salvage.lost.push_back(lost);
}

template <typename Table>
Batch without_first(const Table& table, std::size_t n) {
  std::vector<std::uint32_t> rest;
  for (std::size_t row = n; row < table.size(); ++row) rest.push_back(static_cast<std::uint32_t>(row));
  Table part(table.host(), table.kind());
  part.set_boot(table.boot());
  part.append_from(table, rest);
  return part;
}

/// The batch without its first `n` rows, and without its losses, which the rows' other block has told.
Batch without_first(const Batch& batch, std::size_t n) {
  if (const auto* events = std::get_if<EventTable>(&batch)) return without_first(*events, n);
  return without_first(std::get<ProfileTable>(batch), n);
}

}  // namespace

bool FoundObservations::add_header(std::string_view bytes, ZstdCodec& codec) {
  Result<ColumnsHeader> header = decode_columns_header(bytes, "", codec);
  if (!header) return false;
  // The same header twice is one block on two pages, or its copy.
  if (std::ranges::find(headers_, *header) == headers_.end()) headers_.push_back(std::move(*header));
  return true;
}

void FoundObservations::finish(const ChunkFinder& chunks, ZstdCodec& codec, Salvage& salvage) {
  if (salvage.host.empty()) {
    salvage.host = headers_.front().host;
    salvage.stream = headers_.front().stream;
  }
  load(chunks, codec, salvage);
  take_each_row_once(salvage);
  report_rows_alone(salvage);
}

void FoundObservations::load(const ChunkFinder& chunks, ZstdCodec& codec, Salvage& salvage) {
  for (ColumnsHeader& header : headers_) {
    const ColumnSource source = [&](std::size_t c) { return chunks(header.columns[c].hash); };
    Result<LoadedBatch> loaded = load_batch(source, header, "", codec);
    if (!loaded) {
      lost_.push_back(std::move(header));
      continue;
    }
    if (!loaded->damage.empty()) {
      add_lost({.kind = header.kind,
                .earliest = header.earliest,
                .latest = header.latest,
                .what = fmt::format("{} attributes are lost", loaded->damage.size())},
               salvage);
    }
    parts_.push_back({.header = std::move(header), .batch = std::move(loaded->batch)});
  }
}

/// Merged blocks before their parts, and holes between the numbers of rows are what is lost.
void FoundObservations::take_each_row_once(Salvage& salvage) {
  std::ranges::stable_sort(parts_, [](const Part& a, const Part& b) {
    const std::uint64_t a_end = a.header.end_number();
    const std::uint64_t b_end = b.header.end_number();
    return std::tie(a.header.kind, a.header.first_number, b_end) <
           std::tie(b.header.kind, b.header.first_number, a_end);
  });
  std::map<std::string, std::uint64_t> next_row;
  std::map<std::string, WallTime> latest;
  for (Part& part : parts_) {
    const ColumnsHeader& header = part.header;
    std::uint64_t& next = next_row[header.kind];
    const WallTime before = latest.try_emplace(header.kind, header.earliest).first->second;
    if (header.first_number > next) {
      add_lost({.kind = header.kind,
                .earliest = std::min(before, header.earliest),
                .latest = std::max(before, header.earliest),
                .what = fmt::format("{} {} are lost", header.first_number - next, rows_name(header.stream))},
               salvage);
    }
    const std::uint64_t end = header.end_number();
    if (header.first_number >= next) {
      salvage.observations.push_back(std::move(part.batch));
    } else if (end > next) {
      salvage.observations.push_back(without_first(part.batch, next - header.first_number));
    }
    next = std::max(next, end);
    latest[header.kind] = std::max(before, header.latest);
  }
  for (const ColumnsHeader& header : lost_) {
    const std::uint64_t end = header.end_number();
    if (end <= next_row[header.kind]) continue;  // Saved with others, or counted as a hole.
    add_lost(
        {.kind = header.kind,
         .earliest = header.earliest,
         .latest = header.latest,
         .what = fmt::format("{} {} are lost", end - std::max(next_row[header.kind], header.first_number),
                             rows_name(header.stream))},
        salvage);
  }
}

/// Rows of the table without a header that are not inside of what was found: the end of a file, mostly.
void FoundObservations::report_rows_alone(Salvage& salvage) const {
  for (const Row& row : rows_) {
    const auto covers = [&](const ColumnsHeader& header) {
      return header.kind == row.kind && header.earliest <= row.earliest && header.latest >= row.latest;
    };
    const auto is_covered = [&](const Part& part) { return covers(part.header); };
    if (std::ranges::any_of(parts_, is_covered) || std::ranges::any_of(lost_, covers)) continue;
    add_lost({.kind = row.kind,
              .earliest = row.earliest,
              .latest = row.latest,
              .what = fmt::format("{} {} are lost", row.rows, rows_name(salvage.stream))},
             salvage);
  }
}

}  // namespace laggard::archive
