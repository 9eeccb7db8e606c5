#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "model/diagnosis.h"
#include "model/series_source.h"

namespace laggard::cmd {

/// A source with the clocks of some hosts set right: what a host stamped while its clock was ahead is moved
/// back by as much, and the tables come in the order of a TableReader again. What is held for it is what the
/// source yields in the time of the largest shift. Spans asked for are those that the hosts' own clocks
/// showed, and so is the inventory.
class ShiftedSource final : public SeriesSource {
 public:
  ShiftedSource(std::unique_ptr<SeriesSource> source, const std::vector<ClockSkew>& skewed);

  [[nodiscard]] Result<Inventory> inventory() override;
  [[nodiscard]] Result<std::unique_ptr<TableReader>> read(const ReadRequest& request) override;
  [[nodiscard]] std::vector<std::string> notices() const override { return source_->notices(); }
  [[nodiscard]] std::vector<std::string> damaged() const override { return source_->damaged(); }

  /// By host; a stretch's end is not part of it.
  using Skews = std::map<std::string, std::vector<ClockSkew>, std::less<>>;

 private:
  std::unique_ptr<SeriesSource> source_;
  Skews skews_;
};

}  // namespace laggard::cmd
