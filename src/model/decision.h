#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "model/grouping.h"
#include "model/incident.h"

namespace laggard {

/// What operators do about what was found (T §5.6.1).
enum class DecisionKind : std::uint8_t {
  kRepaired,  ///< What was held against it is void.
  kExcluded,  ///< It is left out, so that a second problem under it can be seen.
  kIncluded,  ///< It is no longer left out.
  kNoted,     ///< Words for the next operator.
  kUndone,    ///< An earlier decision is taken back, as if it had never been made.
};
/// repaired, excluded, included, noted, undone
[[nodiscard]] std::string_view to_name(DecisionKind kind);
[[nodiscard]] std::optional<DecisionKind> decision_kind(std::string_view name);

/// One line of an operators' ledger: who decided what about which subject, when and why.
struct Decision {
  DecisionKind kind = DecisionKind::kNoted;
  /// A component (`fs3/sdb`, `12.48.49`), a part with all that runs through it (`fs3`, `ddn12a`), or an
  /// incident's id, which stands for the components that the incident has when the decision is made.
  std::string subject;
  std::optional<WallTime> from;  ///< From when on it holds; nothing: always.
  WallTime made;
  std::string by;
  std::string why;
  std::optional<KnownIncident> about{};  ///< The incident, where the subject is its id.
  std::optional<WallTime> undoes{};      ///< When the decision was made that this one takes back.
  bool operator==(const Decision&) const = default;
};

/// The decisions that hold: without those that were undone, and without the undoing itself. What is undone is
/// everything that was decided about that subject at that moment.
[[nodiscard]] std::vector<Decision> standing(std::span<const Decision> decisions);

/// Whether a later one of the decisions takes this one back.
[[nodiscard]] bool is_undone(const Decision& decision, std::span<const Decision> decisions);

/// Whether the subject is the component or a part of the system that it runs through.
[[nodiscard]] bool is_named(const Grouping& grouping, const Component& component, std::string_view subject);
/// The same of a decision's subject; an incident's id names its components.
[[nodiscard]] bool is_named(const Grouping& grouping, const Component& component, const Decision& decision);

/// Whether the component is excluded over the span without a break. \param decisions  those that stand.
[[nodiscard]] bool excluded_throughout(const Grouping& grouping, const Component& component,
                                       std::span<const Decision> decisions, TimeSpan span);

/// The components that a subject names: itself, or all that run through the part of this name. Indices into
/// `grouping.components`, ascending; empty when it is the name of nothing.
[[nodiscard]] std::vector<std::size_t> components_of(const Grouping& grouping, std::string_view subject);
[[nodiscard]] std::vector<std::size_t> components_of(const Grouping& grouping, const Decision& decision);

/// The incidents that decisions are about, undone ones too, each as the last decision about it knew it. A
/// repair of one of its components that stands ends it: what follows is another incident.
[[nodiscard]] std::vector<KnownIncident> known_incidents(const Grouping& grouping,
                                                         std::span<const Decision> decisions);

/// What a decision does to a component from some moment on.
struct Intervention {
  WallTime from;
  DecisionKind kind = DecisionKind::kNoted;
};

/// A ledger's decisions, in the order in which they were made, as questions about one component.
class Interventions {
 public:
  Interventions() = default;
  /// \param decisions  those that stand.
  Interventions(const Grouping& grouping, std::span<const Decision> decisions);

  [[nodiscard]] bool empty() const { return events_.empty(); }
  /// Per component, by time; empty when there are none at all.
  [[nodiscard]] std::span<const std::vector<Intervention>> events() const { return events_; }
  /// Whether it is left out at `t`. Of decisions that hold from the same moment the one made last counts.
  [[nodiscard]] bool excluded(std::size_t component, WallTime t) const;
  /// Whether it was repaired in (after, until].
  [[nodiscard]] bool repaired(std::size_t component, WallTime after, WallTime until) const;

 private:
  std::vector<std::vector<Intervention>> events_;  ///< Per component, by time.
};

}  // namespace laggard
