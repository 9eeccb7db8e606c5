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

/// Lets only those periods of profiles through that a recording did not have before, so that importing the
/// same again adds nothing. A period is the same when its host, kind, time, subject and all of its counts
/// are. What was there is kept as a hash of 64 bits each.
class NewProfiles final : public ObservationSink {
 public:
  /// Reads what the recording has of profiles of these kinds, if it is there. \param sink  outlives this.
  [[nodiscard]] static Result<NewProfiles> open(const std::filesystem::path& recording,
                                                const std::vector<std::string>& kinds, ObservationSink& sink);

  [[nodiscard]] Status append(const EventTable& table) override { return sink_.append(table); }
  [[nodiscard]] Status append(const ProfileTable& table) override;

  [[nodiscard]] std::uint64_t already_there() const { return already_there_; }

 private:
  explicit NewProfiles(ObservationSink& sink) : sink_(sink) {}

  ObservationSink& sink_;
  std::unordered_map<std::uint64_t, std::uint32_t> known_;  ///< How often each is left to be found again.
  std::uint64_t already_there_ = 0;
};

}  // namespace laggard::cmd
