#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/error.h"
#include "model/event.h"
#include "model/observation_source.h"
#include "model/profile.h"

namespace laggard::cmd {

/// Lets only those events, or periods of profiles, through that a recording did not have before, so that
/// importing the same again adds nothing. Two are the same when everything about them is; one that came twice
/// and is there once is let through once. What was there is kept as a hash of 64 bits each: some 40 bytes.
class NewObservations final : public ObservationSink {
 public:
  /// Reads what the recording has of these kinds, if it is there. \param sink  outlives this.
  [[nodiscard]] static Result<NewObservations> open(const std::filesystem::path& recording,
                                                    ObservationShape shape,
                                                    const std::vector<std::string>& kinds,
                                                    ObservationSink& sink);

  [[nodiscard]] Status append(const EventTable& table) override { return append_new(table); }
  [[nodiscard]] Status append(const ProfileTable& table) override { return append_new(table); }

  [[nodiscard]] std::uint64_t already_there() const { return already_there_; }

 private:
  explicit NewObservations(ObservationSink& sink) : sink_(sink) {}

  template <typename Table>
  [[nodiscard]] Status note_all(ObservationReader<Table>& reader);
  template <typename Table>
  [[nodiscard]] Status append_new(const Table& table);

  ObservationSink& sink_;
  std::unordered_map<std::uint64_t, std::uint32_t> known_;  ///< How often each is left to be found again.
  std::uint64_t already_there_ = 0;
};

}  // namespace laggard::cmd
