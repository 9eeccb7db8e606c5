#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/grouping.h"

namespace laggard {

/// The hosts of which a witness has something, and which of them tell of a part: the first of
/// Grouping::hosts_of, by whatever name it was recorded, with its domain or without it.
class RecordedHosts {
 public:
  /// \param grouping  outlives this.
  explicit RecordedHosts(const Grouping& grouping) : grouping_(grouping) {}

  void add(std::string_view host);
  /// Each once, in the order of the parts.
  [[nodiscard]] std::vector<std::string> of(std::span<const Part> parts) const;
  /// The same without some; of more than `most` every so manyth, since those that lie together may be busy
  /// with the same.
  [[nodiscard]] std::vector<std::string> some_of(std::span<const Part> parts,
                                                 std::span<const std::string> without,
                                                 std::size_t most) const;

 private:
  [[nodiscard]] std::string host_of(const Part& part) const;

  const Grouping& grouping_;
  std::map<std::string, std::vector<std::string>, std::less<>> hosts_;  ///< By the name without a domain.
  std::optional<std::map<PartId, std::vector<Part>>> servers_;          ///< Grouping::servers_of_luns, once.
};

}  // namespace laggard
