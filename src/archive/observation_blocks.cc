#include "archive/observation_blocks.h"

#include "archive/observation_columns.h"

namespace laggard::archive {

namespace {

template <typename Table>
Result<LoadedBatch> load_as(const ColumnSource& chunks, const ColumnsHeader& header, std::string_view where,
                            ZstdCodec& codec) {
  Result<LoadedObservations<Table>> loaded = load_observations<Table>(chunks, header, where, codec);
  if (!loaded) return forward(loaded);
  return LoadedBatch{.batch = std::move(loaded->table), .damage = std::move(loaded->damage)};
}

template <typename Table>
Table with_loss(const FileIdentity& identity, const std::string& kind, const Loss& loss) {
  Table table(identity.host, kind);
  table.set_boot(identity.boot);
  table.add_loss(loss);
  return table;
}

}  // namespace

StoredBlock encode_observations(const Batch& batch, std::uint64_t first_number, ZstdCodec& codec) {
  const auto* events = std::get_if<EventTable>(&batch);
  Columns columns = events != nullptr ? to_columns(*events, first_number)
                                      : to_columns(std::get<ProfileTable>(batch), first_number);
  return stored(encode_columns(std::move(columns), codec), codec);
}

Batch loss_alone(const FileIdentity& identity, const std::string& kind, const Loss& loss) {
  if (identity.stream == Stream::kEvents) return with_loss<EventTable>(identity, kind, loss);
  return with_loss<ProfileTable>(identity, kind, loss);
}

Result<LoadedBatch> load_batch(const ColumnSource& chunks, const ColumnsHeader& header,
                               std::string_view where, ZstdCodec& codec) {
  if (header.stream == Stream::kEvents) return load_as<EventTable>(chunks, header, where, codec);
  return load_as<ProfileTable>(chunks, header, where, codec);
}

Result<std::optional<StoredBlock>> merge_observations(DayFile& file, std::span<const std::int64_t> ids,
                                                      ZstdCodec& codec) {
  Joiner joiner;
  std::optional<std::uint64_t> first_number;
  for (const std::int64_t id : ids) {
    Result<ColumnsHeader> header = file.columns_header(id, codec);
    if (!header) return forward(header);
    const ColumnSource chunks = [&](std::size_t c) { return file.chunk(id, c); };
    Result<LoadedBatch> part = load_batch(chunks, *header, file.path().string(), codec);
    if (!part) return forward(part);
    if (!part->damage.empty()) return tl::unexpected<Error>(part->damage.front());
    if (!joiner.fits(part->batch)) return std::nullopt;
    joiner.add(part->batch);
    if (!first_number) first_number = header->first_number;
  }
  return encode_observations(joiner.take(), first_number.value_or(0), codec);
}

}  // namespace laggard::archive
