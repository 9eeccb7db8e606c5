#pragma once

#include <cstddef>
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

/// Lets only those events through that a recording did not have before, so that importing the same again
/// adds nothing. An event that happened twice and is there once is let through once. What was there is kept
/// as a hash of 64 bits each: some 40 bytes an event.
class NewEvents final : public ObservationSink {
 public:
  /// Reads what the recording has of these events, if it is there. \param sink  outlives this.
  [[nodiscard]] static Result<NewEvents> open(const std::filesystem::path& recording, const std::string& kind,
                                              ObservationSink& sink);

  [[nodiscard]] Status append(const EventTable& table) override;
  [[nodiscard]] Status append(const ProfileTable& table) override { return sink_.append(table); }

  [[nodiscard]] std::uint64_t already_there() const { return already_there_; }

 private:
  explicit NewEvents(ObservationSink& sink) : sink_(sink) {}

  ObservationSink& sink_;
  std::unordered_map<std::uint64_t, std::uint32_t> known_;  ///< How often each is left to be found again.
  std::uint64_t already_there_ = 0;
};

}  // namespace laggard::cmd
