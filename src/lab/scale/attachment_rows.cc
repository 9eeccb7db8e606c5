#include "lab/scale/attachment_rows.h"

#include <algorithm>

namespace laggard::lab::scale {

std::vector<TableCounter> AttachmentRows::counters() {
  std::vector<TableCounter> counters;
  for (const char* name : {"rd_ios", "rd_sectors", "rd_ms", "wr_ios", "wr_sectors", "wr_ms", "in_flight",
                           "io_ms", "weighted_ms"}) {
    counters.push_back({name, find_counter(DeviceKind::kDisk, name)->form});
  }
  return counters;
}

void AttachmentRows::begin(SampleTable& table, std::size_t device) {
  table_ = &table;
  device_ = device;
  filled_ = 0;
}

std::array<std::uint64_t, AttachmentRows::kCounters> AttachmentRows::values() const {
  const auto whole = [](double x) { return static_cast<std::uint64_t>(x); };
  return {rd_ios_,    whole(rd_sectors_), whole(rd_ms_),      wr_ios_, whole(wr_sectors_), whole(wr_ms_),
          in_flight_, whole(io_ms_),      whole(weighted_ms_)};
}

void AttachmentRows::fill_to(std::size_t row) {
  if (row <= filled_) return;
  if (present_) {
    constexpr std::size_t kInFlight = 6;
    const auto cells = values();
    for (std::size_t c = 0; c < kCounters; ++c) {
      const auto from = static_cast<std::ptrdiff_t>(filled_);
      const auto to = static_cast<std::ptrdiff_t>(row);
      const std::span<std::uint64_t> series = table_->series(c, device_);
      const std::span<std::uint8_t> presence = table_->presence(c, device_);
      // What was in flight at a sample is done by the next one.
      const std::uint64_t rest = c == kInFlight ? 0 : cells[c];
      series[filled_] = cells[c];
      std::fill(series.begin() + from + 1, series.begin() + to, rest);
      std::fill(presence.begin() + from, presence.begin() + to, std::uint8_t{1});
    }
  }
  in_flight_ = 0;
  filled_ = row;
}

void AttachmentRows::work(std::size_t row, const Work& work) {
  fill_to(row);
  rd_ios_ += work.reads;
  wr_ios_ += work.writes;
  rd_sectors_ += work.read_sectors;
  wr_sectors_ += work.write_sectors;
  rd_ms_ += work.read_ms;
  wr_ms_ += work.write_ms;
  io_ms_ += work.busy_ms;
  weighted_ms_ += work.weighted_ms;
  in_flight_ += work.in_flight;
}

void AttachmentRows::set_present(std::size_t row, bool present) {
  if (present == present_) return;
  fill_to(row);
  present_ = present;
  if (present) reset();
}

void AttachmentRows::reset() {
  rd_ios_ = wr_ios_ = in_flight_ = 0;
  rd_sectors_ = wr_sectors_ = rd_ms_ = wr_ms_ = io_ms_ = weighted_ms_ = 0;
}

void AttachmentRows::seed(std::uint64_t requests) {
  constexpr double kSectors = 700;
  constexpr double kWaitMs = 6;
  rd_ios_ = requests / 2;
  wr_ios_ = requests - rd_ios_;
  rd_sectors_ = static_cast<double>(rd_ios_) * kSectors;
  wr_sectors_ = static_cast<double>(wr_ios_) * kSectors;
  rd_ms_ = static_cast<double>(rd_ios_) * kWaitMs;
  wr_ms_ = static_cast<double>(wr_ios_) * kWaitMs;
  io_ms_ = (rd_ms_ + wr_ms_) / 2;
  weighted_ms_ = rd_ms_ + wr_ms_;
}

}  // namespace laggard::lab::scale
