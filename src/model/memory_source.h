#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "model/series_source.h"

namespace laggard {

/// Samples kept in memory: what tests and short-lived analyses use in place of an archive.
class MemorySource final : public SeriesSource, public TableSink {
 public:
  [[nodiscard]] Status append(const SampleTable& table) override;
  [[nodiscard]] Status describe(const DeviceInfo& device) override;

  [[nodiscard]] Result<Inventory> inventory() override;
  [[nodiscard]] Result<std::unique_ptr<TableReader>> read(const ReadRequest& request) override;

 private:
  std::vector<SampleTable> tables_;
  std::map<std::string, std::vector<std::pair<std::string, std::string>>> facts_;
};

/// The part of `table` that `request` asks for; without sample times when nothing is left.
[[nodiscard]] SampleTable select(const SampleTable& table, const ReadRequest& request);

}  // namespace laggard
