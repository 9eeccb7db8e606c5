#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "base/state_codec.h"
#include "model/incident.h"
#include "model/payload.h"

namespace laggard {

/// How incidents and changes are saved and restored (base/state_codec.h).
template <>
struct StateOf<Part> {
  template <class State, class Self>
  static void exchange(State& state, Self& self) {
    std::string kind(to_name(self.kind));  // Rows of the table of kinds may move.
    state(kind, self.name, self.called);
    if constexpr (State::kRestores) {
      const std::optional<PartKind> found = find_part_kind(kind);
      state.require(found.has_value());
      if (found) self.kind = *found;
    }
  }
};

template <>
struct StateOf<SeriesPayload::Line> {
  template <class State, class Self>
  static void exchange(State& state, Self& self) {
    state(self.name, self.values);
  }
};
template <>
struct StateOf<SeriesPayload> {
  template <class State, class Self>
  static void exchange(State& state, Self& self) {
    state(self.unit, self.times, self.lines);
  }
};
template <>
struct StateOf<DistributionPayload::Sample> {
  template <class State, class Self>
  static void exchange(State& state, Self& self) {
    state(self.name, self.sorted);
  }
};
template <>
struct StateOf<DistributionPayload> {
  template <class State, class Self>
  static void exchange(State& state, Self& self) {
    state(self.unit, self.samples);
  }
};
template <>
struct StateOf<TablePayload> {
  template <class State, class Self>
  static void exchange(State& state, Self& self) {
    state(self.columns, self.rows);
  }
};
template <>
struct StateOf<RankedPayload::Entry> {
  template <class State, class Self>
  static void exchange(State& state, Self& self) {
    state(self.name, self.own, self.peers, self.low, self.high);
  }
};
template <>
struct StateOf<RankedPayload> {
  template <class State, class Self>
  static void exchange(State& state, Self& self) {
    state(self.unit, self.entries);
  }
};
template <>
struct StateOf<LinesPayload::Line> {
  template <class State, class Self>
  static void exchange(State& state, Self& self) {
    state(self.time, self.text);
  }
};
template <>
struct StateOf<LinesPayload> {
  template <class State, class Self>
  static void exchange(State& state, Self& self) {
    state(self.lines);
  }
};

template <>
struct StateOf<GridPayload> {
  template <class State, class Self>
  static void exchange(State& state, Self& self) {
    state(self.unit, self.row_kind, self.column_kind, self.rows, self.columns, self.values, self.in_time);
    state.require(self.values.size() == self.rows.size() * self.columns.size());
  }
};

template <>
struct StateOf<FlamesPayload::Frame> {
  template <class State, class Self>
  static void exchange(State& state, Self& self) {
    state(self.name, self.depth, self.own, self.peers);
  }
};
template <>
struct StateOf<FlamesPayload> {
  template <class State, class Self>
  static void exchange(State& state, Self& self) {
    state(self.unit, self.frames);
    // One whole, and every other frame is a part of one before it.
    for (std::size_t f = 0; f < self.frames.size(); ++f) {
      const std::size_t depth = self.frames[f].depth;
      state.require(f == 0 ? depth == 0 : depth >= 1 && depth <= self.frames[f - 1].depth + 1);
    }
  }
};

template <>
struct StateOf<Payload> {
  template <class State, class Self>
  static void exchange(State& state, Self& self) {
    std::size_t shape = self.shape.index();
    state(self.title, shape);
    if constexpr (State::kRestores) take_shape<0>(state, self, shape);
    std::visit([&](auto& payload) { state(payload); }, self.shape);
  }

 private:
  template <std::size_t Shape, class State>
  static void take_shape(State& state, Payload& payload, std::size_t shape) {
    if constexpr (Shape < std::variant_size_v<decltype(payload.shape)>) {
      if (shape == Shape) {
        payload.shape.template emplace<Shape>();
      } else {
        take_shape<Shape + 1>(state, payload, shape);
      }
    } else {
      state.require(false);
    }
  }
};

/// 0: none.
template <class State, class Mode>
void exchange_mode(State& state, Mode& mode) {
  std::uint8_t number = 0;
  if constexpr (!State::kRestores) {
    if (mode) number = *mode == FailureMode::kReliability ? 1 : 2;
  }
  state(number);
  if constexpr (State::kRestores) {
    state.require(number <= 2);
    mode.reset();
    if (number > 0) mode = number == 1 ? FailureMode::kReliability : FailureMode::kOverload;
  }
}

template <>
struct StateOf<IncidentDecision> {
  template <class State, class Self>
  static void exchange(State& state, Self& self) {
    state(self.what, self.made, self.by, self.why, self.undone);
  }
};

template <>
struct StateOf<Evidence> {
  static constexpr std::size_t kMostWindows = 100'000;

  template <class State, class Self>
  static void exchange(State& state, Self& self) {
    state(self.source, self.metric, self.component, self.detector, self.distance, self.threshold, self.score,
          self.level, self.peers, self.unit);
    state.times(self.windows, kMostWindows);
    state(self.worst_window, self.note, self.part, self.alike, self.payloads, self.peer_count, self.window_s);
    exchange_mode(state, self.mode);
    state(self.surmised, self.waits);
  }
};

template <>
struct StateOf<Impact> {
  template <class State, class Self>
  static void exchange(State& state, Self& self) {
    state(self.group, self.before, self.during, self.unit);
  }
};

template <>
struct StateOf<Incident> {
  template <class State, class Self>
  static void exchange(State& state, Self& self) {
    state(self.id, self.since, self.faulty_since, self.persistent_since, self.confirmed_since, self.until,
          self.seen_until);
    state.enumerator(self.state, IncidentState::kConfirmed);
    state(self.as_ever);
    state.enumerator(self.status, IncidentStatus::kWithdrawn);
    state(self.confidence, self.blame, self.alternatives, self.components, self.cause, self.resource,
          self.rule, self.why, self.check, self.persistence, self.severity);
    state.enumerator(self.thresholds, ThresholdOrigin::kSelf);
    state(self.evidence, self.also_known_as, self.decisions, self.impact);
    exchange_mode(state, self.mode);
  }
};

template <>
struct StateOf<Change> {
  template <class State, class Self>
  static void exchange(State& state, Self& self) {
    state.enumerator(self.kind, ChangeKind::kExplained);
    state(self.number, self.at, self.incident, self.into);
  }
};

}  // namespace laggard
