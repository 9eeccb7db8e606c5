#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "base/time.h"
#include "derive/derivation_table.h"
#include "model/observation_source.h"
#include "model/series_source.h"

namespace laggard::cmd {

/// The last sample of each host that has any.
[[nodiscard]] std::map<std::string, WallTime> last_samples(const Inventory& inventory);

/// When the newest event or profile was recorded; nothing without any.
[[nodiscard]] std::optional<WallTime> newest_of(std::span<const ObservationStream> streams);

/// Up to where a watch may judge: where the last sample is of every host that is waited for. A host is waited
/// for until it has been silent for so long that the others go on without it.
///
/// Of events and profiles nobody knows whether there are to be more, so hosts that have nothing else are not
/// waited for; but where samples are derived from events, these are what the host records.
class Watermark {
 public:
  using Note = std::function<void(const std::string&)>;

  /// \param silence  by how much a silent host's samples end earlier than the newest ones.
  /// \param note     is told who is silent and who records again.
  Watermark(Duration silence, Note note) : silence_(silence), note_(std::move(note)) {}

  /// Nothing where nothing is recorded. \param judged_until  for the note on a host that is back.
  [[nodiscard]] std::optional<WallTime> advance(const Inventory& inventory,
                                                std::span<const ObservationStream> streams,
                                                std::span<const derive::Derivation> derivations,
                                                std::optional<WallTime> judged_until);

 private:
  /// Whether the host is not waited for.
  [[nodiscard]] bool is_silent(const std::string& host, WallTime last, WallTime newest,
                               std::optional<WallTime> judged_until);

  Duration silence_;
  Note note_;
  std::map<std::string, WallTime> silent_;  ///< Hosts that are not waited for, and their last sample.
};

}  // namespace laggard::cmd
