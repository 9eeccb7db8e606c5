#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analyse/explain/episodes.h"
#include "analyse/explain/sighting.h"
#include "analyse/judge/constants.h"
#include "base/time.h"
#include "model/system/grouping.h"

namespace laggard::analyse {

struct IncidentOptions {
  std::size_t size = 60;   ///< Of a window, in cells.
  std::size_t shift = 30;  ///< Of two windows, in cells.
  std::size_t k = 3;
  Constants constants;
  bool paper = false;  ///< No secondary manifestations, no merging beyond one server: F's indictment.
  std::int64_t confirm_persistence = 1;  ///< Of the preset; constants has the severity.

  /// Windows that are no more than 2k-1 apart belong together.
  [[nodiscard]] std::int64_t slack() const { return static_cast<std::int64_t>(shift * (2 * k - 1)); }
};

/// What has load in place of something that is lost.
struct Relief {
  Sighting sighting;
  std::size_t instead_of = 0;  ///< The component that is lost.
};

/// An incident in the making: one part that is to blame, and what was seen of its trouble.
///
/// Of several components the times are those of the one in eight that was first (of up to eight, the first):
/// one LUN that was odd before does not move the beginning of a whole controller's trouble.
struct Draft {
  Blamed blamed;
  std::vector<Sighting> sightings;
  std::vector<Relief> relief;
  std::size_t companions = 0;  ///< Other LUNs that became slow with it, though less.
  double strength = 0;         ///< Of the strongest spell.
  WallTime since;
  WallTime until;
  WallTime faulty_since;
  std::optional<WallTime> persistent_since;
  std::optional<WallTime> confirmed_since;
  std::int64_t first = 0;  ///< Positions, as in Spell.
  std::int64_t last = 0;
  bool open = false;
};

/// From spells to drafts, by part and time (episodes.h).
///
/// *Take-overs* (take_over.h) accuse nobody; they go with the draft that has what they stand in for.
///
/// *Suspects must not convict*: when components that are confirmed and such that are only suspected would be
/// blamed on a part that the confirmed ones alone do not point to, each kind is explained for itself. So a
/// server is not called sick because one of its disks is and others look odd at times.
///
/// *Many at once confirm each other* (T §5.6.1, §6.4.1): a draft of several components is confirmed when the
/// sum of their severities, or of their persistences, reaches what one component needs alone.
///
/// The same sum of severities makes them faulty at once when it reaches what one component needs for that.
///
/// *Beginning*: the bias detector looks back over hours; where a distance saw the same component, the
/// beginning is taken from that.
///
/// *Companions* (T §6.3): while a LUN is slow, at least two others of its array become less slow within two
/// windows of each other, without more work and without a part to blame: an array that repairs a LUN slows
/// its neighbours. They go with that LUN's draft. Less slow is whose work waited less in excess of its peers'
/// over all: scores stop telling LUNs apart that stand out far, the bias detector's above all.
///
/// *Recurrence*: the same part's trouble that comes back within four times 2k-1 windows is one draft.
[[nodiscard]] std::vector<Draft> make_drafts(const Grouping& grouping, std::span<const GroupSpells> groups,
                                             const IncidentOptions& options);

}  // namespace laggard::analyse
