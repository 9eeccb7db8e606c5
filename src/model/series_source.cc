#include "model/series_source.h"

#include <utility>

namespace laggard {

namespace {

/// Of a source that has no work to share out.
class ReadyTable final : public PackedTable {
 public:
  explicit ReadyTable(SampleTable table) : table_(std::move(table)) {}
  [[nodiscard]] std::size_t cells() const override { return table_.cells(); }
  void unpack() override {}
  Result<std::optional<SampleTable>> take() override { return std::move(table_); }

 private:
  SampleTable table_;
};

}  // namespace

Result<std::unique_ptr<PackedTable>> TableReader::next_packed() {
  Result<std::optional<SampleTable>> table = next();
  if (!table) return forward(table);
  if (!*table) return std::unique_ptr<PackedTable>();
  return std::make_unique<ReadyTable>(std::move(**table));
}

}  // namespace laggard
