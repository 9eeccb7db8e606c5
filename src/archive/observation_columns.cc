#include "archive/observation_columns.h"

#include <algorithm>
#include <span>

namespace laggard::archive {

namespace {

constexpr char kWhich = '#';
constexpr char kValues = '=';

std::uint64_t bits_of(WallTime t) { return static_cast<std::uint64_t>(to_unix_ns(t)); }
std::uint64_t bits_of(std::int64_t value) { return static_cast<std::uint64_t>(value); }
std::uint64_t bits_of(Word word) { return word.value; }

template <typename Range>
Column column_of(std::string name, ColumnForm form, const Range& values) {
  Column column{.name = std::move(name), .form = form, .values = {}};
  column.values.reserve(values.size());
  for (const auto& value : values) column.values.push_back(bits_of(value));
  return column;
}

template <typename Range, typename Get>
Column column_by(std::string name, ColumnForm form, const Range& rows, Get&& get) {
  Column column{.name = std::move(name), .form = form, .values = {}};
  column.values.reserve(rows.size());
  for (const auto& row : rows) column.values.push_back(bits_of(get(row)));
  return column;
}

template <typename Table>
Columns begin_columns(const Table& table, std::uint64_t first_number) {
  const TimeSpan extent = table.extent();
  Columns columns;
  columns.words = table.words();
  columns.header = {.stream = kStreamOf<Table>,
                    .host = table.host(),
                    .kind = table.kind(),
                    .boot = table.boot(),
                    .earliest = extent.from,
                    .latest = extent.to,
                    .rows = table.size(),
                    .first_number = first_number,
                    .losses = table.losses().size(),
                    .lost = 0,
                    .words = 0,
                    .columns = {}};
  return columns;
}

void add_losses(std::span<const Loss> losses, Columns& columns) {
  if (losses.empty()) return;
  using enum ColumnForm;
  columns.columns.push_back(
      column_by("lost.from", kNumbers, losses, [](const Loss& loss) { return loss.from; }));
  columns.columns.push_back(column_by("lost.to", kNumbers, losses, [](const Loss& loss) { return loss.to; }));
  columns.columns.push_back(column_by("lost.count", kNumbers, losses, [](const Loss& loss) {
    return static_cast<std::int64_t>(loss.count);
  }));
  columns.columns.push_back(column_by("lost.reason", kWords, losses, [&](const Loss& loss) {
    // When the reason no longer fits, it is left out rather than the loss.
    return columns.words.intern(loss.reason).value_or(kNoWord);
  }));
  for (const Loss& loss : losses) columns.header.lost += loss.count;
}

/// Finds the columns of a block by name.
class Finder {
 public:
  explicit Finder(const Columns& columns) : columns_(columns) {}

  /// Nothing when there is no such column, or it does not have this form and `values` values.
  [[nodiscard]] const std::vector<std::uint64_t>* find(std::string_view name, ColumnForm form) const {
    const auto same = [&](const Column& column) { return column.name == name && column.form == form; };
    const auto found = std::ranges::find_if(columns_.columns, same);
    return found == columns_.columns.end() ? nullptr : &found->values;
  }
  [[nodiscard]] const std::vector<std::uint64_t>* find(std::string_view name, ColumnForm form,
                                                       std::size_t values) const {
    const std::vector<std::uint64_t>* found = find(name, form);
    return found != nullptr && found->size() == values ? found : nullptr;
  }

 private:
  const Columns& columns_;
};

bool is_inside(const ColumnsHeader& header, WallTime t) { return t >= header.earliest && t <= header.latest; }

WallTime time_of(std::uint64_t bits) { return from_unix_ns(static_cast<std::int64_t>(bits)); }
Word word_of(std::uint64_t bits) { return Word{static_cast<std::uint32_t>(bits)}; }

/// The words get the same numbers in the table as in the dictionary.
template <typename Table>
void take_words(const Dictionary& words, Table& table) {
  for (std::uint32_t word = 0; word < words.size(); ++word) {
    LAGGARD_CHECK(table.intern(words.text(Word{word})) == Word{word});
  }
}

template <typename Table>
bool read_losses(const Columns& columns, Table& table) {
  using enum ColumnForm;
  const Finder finder{columns};
  const auto* from = finder.find("lost.from", kNumbers, columns.header.losses);
  if (from == nullptr) return columns.header.losses == 0;
  const auto* to = finder.find("lost.to", kNumbers, from->size());
  const auto* count = finder.find("lost.count", kNumbers, from->size());
  const auto* reason = finder.find("lost.reason", kWords, from->size());
  if (to == nullptr || count == nullptr || reason == nullptr) return false;
  for (std::size_t i = 0; i < from->size(); ++i) {
    const Word why = word_of((*reason)[i]);
    table.add_loss({.from = time_of((*from)[i]),
                    .to = time_of((*to)[i]),
                    .count = (*count)[i],
                    .reason = why == kNoWord ? "" : std::string(columns.words.text(why))});
  }
  return true;
}

bool read_rows(const Columns& columns, EventTable& table) {
  using enum ColumnForm;
  const Finder finder{columns};
  const std::size_t n = columns.header.rows;
  const auto* time = finder.find("time", kNumbers, n);
  const auto* duration = finder.find("duration", kNumbers, n);
  const auto* subject = finder.find("subject", kWords, n);
  const auto* what = finder.find("what", kWords, n);
  if (time == nullptr || duration == nullptr || subject == nullptr || what == nullptr) return false;
  for (std::size_t e = 0; e < n; ++e) {
    const auto took = static_cast<std::int64_t>((*duration)[e]);
    EventTable::Event event{.time = time_of((*time)[e]),
                            .duration = std::nullopt,
                            .subject = word_of((*subject)[e]),
                            .what = word_of((*what)[e])};
    if (!is_inside(columns.header, event.time) || event.what == kNoWord || took < EventTable::kNoDuration)
      return false;
    if (took != EventTable::kNoDuration) event.duration = Duration{took};
    table.append(event);
  }
  return true;
}

AttributeForm form_of(ColumnForm form) {
  if (form == ColumnForm::kWords) return AttributeForm::kWord;
  return form == ColumnForm::kReals ? AttributeForm::kReal : AttributeForm::kInteger;
}

/// Adds the attributes of which both columns are sound; the damage of the others is known already.
bool read_attributes(const Columns& columns, EventTable& table) {
  for (std::size_t c = 1; c < columns.columns.size(); ++c) {
    const Column& which = columns.columns[c - 1];
    const Column& values = columns.columns[c];
    if (!which.name.starts_with(kWhich) || !values.name.starts_with(kValues)) continue;
    const std::string_view key = std::string_view(values.name).substr(1);
    if (which.form != ColumnForm::kNumbers || std::string_view(which.name).substr(1) != key) continue;
    AttributeColumn attribute{
        .key = std::string(key), .form = form_of(values.form), .events = {}, .values = values.values};
    attribute.events.reserve(which.values.size());
    for (const std::uint64_t e : which.values) {
      if (e >= table.size()) return false;
      attribute.events.push_back(static_cast<std::uint32_t>(e));
    }
    if (!table.add_attribute(std::move(attribute))) return false;
  }
  return true;
}

bool read_table(const Columns& columns, EventTable& table) {
  return read_rows(columns, table) && read_attributes(columns, table);
}

bool read_table(const Columns& columns, ProfileTable& table) {
  using enum ColumnForm;
  const Finder finder{columns};
  const std::size_t n = columns.header.rows;
  const auto* start = finder.find("start", kNumbers, n);
  const auto* length = finder.find("length", kNumbers, n);
  const auto* subject = finder.find("subject", kWords, n);
  const auto* end = finder.find("end", kNumbers, n);
  const auto* seen = finder.find("seen", kWords);
  if (start == nullptr || length == nullptr || subject == nullptr || end == nullptr || seen == nullptr)
    return false;
  // Not there where no count stands for time; a damaged one is no such case.
  const auto* each = finder.find("each", kNumbers, n);
  if (each == nullptr &&
      std::ranges::find(columns.header.columns, "each", &ColumnInfo::name) != columns.header.columns.end()) {
    return false;
  }
  const auto* counts = finder.find("count", kNumbers, seen->size());
  if (counts == nullptr) return false;
  std::size_t at = 0;
  for (std::size_t p = 0; p < n; ++p) {
    const ProfileTable::Period period{
        .start = time_of((*start)[p]),
        .length = Duration{static_cast<std::int64_t>((*length)[p])},
        .subject = word_of((*subject)[p]),
        .each = Duration{each == nullptr ? 0 : static_cast<std::int64_t>((*each)[p])}};
    if (!is_inside(columns.header, period.start) || period.length < Duration::zero() ||
        period.each < Duration::zero()) {
      return false;
    }
    if ((*end)[p] < at || (*end)[p] > seen->size()) return false;
    table.begin(period);
    for (; at < (*end)[p]; ++at) {
      if (word_of((*seen)[at]) == kNoWord) return false;
      table.add(word_of((*seen)[at]), (*counts)[at]);
    }
  }
  return at == seen->size();
}

}  // namespace

Columns to_columns(const EventTable& table, std::uint64_t first_number) {
  using enum ColumnForm;
  Columns columns = begin_columns(table, first_number);
  columns.columns.push_back(column_of("time", kNumbers, table.times()));
  columns.columns.push_back(column_of("duration", kNumbers, table.durations()));
  columns.columns.push_back(column_of("subject", kWords, table.subjects()));
  columns.columns.push_back(column_of("what", kWords, table.whats()));
  for (const AttributeColumn& attribute : table.attributes()) {
    if (attribute.events.empty()) continue;
    Column which{.name = kWhich + attribute.key, .form = kNumbers, .values = {}};
    which.values.assign(attribute.events.begin(), attribute.events.end());
    columns.columns.push_back(std::move(which));
    const ColumnForm form = attribute.form == AttributeForm::kWord   ? kWords
                            : attribute.form == AttributeForm::kReal ? kReals
                                                                     : kNumbers;
    columns.columns.push_back({.name = kValues + attribute.key, .form = form, .values = attribute.values});
  }
  add_losses(table.losses(), columns);
  return columns;
}

Columns to_columns(const ProfileTable& table, std::uint64_t first_number) {
  using enum ColumnForm;
  using Period = ProfileTable::Period;
  Columns columns = begin_columns(table, first_number);
  const auto periods = table.periods();
  columns.columns.push_back(column_by("start", kNumbers, periods, [](const Period& p) { return p.start; }));
  columns.columns.push_back(
      column_by("length", kNumbers, periods, [](const Period& p) { return p.length.count(); }));
  columns.columns.push_back(column_by("subject", kWords, periods, [](const Period& p) { return p.subject; }));
  if (std::ranges::any_of(periods, [](const Period& p) { return p.each != Duration::zero(); })) {
    columns.columns.push_back(
        column_by("each", kNumbers, periods, [](const Period& p) { return p.each.count(); }));
  }
  Column end{.name = "end", .form = kNumbers, .values = {}};
  Column seen{.name = "seen", .form = kWords, .values = {}};
  Column count{.name = "count", .form = kNumbers, .values = {}};
  for (std::size_t p = 0; p < table.size(); ++p) {
    for (const Word word : table.seen(p)) seen.values.push_back(word.value);
    count.values.insert(count.values.end(), table.counts(p).begin(), table.counts(p).end());
    end.values.push_back(seen.values.size());
  }
  for (Column* column : {&end, &seen, &count}) columns.columns.push_back(std::move(*column));
  add_losses(table.losses(), columns);
  return columns;
}

template <typename Table>
Result<LoadedObservations<Table>> load_observations(const ColumnSource& chunks, const ColumnsHeader& header,
                                                    std::string_view where, ZstdCodec& codec) {
  LAGGARD_CHECK(header.stream == kStreamOf<Table>);
  Result<DecodedColumns> decoded = decode_columns(chunks, header, where, codec);
  if (!decoded) return forward(decoded);
  LoadedObservations<Table> loaded{.table = Table(header.host, header.kind), .damage = {}};
  loaded.table.set_boot(header.boot);
  take_words(decoded->columns.words, loaded.table);
  const bool rows = read_table(decoded->columns, loaded.table);
  const bool losses = read_losses(decoded->columns, loaded.table);
  if (!rows || (!losses && decoded->damage.empty())) {
    if (!decoded->damage.empty()) return tl::unexpected<Error>(decoded->damage.front());
    return fail(ErrorCode::kDamaged, fmt::format("{}: {}", where, describe(header)),
                "is damaged: its columns do not fit each other");
  }
  loaded.damage = std::move(decoded->damage);
  return loaded;
}

template Result<LoadedObservations<EventTable>> load_observations(const ColumnSource&, const ColumnsHeader&,
                                                                  std::string_view, ZstdCodec&);
template Result<LoadedObservations<ProfileTable>> load_observations(const ColumnSource&, const ColumnsHeader&,
                                                                    std::string_view, ZstdCodec&);

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
