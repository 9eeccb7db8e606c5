#include "send/batch.h"

#include <remote_write.pb.h>
#include <snappy.h>

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "base/error.h"

namespace laggard::send {

namespace {

/// Takes a stream's series apart along time, front to back.
class Cutter {
 public:
  Cutter(const StreamKey& stream, const std::vector<Series>& all) : stream_(stream) {
    std::unordered_map<std::int64_t, std::size_t> counts;
    for (const Series& series : all) {
      rest_.push_back({&series.labels, series.samples});
      for (const Sample& sample : series.samples) ++counts[sample.ms];
    }
    rows_.assign(counts.begin(), counts.end());
    std::sort(rows_.begin(), rows_.end());
  }

  [[nodiscard]] bool done() const { return next_ == rows_.size(); }

  /// As many whole times as have at most `most` samples together; at least one time.
  [[nodiscard]] Slice take(std::size_t most) {
    std::size_t samples = rows_[next_].second;
    std::size_t end = next_ + 1;
    while (end < rows_.size() && samples + rows_[end].second <= most) samples += rows_[end++].second;
    return take_to(std::exchange(next_, end), end);
  }
  [[nodiscard]] Slice take_row() { return take(0); }
  [[nodiscard]] std::size_t next_row() const { return rows_[next_].second; }

 private:
  Slice take_to(std::size_t begin, std::size_t end) {
    LAGGARD_CHECK(begin < end);
    Slice slice{.stream = stream_, .parts = {}, .samples = 0, .complete_to_ms = rows_[end - 1].first};
    for (Part& part : rest_) {
      std::size_t length = 0;
      while (length < part.samples.size() && part.samples[length].ms <= *slice.complete_to_ms) ++length;
      if (length == 0) continue;
      slice.parts.push_back({part.labels, part.samples.first(length)});
      slice.samples += length;
      part.samples = part.samples.subspan(length);
    }
    return slice;
  }

  StreamKey stream_;
  std::vector<Part> rest_;
  std::vector<std::pair<std::int64_t, std::size_t>> rows_;  ///< Times and their samples.
  std::size_t next_ = 0;
};

/// One time of so many devices that a request cannot hold it.
std::vector<Slice> cut_row(const Slice& row, std::size_t most) {
  std::vector<Slice> out;
  for (const Part& part : row.parts) {
    if (out.empty() || out.back().samples == most) {
      out.push_back({.stream = row.stream, .parts = {}, .samples = 0, .complete_to_ms = {}});
    }
    out.back().parts.push_back(part);
    out.back().samples += part.samples.size();
  }
  out.back().complete_to_ms = row.complete_to_ms;
  return out;
}

}  // namespace

std::size_t samples_of(const Batch& batch) {
  std::size_t samples = 0;
  for (const Slice& slice : batch) samples += slice.samples;
  return samples;
}

std::vector<Batch> cut_batches(const Window& window, std::size_t most) {
  LAGGARD_CHECK(most > 0);
  std::vector<Batch> batches;
  std::size_t room = 0;
  const auto put = [&](Slice slice) {
    if (slice.samples > room) {
      batches.emplace_back();
      room = most;
    }
    room -= slice.samples;
    batches.back().push_back(std::move(slice));
  };
  for (const auto& [key, all] : window.streams()) {
    Cutter cutter(key, all);
    while (!cutter.done()) {
      if (cutter.next_row() > most) {
        for (Slice& piece : cut_row(cutter.take_row(), most)) put(std::move(piece));
      } else {
        put(cutter.take(cutter.next_row() <= room ? room : most));
      }
    }
  }
  return batches;
}

std::vector<Slice> rows_of(const Slice& slice) {
  std::map<std::int64_t, Slice> rows;
  for (const Part& part : slice.parts) {
    for (std::size_t at = 0; at < part.samples.size(); ++at) {
      const std::int64_t ms = part.samples[at].ms;
      Slice& row = rows[ms];
      row.parts.push_back({part.labels, part.samples.subspan(at, 1)});
      ++row.samples;
      // A slice that leaves devices out completes nothing, and has one time only.
      if (slice.complete_to_ms) row.complete_to_ms = ms;
    }
  }
  std::vector<Slice> out;
  for (auto& [ms, row] : rows) {
    row.stream = slice.stream;
    out.push_back(std::move(row));
  }
  return out;
}

Slice joined(std::span<const Slice> rows) {
  LAGGARD_CHECK(!rows.empty());
  Slice out{
      .stream = rows.front().stream, .parts = {}, .samples = 0, .complete_to_ms = rows.back().complete_to_ms};
  std::map<const Labels*, std::size_t> index;
  for (const Slice& row : rows) {
    for (const Part& part : row.parts) {
      const auto [found, added] = index.try_emplace(part.labels, out.parts.size());
      if (added) {
        out.parts.push_back(part);
      } else {
        // Rows of one slice lie beside each other in the window.
        Part& before = out.parts[found->second];
        before.samples = {before.samples.data(), before.samples.size() + part.samples.size()};
      }
      out.samples += part.samples.size();
    }
  }
  return out;
}

struct Encoder::Buffers {
  wire::WriteRequest request;
  std::string plain;
};

Encoder::Encoder() : buffers_(std::make_unique<Buffers>()) {}
Encoder::~Encoder() = default;

std::string Encoder::encode(const Batch& batch) {
  wire::WriteRequest& request = buffers_->request;
  request.Clear();
  for (const Slice& slice : batch) {
    for (const Part& part : slice.parts) {
      wire::TimeSeries& series = *request.add_timeseries();
      for (const auto& [name, value] : *part.labels) {
        wire::Label& label = *series.add_labels();
        label.set_name(name);
        label.set_value(value);
      }
      for (const Sample& sample : part.samples) {
        wire::Sample& sent = *series.add_samples();
        sent.set_value(sample.value);
        sent.set_timestamp(sample.ms);
      }
    }
  }
  LAGGARD_CHECK(request.SerializeToString(&buffers_->plain));
  std::string packed;
  snappy::Compress(buffers_->plain.data(), buffers_->plain.size(), &packed);
  return packed;
}

}  // namespace laggard::send
