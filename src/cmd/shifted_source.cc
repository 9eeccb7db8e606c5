#include "cmd/shifted_source.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

namespace laggard::cmd {

namespace {

SampleTable with_times(const SampleTable& table, std::vector<WallTime> times) {
  SampleTable moved(table.host(), table.kind(), table.counters(), table.devices(), std::move(times));
  moved.set_boot(table.boot());
  for (std::size_t c = 0; c < table.counters().size(); ++c) {
    for (std::size_t d = 0; d < table.devices().size(); ++d) {
      moved.copy(table, c, d, c, d);
    }
  }
  return moved;
}

WallTime set_right(WallTime time, const std::vector<ClockSkew>& skews) {
  for (const ClockSkew& skew : skews) {
    if (skew.from <= time && time < skew.to) return time - skew.ahead;
  }
  return time;
}

WallTime first_time(const SampleTable& table) {
  return table.times().empty() ? WallTime::min() : *std::ranges::min_element(table.times());
}

class ShiftedReader final : public TableReader {
 public:
  ShiftedReader(std::unique_ptr<TableReader> reader, const ShiftedSource::Skews& skews)
      : reader_(std::move(reader)), skews_(skews) {
    for (const auto& [host, stretches] : skews) {
      for (const ClockSkew& skew : stretches) furthest_ = std::max(furthest_, skew.ahead);
    }
  }

  [[nodiscard]] Result<std::optional<SampleTable>> next() override {
    while (!ended_ && (held_.empty() || held_.begin()->first.first > sure_)) {
      auto table = reader_->next();
      if (!table) return forward(table);
      if (table->has_value()) {
        hold(std::move(**table));
      } else {
        ended_ = true;
      }
    }
    if (held_.empty()) return std::nullopt;
    SampleTable table = std::move(held_.begin()->second);
    held_.erase(held_.begin());
    return table;
  }

 private:
  using Place = std::pair<WallTime, std::uint64_t>;

  void hold(SampleTable table) {
    const WallTime first = first_time(table);
    // Whatever comes now begins no earlier than this, and is moved back by no more than the furthest.
    if (!table.times().empty()) sure_ = std::max(sure_, first - furthest_);
    WallTime begins = first;
    if (const auto skews = skews_.find(table.host()); skews != skews_.end()) {
      std::vector<WallTime> times = table.times();
      for (WallTime& time : times) time = set_right(time, skews->second);
      table = with_times(table, std::move(times));
      begins = first_time(table);
    }
    // Tables of one host and kind stay in the order of recording, whatever a step does to their times.
    WallTime& last = last_[{table.host(), table.kind()}];
    last = std::max(last, begins);
    held_.emplace(Place{last, count_++}, std::move(table));
  }

  std::unique_ptr<TableReader> reader_;
  const ShiftedSource::Skews& skews_;
  Duration furthest_{};
  WallTime sure_ = WallTime::min();
  bool ended_ = false;
  std::uint64_t count_ = 0;
  std::map<std::pair<std::string, DeviceKind>, WallTime> last_;
  std::map<Place, SampleTable> held_;
};

}  // namespace

ShiftedSource::ShiftedSource(std::unique_ptr<SeriesSource> source, const std::vector<ClockSkew>& skewed)
    : source_(std::move(source)) {
  for (const ClockSkew& skew : skewed) skews_[skew.host].push_back(skew);
}

Result<Inventory> ShiftedSource::inventory() { return source_->inventory(); }

Result<std::unique_ptr<TableReader>> ShiftedSource::read(const ReadRequest& request) {
  auto reader = source_->read(request);
  if (!reader) return forward(reader);
  return std::make_unique<ShiftedReader>(std::move(*reader), skews_);
}

}  // namespace laggard::cmd
