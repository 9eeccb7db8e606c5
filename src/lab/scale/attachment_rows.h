#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "lab/scale/request_account.h"
#include "model/sample_table.h"

namespace laggard::lab::scale {

/// The counters of one attachment as /proc/diskstats shows them, sample after sample. Cells of a table are
/// written run by run: samples in which nothing happens are filled at once, which makes thousands of idle
/// attachments cheap.
class AttachmentRows {
 public:
  /// Starts the cells of the next stretch of samples; those of the previous stretch must be complete.
  void begin(SampleTable& table, std::size_t device);

  /// Adds the work of the interval that ends with sample `row`.
  void work(std::size_t row, const Work& work);
  /// Whether the device exists from sample `row` on; it comes back with counters of zero.
  void set_present(std::size_t row, bool present);

  void finish(std::size_t rows) { fill_to(rows); }

  /// Sets the counters before the first sample, as of a machine that has been up for a while.
  void seed(std::uint64_t requests);

  static std::vector<TableCounter> counters();

 private:
  static constexpr std::size_t kCounters = 9;
  void fill_to(std::size_t row);
  void reset();
  [[nodiscard]] std::array<std::uint64_t, kCounters> values() const;

  SampleTable* table_ = nullptr;
  std::size_t device_ = 0;
  std::size_t filled_ = 0;
  bool present_ = true;
  std::uint64_t rd_ios_ = 0;
  std::uint64_t wr_ios_ = 0;
  double rd_sectors_ = 0;
  double wr_sectors_ = 0;
  double rd_ms_ = 0;
  double wr_ms_ = 0;
  double io_ms_ = 0;
  double weighted_ms_ = 0;
  std::uint64_t in_flight_ = 0;
};

}  // namespace laggard::lab::scale
