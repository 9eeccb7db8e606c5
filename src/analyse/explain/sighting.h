#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "analyse/explain/episodes.h"
#include "analyse/judge/group_judge.h"
#include "analyse/judge/spells.h"
#include "model/system/grouping.h"

namespace laggard::analyse {

/// The spells of one group, and what is needed to read them.
struct GroupSpells {
  std::vector<GroupJudge::Column> columns;
  std::vector<const Spell*> spells;
  std::vector<std::uint8_t> open;  ///< Per spell: still going on at the end of the recording.
};

/// A spell with where it came from.
struct Sighting {
  const Spell* spell = nullptr;
  const GroupSpells* group = nullptr;
  std::size_t component = 0;
  bool open = false;
};

/// All spells of all groups. Congestion windows alone are left out where retransmissions are recorded: they
/// wander on healthy servers.
[[nodiscard]] std::vector<Sighting> all_sightings(const Grouping& grouping,
                                                  std::span<const GroupSpells> groups);

/// When it was there. \param shift  cells between two windows.
[[nodiscard]] Trouble trouble_of(const Sighting& sighting, std::int64_t shift);

/// What a member did on average over its spell, and what the others did.
struct Levels {
  double own = 0;
  std::vector<double> others;
  [[nodiscard]] double peers() const;  ///< Their median.
};

/// Of one metric, or of two added up (`other` may be empty). Nothing when none of them was recorded.
[[nodiscard]] std::optional<Levels> levels_over(const Sighting& sighting, std::string_view one,
                                                std::string_view other = {});

/// Nothing was recorded of it in most of the windows, while its peers were: the device is gone.
[[nodiscard]] bool is_gone(const Sighting& sighting);

/// The attachment, disk or link did nothing while its peers worked, or is gone.
[[nodiscard]] bool is_lost(const Sighting& sighting);

/// Its latency differs, and it is not lost.
[[nodiscard]] bool is_slow(const Sighting& sighting);

/// It moves more through its storage than its peers do.
[[nodiscard]] bool moves_more(const Sighting& sighting);

}  // namespace laggard::analyse
