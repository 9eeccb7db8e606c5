#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "model/system/grouping.h"

namespace laggard {

/// What operators do about what was found (T §5.6.1).
enum class DecisionKind : std::uint8_t {
  kRepaired,  ///< What was held against it is void.
  kExcluded,  ///< It is left out, so that a second problem under it can be seen.
  kIncluded,  ///< It is no longer left out.
  kNoted,     ///< Words for the next operator.
};
/// repaired, excluded, included, noted
[[nodiscard]] std::string_view to_name(DecisionKind kind);
[[nodiscard]] std::optional<DecisionKind> decision_kind(std::string_view name);

/// One line of an operators' ledger: who decided what about which subject, when and why.
struct Decision {
  DecisionKind kind = DecisionKind::kNoted;
  /// A component (`fs3/sdb`, `12.48.49`) or a part with all that runs through it (`fs3`, `ddn12a`); of notes
  /// also an incident's id.
  std::string subject;
  std::optional<WallTime> from;  ///< From when on it holds; nothing: always.
  WallTime made;
  std::string by;
  std::string why;
  bool operator==(const Decision&) const = default;
};

/// Whether the subject is the component or a part of the system that it runs through.
[[nodiscard]] bool is_named(const Component& component, std::string_view subject);

/// Whether the component is excluded from `from` to `to` without a break.
[[nodiscard]] bool excluded_throughout(const Component& component, std::span<const Decision> decisions,
                                       WallTime from, WallTime to);

/// The components that a subject names: itself, or all that run through the part of this name. Indices into
/// `grouping.components`, ascending; empty when it is the name of nothing.
[[nodiscard]] std::vector<std::size_t> components_of(const Grouping& grouping, std::string_view subject);

/// What a decision does to a component from some moment on.
struct Intervention {
  WallTime from;
  DecisionKind kind = DecisionKind::kNoted;
};

/// A ledger's decisions, in the order in which they were made, as questions about one component.
class Interventions {
 public:
  Interventions() = default;
  Interventions(const Grouping& grouping, std::span<const Decision> decisions);

  [[nodiscard]] bool empty() const { return events_.empty(); }
  /// Whether it is left out at `t`. Of decisions that hold from the same moment the one made last counts.
  [[nodiscard]] bool excluded(std::size_t component, WallTime t) const;
  /// Whether it was repaired in (after, until].
  [[nodiscard]] bool repaired(std::size_t component, WallTime after, WallTime until) const;

 private:
  std::vector<std::vector<Intervention>> events_;  ///< Per component, by time.
};

}  // namespace laggard
