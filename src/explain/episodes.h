#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "explain/losses.h"
#include "explain/part_map.h"
#include "model/finding.h"
#include "model/incident.h"

namespace laggard::explain {

/// A part of the system that explains why some subjects (part_map.h) are sick, and the subjects that it
/// explains.
struct Blamed {
  Part blame;
  std::vector<std::size_t> subjects;  ///< Ascending.
  std::vector<Part> alternatives;     ///< Parts that explain the same subjects nearly as well.
};

/// Whom a finding of those that the map was made of is about, and when. \param shift  cells between two
/// windows.
[[nodiscard]] AffectedSpan affected_span(const PartMap& map, const Finding& finding, std::int64_t shift);

/// A stretch of time in which one part is to blame, and the spans that it explains.
struct Episode {
  Blamed blamed;
  std::vector<std::size_t> spans;  ///< Indices, ascending.
  std::int64_t first = 0;
  std::int64_t last = 0;
};

struct EpisodeOptions {
  std::int64_t shift = 1;  ///< Cells between two windows: the unit in which stretches of time are weighed.
  std::int64_t slack = 0;  ///< An episode may pause for so many cells.
  std::int64_t recurrence = 0;  ///< A loss may.
};

/// Which parts of the system explain the spans, and when (T §8.1, docs/methods/blame.md): the shared part
/// most common to the affected and least common to the unaffected; then the same for what it leaves
/// unexplained, so that two problems come out as two.
///
/// Of every part, Tally says at each moment whether it may be blamed, and what it gains. An *episode* of a
/// part is a longest stretch around its peak, the moment at which it may be blamed and most of its components
/// are affected, in which at least a quarter as many are, with pauses of at most `slack`: a problem grows and
/// fades. Its gain is the sum of Tally::gain over its windows.
///
/// The episode with the largest gain is taken first (then the larger share at its peak, then the larger
/// part). It explains those spans of the part's components that lie in it for more than half of their
/// length. If these alone would not let the part be blamed at any moment, the episode explains nothing. Then
/// the same again for what is left.
///
/// What a detector has localized itself (Finding::localized) is explained by parts of its own size, and by a
/// larger one only when a finding is about that one, too.
///
/// So a slow LUN is kept apart from the controller that fails hours later, and what merely happens on the
/// same day is not added up.
///
/// *Explaining away* (T §5.6.1: what is known to be sick is excluded, and the rest looked at again): what is
/// lost together (losses.h) is explained before and apart from everything else, loss by loss. Whoever is lost
/// to an earlier loss speaks neither for nor against the parts that are blamed for later ones, and whoever is
/// lost at all says nothing of what is wrong besides. Of parts that explain a later loss equally well,
/// because what only the larger one has was lost before, the smaller one is blamed.
[[nodiscard]] std::vector<Episode> find_episodes(const PartMap& map, std::span<const AffectedSpan> spans,
                                                 const EpisodeOptions& options);

}  // namespace laggard::explain
