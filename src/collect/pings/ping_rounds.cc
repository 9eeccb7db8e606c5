#include "collect/pings/ping_rounds.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace laggard::collect {

namespace {

constexpr int kNotDirect = -1;
constexpr int kGone = -2;
constexpr int kNotPrepared = -3;

std::string name_of_error(int error) {
  const char* name = ::strerrorname_np(error);
  return name != nullptr ? name : std::to_string(error);
}

std::string_view outcome_of(const PingResult& result, bool timed_out, Duration deadline) {
  if (result.skipped) return "skipped";
  if (result.error != 0) return "error";
  return timed_out || result.latency >= deadline ? "slow" : "ok";
}

}  // namespace

PingRounds::PingRounds(PingPlan plan, PingRunner& runner, Say say)
    : plan_(std::move(plan)), runner_(runner), say_(std::move(say)), schedule_(plan_.interval) {
  for (std::size_t t = 0; t < plan_.targets.size(); ++t) {
    for (const PingOperation operation : plan_.operations) {
      slots_.push_back({.target = t, .operation = operation});
    }
  }
}

void PingRounds::tell(const Slot& slot, const Told& told, EventTable& events) {
  const std::string& target = plan_.targets[slot.target].name;
  const std::string operation(to_name(slot.operation));
  if (told.latency && told.error == 0) {
    histogram_.count(target, operation, *told.latency);
  } else {
    histogram_.count(target, operation, std::string(told.outcome));
  }
  const auto subject = events.intern(target);
  const auto what = events.intern(told.outcome);
  const auto operation_word = events.intern(operation);
  if (!subject || !what || !operation_word) {
    events.add_loss({told.time, told.time, 1, "too many names"});
    return;
  }
  events.append({.time = told.time, .duration = told.latency, .subject = *subject, .what = *what});
  const auto set = [&](std::string_view key, std::int64_t value) {
    if (const auto column = events.attribute(key, AttributeForm::kInteger)) events.set(*column, value);
  };
  const auto set_word = [&](std::string_view key, Word word) {
    if (const auto column = events.attribute(key, AttributeForm::kWord)) events.set(*column, word);
  };
  set_word("operation", *operation_word);
  set("probe", static_cast<std::int64_t>(told.probe));
  if (told.error != 0) {
    if (const auto error = events.intern(name_of_error(told.error))) set_word("error", *error);
  }
  if (told.timed_out) set("timed_out", 1);
  if (!told.direct) set("direct", 0);
  if (told.waiting) set("waiting_ns", told.waiting->count());
}

void PingRounds::say_once(std::size_t target, int what, const std::string& sentence) {
  if (said_.emplace(target, what).second && say_) say_(plan_.targets[target].name + ": " + sentence);
}

PingRounds::Slot* PingRounds::slot_of(std::uint64_t probe) {
  const auto slot = std::ranges::find_if(
      slots_, [&](const Slot& one) { return one.under_way && one.under_way->probe == probe; });
  return slot == slots_.end() ? nullptr : &*slot;
}

void PingRounds::enter(PingPhase phase, std::uint64_t probe, Clock& clock) {
  Slot* slot = slot_of(probe);
  if (slot == nullptr) return;
  const bool is_prepared = phase == PingPhase::kUnderWay;
  // What is asked of others after the request does not move its beginning.
  slot->under_way = UnderWay{.probe = probe,
                             .begun = is_prepared ? clock.wall() : slot->under_way->begun,
                             .began = clock.mono(),
                             .is_prepared = is_prepared,
                             .timed_out = slot->under_way->timed_out};
}

void PingRounds::take(const PingAnswer& answer, Clock& clock, EventTable& events) {
  if (answer.phase) {
    enter(*answer.phase, answer.order.probe, clock);
    return;
  }
  Slot* slot = slot_of(answer.order.probe);
  if (slot == nullptr) return;
  const UnderWay probe = *std::exchange(slot->under_way, std::nullopt);
  const PingResult& result = answer.result;
  tell(*slot,
       {.time = probe.overdue || probe.timed_out ? clock.wall() : probe.begun,
        .latency = result.skipped ? std::nullopt : std::optional(result.latency),
        .probe = probe.probe,
        .outcome = outcome_of(result, probe.timed_out, plan_.deadline),
        .error = result.error,
        .timed_out = probe.timed_out,
        .direct = result.direct},
       events);
  if (!result.direct) {
    say_once(slot->target, kNotDirect,
             "the file system refuses direct I/O; probes are written synchronously instead");
  }
  if (result.skipped && result.error == EXDEV) {
    say_once(slot->target, result.error,
             "files that are made for it come to lie elsewhere, since it is full, new or being rebalanced; "
             "these probes are skipped");
  } else if (result.error != 0) {
    say_once(slot->target, result.error,
             fmt::format("{} fails: {}", to_name(slot->operation), std::strerror(result.error)));
  }
}

void PingRounds::tell_overdue(MonoTime now, EventTable& events) {
  for (Slot& slot : slots_) {
    if (!slot.under_way || slot.under_way->overdue || now - slot.under_way->began < plan_.deadline) continue;
    UnderWay& late = *slot.under_way;
    late.overdue = true;
    late.timed_out = late.timed_out || late.is_prepared;
    tell(slot, {.time = late.begun, .probe = late.probe, .outcome = late.is_prepared ? "timeout" : "skipped"},
         events);
    if (!late.is_prepared) {
      say_once(slot.target, kNotPrepared,
               fmt::format("{} waits for another part of the file system, and is skipped meanwhile",
                           to_name(slot.operation)));
    }
  }
}

void PingRounds::begin_round(Clock& clock, EventTable& events) {
  for (Slot& slot : slots_) {
    const WallTime wall = clock.wall();
    const MonoTime mono = clock.mono();
    if (!runner_.is_there(slot.target)) slot.under_way.reset();
    if (slot.under_way) {
      if (!slot.under_way->overdue) continue;  // The last round was late; its deadline is yet to come.
      tell(slot,
           {.time = wall,
            .probe = slot.under_way->probe,
            .outcome = slot.under_way->is_prepared ? "timeout" : "skipped",
            .waiting = mono - slot.under_way->began},
           events);
      continue;
    }
    const std::uint64_t probe = ++probes_;
    if (runner_.start({.target = slot.target, .operation = slot.operation, .probe = probe})) {
      slot.under_way = UnderWay{.probe = probe, .begun = wall, .began = mono, .is_prepared = !plan_.prepares};
      continue;
    }
    tell(slot, {.time = wall, .probe = probe, .outcome = "skipped"}, events);
    say_once(slot.target, kGone,
             "the process that probes it was ended by somebody; start the recorder again");
  }
}

void PingRounds::plan_next(Clock& clock) {
  const MonoTime now = clock.mono();
  MonoTime next = *next_round_;
  for (const Slot& slot : slots_) {
    if (!slot.under_way || slot.under_way->overdue) continue;
    next = std::min(next, slot.under_way->began + plan_.deadline);
  }
  until_next_ = std::max(next - now, Duration::zero());
}

void PingRounds::step(Clock& clock, ObservationBatch& batch) {
  histogram_.advance(clock.wall(), batch.profile());
  for (const PingAnswer& answer : runner_.answers()) take(answer, clock, batch.events);
  tell_overdue(clock.mono(), batch.events);
  if (!next_round_ || clock.mono() >= *next_round_) {
    const MonoTime begun = clock.mono();
    begin_round(clock, batch.events);
    schedule_.begun(begun);
    const TickSchedule::Tick tick = schedule_.next(clock.wall(), clock.mono());
    next_round_ = tick.deadline;
    if (tick.missed > 0) {
      const WallTime now = clock.wall();
      const auto missed = static_cast<std::int64_t>(tick.missed);
      batch.events.add_loss(
          {now - missed * plan_.interval, now, tick.missed * slots_.size(), "the recorder was held up"});
    }
  }
  plan_next(clock);
}

void PingRounds::finish(Clock& clock, ObservationBatch& batch) {
  for (const PingAnswer& answer : runner_.answers()) take(answer, clock, batch.events);
  tell_overdue(clock.mono(), batch.events);
  Loss lost{
      .from = clock.wall(), .to = clock.wall(), .count = 0, .reason = "the recording ended before them"};
  for (Slot& slot : slots_) {
    if (!slot.under_way || slot.under_way->overdue) continue;
    lost.from = std::min(lost.from, slot.under_way->begun);
    ++lost.count;
    slot.under_way.reset();
  }
  if (lost.count > 0) batch.events.add_loss(std::move(lost));
  histogram_.finish(clock.wall(), batch.profile());
}

}  // namespace laggard::collect
