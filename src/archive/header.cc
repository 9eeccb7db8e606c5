#include <algorithm>
#include <map>
#include <utility>

#include "archive/block.h"
#include "archive/column.h"
#include "archive/format.h"
#include "archive/zstd_codec.h"
#include "base/bytes.h"

namespace laggard::archive {

WallTime BlockHeader::earliest() const { return *std::min_element(times.begin(), times.end()); }
WallTime BlockHeader::latest() const { return *std::max_element(times.begin(), times.end()); }

namespace {

void write_times(const std::vector<WallTime>& times, ByteWriter& out) {
  std::vector<std::uint64_t> ns(times.size());
  std::transform(times.begin(), times.end(), ns.begin(),
                 [](WallTime t) { return static_cast<std::uint64_t>(to_unix_ns(t)); });
  ColumnSink sink;
  ColumnEncoder{}.encode(ns, ColumnKind::kTimes, {}, sink);
  out.varint(times.size());
  out.text(sink.head.str());
  out.text(sink.tokens);
  out.text(sink.extra.take());
}

std::vector<WallTime> read_times(ByteReader& in) {
  const std::size_t n = in.count(kMaxSamples);
  const std::string_view head = in.text(kMaxNameBytes);
  const std::string_view tokens = in.text(kMaxSamples);
  std::string extra{in.text(kMaxSamples * 8)};
  extra.append(TokenReader::kSlack, '\0');
  if (n == 0) in.fail();
  if (!in.ok()) return {};
  ByteReader head_reader{head};
  TokenReader token_reader{std::span(&tokens, 1), StreamMap{},
                           std::string_view(extra).substr(0, extra.size() - TokenReader::kSlack)};
  // A constant column needs no tokens, so without this bound four bytes could claim a million times.
  if (token_reader.tokens_left() + 1 < n && !head.starts_with('\x03')) in.fail();
  std::vector<std::uint64_t> ns(in.ok() ? n : 1);
  HintSource no_hints;
  if (!in.ok() || !decode_column(head_reader, token_reader, no_hints, ns)) {
    in.fail();
    return {};
  }
  std::vector<WallTime> times(n);
  std::transform(ns.begin(), ns.end(), times.begin(),
                 [](std::uint64_t t) { return from_unix_ns(static_cast<std::int64_t>(t)); });
  return times;
}

void read_references(ByteReader& in, std::size_t counters, std::vector<std::uint16_t>& references) {
  references.resize(in.count(std::min(counters, in.rest().size())));
  for (std::uint16_t& reference : references) {
    reference = static_cast<std::uint16_t>(in.count(kMaxCounters));
    if (reference >= counters) in.fail();
  }
}

void write_references(const std::vector<std::uint16_t>& references, ByteWriter& out) {
  out.varint(references.size());
  for (const std::uint16_t reference : references) out.varint(reference);
}

void read_counters(ByteReader& in, BlockHeader& header) {
  header.counters.resize(in.count(kMaxCounters));
  for (BlockCounter& c : header.counters) {
    c.counter.name = in.text(kMaxNameBytes);
    const std::uint8_t form = in.u8();
    if (form > static_cast<std::uint8_t>(CounterForm::kComputedRate)) in.fail();
    c.counter.form = static_cast<CounterForm>(form);
    c.hash = in.u64();
    c.bytes = static_cast<std::uint32_t>(in.count(UINT32_MAX));
    read_references(in, header.counters.size(), c.references.growth);
    read_references(in, header.counters.size(), c.references.buckets);
  }
}

/// References must not form a cycle.
bool references_end(const BlockHeader& header) {
  std::vector<bool> settled(header.counters.size());
  std::size_t left = header.counters.size();
  for (bool progress = true; progress && left > 0;) {
    progress = false;
    for (std::size_t c = 0; c < settled.size(); ++c) {
      const References& refs = header.counters[c].references;
      const auto is_settled = [&](std::uint16_t r) { return settled[r]; };
      if (settled[c] || !std::ranges::all_of(refs.growth, is_settled) ||
          !std::ranges::all_of(refs.buckets, is_settled)) {
        continue;
      }
      settled[c] = true;
      progress = true;
      --left;
    }
  }
  return left == 0;
}

void read_devices(ByteReader& in, BlockHeader& header) {
  const std::size_t n = in.count(std::min(kMaxDevices, in.rest().size()));
  if (n * header.times.size() > kMaxCells) in.fail();
  if (!in.ok()) return;
  header.devices.resize(n);
  for (std::string& device : header.devices) device = in.text(kMaxNameBytes);
  header.patterns.resize(in.count(n));
  for (Runs& runs : header.patterns) runs = Runs::read(in, header.times.size());
  header.presence.resize(n);
  for (std::uint32_t& pattern : header.presence) {
    pattern = static_cast<std::uint32_t>(in.varint());
    if (pattern >= header.patterns.size()) in.fail();
  }
  header.active.resize(n);
  for (std::uint32_t& active : header.active)
    active = static_cast<std::uint32_t>(in.count(header.times.size()));
}

/// A repeated name would let one cell be read from two places.
bool names_are_unique(const BlockHeader& header) {
  std::vector<std::string_view> names(header.devices.begin(), header.devices.end());
  std::sort(names.begin(), names.end());
  if (std::adjacent_find(names.begin(), names.end()) != names.end()) return false;
  names.clear();
  for (const BlockCounter& c : header.counters) names.push_back(c.counter.name);
  std::sort(names.begin(), names.end());
  return std::adjacent_find(names.begin(), names.end()) == names.end();
}

/// A device is present at the samples at which any of its counters is.
Runs device_runs(const SampleTable& table, std::size_t d, std::vector<std::uint8_t>& scratch) {
  const std::size_t n = table.times().size();
  Runs first = table.counters().empty() ? Runs::of(std::vector<std::uint8_t>(n)) : runs_of(table, 0, d);
  if (first.is_full() || table.counters().size() < 2) return first;
  scratch.assign(n, 0);
  for (std::size_t c = 0; c < table.counters().size(); ++c) {
    const SampleTable::View cells = table.view(c, d);
    for (std::size_t t = 0; t < n; ++t) scratch[t] |= static_cast<std::uint8_t>(cells.present(t));
  }
  return Runs::of(scratch);
}

void visit(const BlockHeader& header, std::size_t c, std::vector<bool>& seen,
           std::vector<std::size_t>& order) {
  if (seen[c]) return;
  seen[c] = true;
  for (const std::uint16_t r : header.counters[c].references.growth) visit(header, r, seen, order);
  for (const std::uint16_t r : header.counters[c].references.buckets) visit(header, r, seen, order);
  order.push_back(c);
}

}  // namespace

std::vector<std::size_t> unpacking_order(const BlockHeader& header, std::span<const std::size_t> wanted) {
  std::vector<bool> seen(header.counters.size());
  std::vector<std::size_t> order;
  for (const std::size_t c : wanted) visit(header, c, seen, order);
  return order;
}

BlockHeader make_header(const SampleTable& table, std::vector<std::uint32_t> active) {
  LAGGARD_CHECK(!table.times().empty() && active.size() == table.devices().size());
  BlockHeader header;
  header.host = table.host();
  header.kind = to_name(table.kind());
  header.boot = table.boot();
  header.devices = table.devices();
  header.times = table.times();
  header.active = std::move(active);
  for (const TableCounter& counter : table.counters()) {
    header.counters.push_back({.counter = counter, .references = {}});
  }
  std::vector<Runs> presence;
  std::vector<std::uint8_t> scratch;
  for (std::size_t d = 0; d < header.devices.size(); ++d) presence.push_back(device_runs(table, d, scratch));
  set_presence(header, std::move(presence));
  return header;
}

void set_presence(BlockHeader& header, std::vector<Runs> devices) {
  header.patterns.clear();
  header.presence.clear();
  std::map<Runs, std::uint32_t> known;
  for (Runs& runs : devices) {
    const auto [entry, added] = known.try_emplace(runs, static_cast<std::uint32_t>(known.size()));
    if (added) header.patterns.push_back(std::move(runs));
    header.presence.push_back(entry->second);
  }
}

std::string encode_header(const BlockHeader& header, ZstdCodec& codec) {
  ByteWriter out;
  out.text(header.host);
  out.text(header.kind);
  out.text(header.boot);
  out.varint(header.counters.size());
  for (const BlockCounter& c : header.counters) {
    out.text(c.counter.name);
    out.u8(static_cast<std::uint8_t>(c.counter.form));
    out.u64(c.hash);
    out.varint(c.bytes);
    write_references(c.references.growth, out);
    write_references(c.references.buckets, out);
  }
  write_times(header.times, out);
  out.varint(header.devices.size());
  for (const std::string& device : header.devices) out.text(device);
  out.varint(header.patterns.size());
  for (const Runs& runs : header.patterns) runs.write(out);
  for (const std::uint32_t pattern : header.presence) out.varint(pattern);
  for (const std::uint32_t active : header.active) out.varint(active);

  return seal(kBlockMagic, out.str(), codec);
}

Result<BlockHeader> decode_header(std::string_view bytes, std::string_view where, ZstdCodec& codec) {
  const auto damaged = [&](std::string_view what) {
    return fail(ErrorCode::kDamaged, std::string(where), fmt::format("damaged block header: {}", what));
  };
  const Result<std::string> raw = unseal(kBlockMagic, bytes, where, codec);
  if (!raw) return tl::unexpected<Error>(raw.error());

  BlockHeader header;
  ByteReader in{*raw};
  header.host = in.text(kMaxNameBytes);
  header.kind = in.text(kMaxNameBytes);
  header.boot = in.text(kMaxNameBytes);
  read_counters(in, header);
  header.times = read_times(in);
  read_devices(in, header);
  if (!in.ok() || !in.rest().empty() || header.times.empty()) return damaged("its fields do not add up");
  if (!references_end(header)) return damaged("its counters refer to each other in a circle");
  if (!names_are_unique(header)) return damaged("it names a device or a counter twice");
  return header;
}

}  // namespace laggard::archive
