#include "engine/change_tracker.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <tuple>
#include <utility>

#include "explain/ids.h"

namespace laggard::engine {

namespace {

bool is_over(ChangeKind kind) { return kind == ChangeKind::kQuiet || kind == ChangeKind::kClosed; }

/// What an incident is called, which people are told again when it is another for good.
auto name_of(const Incident& incident) { return std::tie(incident.blame, incident.cause, incident.resource); }

/// What a last verdict may not leave untold.
auto all_of(const Incident& incident) {
  return std::tie(incident.blame, incident.cause, incident.resource, incident.components, incident.state,
                  incident.since, incident.faulty_since, incident.seen_until, incident.severity,
                  incident.persistence);
}

KnownIncident as_known(const ChangeTracker::Told& told) {
  const Incident& incident = told.incident;
  return {.id = incident.id,
          .blamed = incident.blame.name,
          .cause = incident.cause,
          .since = incident.since,
          .until = told.seen_until,
          .components = incident.components};
}

/// Both sorted.
void add_names(const std::vector<std::string>& components, std::vector<std::string>& named) {
  std::vector<std::string> all;
  std::ranges::set_union(named, components, std::back_inserter(all));
  named = std::move(all);
}

}  // namespace

void ChangeTracker::tell(ChangeKind kind, const Incident& incident, std::vector<Change>& changes,
                         std::string into) {
  changes.push_back(
      {.kind = kind, .number = ++number_, .at = at_, .incident = incident, .into = std::move(into)});
  if (is_gone(kind)) {
    told_.erase(incident.id);
    return;
  }
  const auto [known, is_new] = told_.try_emplace(incident.id);
  Told& told = known->second;
  if (is_new) told.opened = at_;
  const bool open = incident.status == IncidentStatus::kOpen;
  told.came_back = told.came_back || (open && is_over(told.kind));
  if (open || is_over(kind) || !is_over(told.kind)) told.kind = kind;
  told.incident = incident;
  told.seen_until = incident.seen_until;
  told.untrue_since.reset();
  add_names(incident.components, told.named);
}

/// Whether blame and cause have been others than was told for so long that it has to be told. They may have
/// been several, one after the other.
bool ChangeTracker::is_renamed(const Told& told) const {
  if (!told.untrue_since) return false;
  return at_ - *told.untrue_since >= patience_.lasting || at_ - told.opened < patience_.lasting;
}

bool ChangeTracker::is_alarm(const Incident& incident) const {
  const bool overload = incident.mode == FailureMode::kOverload;
  const Duration least =
      overload ? std::max(patience_.alarm_after, patience_.overload_alarm_after) : patience_.alarm_after;
  return incident.seen_until - incident.since >= least;
}

void ChangeTracker::look_at_known(Told& told, const Incident& incident, std::vector<Change>& changes) {
  told.seen_until = incident.seen_until;
  if (name_of(told.incident) == name_of(incident)) {
    told.untrue_since.reset();
  } else if (!told.untrue_since) {
    told.untrue_since = at_;
  }
  const bool open = incident.status == IncidentStatus::kOpen;
  const bool names_others = !std::ranges::includes(told.named, incident.components);
  if (told.incident.state == IncidentState::kSuspected && incident.state == IncidentState::kConfirmed) {
    tell(ChangeKind::kConfirmed, incident, changes);
  } else if (names_others || is_renamed(told) || (open && is_over(told.kind))) {
    tell(ChangeKind::kGrew, incident, changes);
  } else if (!open && told.kind != ChangeKind::kClosed &&
             at_ - incident.seen_until > patience_.closed_after) {
    tell(ChangeKind::kClosed, incident, changes);
  } else if (!open && !is_over(told.kind) && !told.came_back) {
    tell(ChangeKind::kQuiet, incident, changes);
  }
}

void ChangeTracker::look_at(const Incident& incident, std::vector<Change>& changes) {
  const auto known = told_.find(incident.id);
  if (is_accounted_for(incident)) {
    const bool explained = incident.status == IncidentStatus::kExplained;
    const ChangeKind kind = explained ? ChangeKind::kExplained : ChangeKind::kWithdrawn;
    if (known != told_.end()) tell(kind, incident, changes);
  } else if (known == told_.end()) {
    if (is_alarm(incident)) tell(ChangeKind::kOpened, incident, changes);
  } else {
    look_at_known(known->second, incident, changes);
  }
}

/// What was told of and is in no verdict any more.
void ChangeTracker::look_for_lost(std::span<const Incident> incidents, std::vector<Change>& changes) {
  std::vector<Told> lost;
  for (const auto& [id, told] : told_) {
    if (std::ranges::find(incidents, id, &Incident::id) == incidents.end()) lost.push_back(told);
  }
  // The engine forgets what has long been closed.
  std::erase_if(lost, [&](const Told& told) {
    return told.kind == ChangeKind::kClosed && told_.erase(told.incident.id) > 0;
  });
  for (const Told& told : lost) {
    const auto into = std::ranges::find_if(incidents, [&](const Incident& incident) {
      return std::ranges::find(incident.also_known_as, told.incident.id) != incident.also_known_as.end();
    });
    if (into != incidents.end()) {
      tell(ChangeKind::kMerged, told.incident, changes, into->id);
    } else {
      tell(ChangeKind::kWithdrawn, told.incident, changes);
    }
  }
}

/// Under the names that they were told of.
void ChangeTracker::call_as_known(std::vector<Incident>& incidents) const {
  std::vector<KnownIncident> known;
  for (const auto& [id, told] : told_) known.push_back(as_known(told));
  explain::keep_known_ids(incidents, known);
  std::ranges::stable_sort(incidents, {},
                           [](const Incident& incident) { return std::tie(incident.since, incident.id); });
}

std::vector<Change> ChangeTracker::update(std::vector<Incident> incidents, WallTime at) {
  at_ = at;
  call_as_known(incidents);
  std::vector<Change> changes;
  look_for_lost(incidents, changes);
  for (const Incident& incident : incidents) look_at(incident, changes);
  return changes;
}

std::vector<Change> ChangeTracker::finish(std::vector<Incident> incidents, WallTime at) {
  call_as_known(incidents);
  std::vector<Change> changes = update(incidents, at);
  const auto go_on = [&](std::vector<Change> more) {
    changes.insert(changes.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
    return !more.empty();
  };
  // An incident can be confirmed and over at once, and each is told.
  while (go_on(update(incidents, at))) {
  }
  std::vector<Change> last;
  for (const Incident& incident : incidents) {
    const auto told = told_.find(incident.id);
    if (told == told_.end()) continue;
    if (incident.status != IncidentStatus::kOpen && !is_over(told->second.kind)) {
      tell(ChangeKind::kQuiet, incident, last);
    } else if (all_of(told->second.incident) != all_of(incident)) {
      tell(ChangeKind::kGrew, incident, last);
    }
  }
  go_on(std::move(last));
  return changes;
}

std::vector<Incident> ChangeTracker::open() const {
  std::vector<Incident> open;
  for (const auto& [id, told] : told_) {
    if (!is_over(told.kind)) open.push_back(told.incident);
  }
  return open;
}

ChangeTracker::State ChangeTracker::state() const {
  State state{.number = number_, .at = at_, .told = {}};
  for (const auto& [id, told] : told_) state.told.push_back(told);
  return state;
}

void ChangeTracker::restore(State state) {
  number_ = state.number;
  at_ = state.at;
  told_.clear();
  for (Told& told : state.told) told_.insert_or_assign(told.incident.id, std::move(told));
}

}  // namespace laggard::engine
