#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace laggard::lab::bench {

/// The file in a modelled disk's folder that says what is wrong with it.
inline constexpr const char* kAilmentFile = "ailment";

/// What is wrong with a modelled disk. The default is a healthy one.
struct DiskAilment {
  double slower = 1;  ///< Requests take so many times as long.
  /// Only in the first part of every strip of kStripBytes is the disk slower: this share of it. 0:
  /// everywhere.
  double region = 0;
  double stall =
      0;  ///< Seconds for which it stands still, the first time kFirstStall s after it fell ill ...
  double every = 0;   ///< ... and then in this distance, s.
  double failed = 0;  ///< The share of requests that it has to repeat ...
  double retry = 0;   ///< ... each of which takes so many ms longer.
  bool operator==(const DiskAilment&) const = default;

  static constexpr std::int64_t kStripBytes = 64 << 20;
  static constexpr double kFirstStall = 5;
};

/// Sets a member by its name. \return whether there is one, and the value is possible
[[nodiscard]] bool set_ailment(DiskAilment& ailment, std::string_view name, double value);

/// `slower=5 region=0 …`
[[nodiscard]] std::string to_text(const DiskAilment& ailment);
/// The same backwards, a part of the members too; nothing when anything in it is not understood.
[[nodiscard]] std::optional<DiskAilment> parse_ailment(std::string_view text);

/// A request to a modelled disk.
struct HealthyRequest {
  std::int64_t offset = 0;
  double ms = 0;      ///< What it takes when nothing is wrong.
  double chance = 1;  ///< Drawn from [0, 1).
};

/// What it takes: m · slower where the disk is slow, plus `retry` when it is one of those that fail.
[[nodiscard]] double ailing_ms(const DiskAilment& ailment, const HealthyRequest& request);

/// How long the disk still stands still, in ms, at `ms` milliseconds after it fell ill; 0: it does not.
[[nodiscard]] double standstill_ms(const DiskAilment& ailment, double ms);

}  // namespace laggard::lab::bench
