#include "cmd/observation_feed.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include "cmd/analysis_setup.h"
#include "detect/background/recorded_work.h"
#include "detect/load/load_metric.h"
#include "engine/derivations.h"
#include "engine/detectors.h"

namespace laggard::cmd {

namespace {

template <typename Table>
constexpr ObservationShape shape_of() {
  return std::is_same_v<Table, EventTable> ? ObservationShape::kEvents : ObservationShape::kProfiles;
}

ObservationRequest request_for(const ReadRequest& request, std::vector<std::string> kinds) {
  return {.from = request.from, .to = request.to, .kinds = std::move(kinds), .hosts = request.hosts};
}

std::vector<std::string> event_kinds(const Witnesses& witnesses) {
  const auto judged = engine::wanted_kinds(witnesses.detectors, ObservationShape::kEvents);
  const auto derived = engine::derived_kinds(witnesses.derivations);
  std::vector<std::string> all;
  std::ranges::set_union(judged, derived, std::back_inserter(all));
  return all;
}

void add_beside(engine::Diagnoser& diagnoser, const SampleTable& table) {
  if (table.kind() == DeviceKind::kDisk) diagnoser.add_work(table);
  diagnoser.add_load(table);
}

/// What tells of hosts' load. Without counters of hosts there is none: reading all disks of a large site
/// twice for the rest of it would cost more than it tells.
void add_load_inputs(const Inventory& inventory, ReadRequest& request) {
  std::set<DeviceKind> kinds(request.kinds.begin(), request.kinds.end());
  std::set<std::string> counters(request.counters.begin(), request.counters.end());
  const auto of_kind = [](DeviceKind kind) {
    return [kind](const DeviceInfo& device) { return device.kind == kind; };
  };
  if (std::ranges::none_of(inventory.devices, of_kind(DeviceKind::kHost))) return;
  for (const detect::LoadInput& input : detect::load_inputs()) {
    const bool recorded = std::ranges::any_of(inventory.devices, [&](const DeviceInfo& device) {
      return device.kind == input.kind &&
             std::ranges::find(device.counters, input.counter, &TableCounter::name) != device.counters.end();
    });
    if (!recorded) continue;
    kinds.insert(input.kind);
    counters.emplace(input.counter);
  }
  request.kinds.assign(kinds.begin(), kinds.end());
  request.counters.assign(counters.begin(), counters.end());
}

/// The last sample of any device by a gauge that may be recorded late; the beginning of time without any.
WallTime last_late_sample(const SampleTable& table) {
  WallTime last = WallTime::min();
  for (const detect::WorkGauge& gauge : detect::work_gauges()) {
    const auto column = table.counter_index(gauge.counter);
    if (!column || gauge.latest == Duration::zero()) continue;
    for (std::size_t t = 0; t < table.times().size(); ++t) {
      if (table.times()[t] <= last) continue;
      for (std::size_t d = 0; d < table.devices().size(); ++d) {
        if (table.present(*column, d, t)) last = std::max(last, table.times()[t]);
      }
    }
  }
  return last;
}

}  // namespace

ObservationConsumer all_of(engine::Diagnoser& diagnoser) {
  return {.events = [&diagnoser](const EventTable& table) { diagnoser.add(table); },
          .profiles = [&diagnoser](const ProfileTable& table) { diagnoser.add(table); },
          .work = [&diagnoser](const SampleTable& table) { add_beside(diagnoser, table); },
          .complete = [&diagnoser](WallTime until) { diagnoser.advance(until); }};
}

ObservationConsumer detectors_of(engine::Diagnoser& diagnoser) {
  return {.events = [&diagnoser](const EventTable& table) { diagnoser.add_for_detectors(table); },
          .profiles = [&diagnoser](const ProfileTable& table) { diagnoser.add(table); },
          .work = [&diagnoser](const SampleTable& table) { add_beside(diagnoser, table); }};
}

Result<ObservationFeed> ObservationFeed::open(ObservationSource* source, const ReadRequest& request,
                                              const Witnesses& witnesses) {
  ObservationFeed feed;
  if (source == nullptr) return feed;
  feed.derives_ = !witnesses.derivations.empty();
  if (auto kinds = event_kinds(witnesses); !kinds.empty()) {
    auto reader = source->read_events(request_for(request, std::move(kinds)));
    if (!reader) return forward(reader);
    feed.events_.reader = std::move(*reader);
  }
  if (auto kinds = engine::wanted_kinds(witnesses.detectors, ObservationShape::kProfiles); !kinds.empty()) {
    auto reader = source->read_profiles(request_for(request, std::move(kinds)));
    if (!reader) return forward(reader);
    feed.profiles_.reader = std::move(*reader);
  }
  return feed;
}

Status ObservationFeed::open_work(SeriesSource& source, const ReadRequest& request) {
  auto reader = source.read(request);
  if (!reader) return forward(reader);
  work_ = std::move(*reader);
  return {};
}

template <typename Table>
Result<std::optional<WallTime>> ObservationFeed::begin_of_next(Stream<Table>& stream) {
  if (stream.reader != nullptr && !stream.next) {
    auto table = stream.reader->next();
    if (!table) return forward(table);
    if (table->has_value()) {
      stream.next = std::move(**table);
    } else {
      stream.reader.reset();
    }
  }
  if (!stream.next) return std::nullopt;
  return stream.next->empty() ? WallTime::min() : stream.next->extent().from;
}

template <typename Table>
void ObservationFeed::hand_over(Stream<Table>& stream, const std::function<void(const Table&)>& consume) {
  counts_[{shape_of<Table>(), stream.next->host(), stream.next->kind()}] += stream.next->size();
  consume(*stream.next);
  stream.next.reset();
}

Status ObservationFeed::read_until(WallTime until, const ObservationConsumer& consumer) {
  if (Status read = read_work_until(until, consumer); !read) return read;
  for (;;) {
    auto event = begin_of_next(events_);
    if (!event) return forward(event);
    auto profile = begin_of_next(profiles_);
    if (!profile) return forward(profile);
    const WallTime from = std::min(event->value_or(WallTime::max()), profile->value_or(WallTime::max()));
    if (!(*event || *profile) || from >= until) return {};
    if (derives_ && consumer.complete && from > WallTime::min()) consumer.complete(from);
    if (*event && **event == from) {
      hand_over(events_, consumer.events);
    } else {
      hand_over(profiles_, consumer.profiles);
    }
  }
}

Status ObservationFeed::read_beside(std::span<const SampleTable> tables, const ObservationConsumer& consumer,
                                    const AddSamples& add) {
  while (!tables.empty()) {
    auto event = begin_of_next(events_);
    if (!event) return forward(event);
    std::size_t n = derives_ && *event && **event < begin_of(tables) ? 1 : tables.size();
    while (n < tables.size() && begin_of(tables.subspan(n, 1)) == begin_of(tables.first(1))) ++n;
    if (Status read = read_until(begin_of(tables.first(n)), consumer); !read) return read;
    add(tables.first(n));
    tables = tables.subspan(n);
  }
  return {};
}

Status ObservationFeed::read_along(const std::function<Status(const AddSamples&)>& read,
                                   const ObservationConsumer& consumer, const AddSamples& add) {
  Status fed;
  Status done = read([&](std::span<const SampleTable> tables) {
    if (fed) fed = read_beside(tables, consumer, add);
  });
  return done ? fed : done;
}

Status read_all_derived(AnalysisSetup& setup, std::string_view doing, const ObservationConsumer& events,
                        const AddSamples& add) {
  auto feed = ObservationFeed::open(setup.observations, setup.request, {{}, setup.pipeline.derived.table});
  if (!feed) return forward(feed);
  const auto read = [&](const AddSamples& consume) { return read_all(setup, doing, consume); };
  if (Status done = feed->read_along(read, events, add); !done) return done;
  return feed->read_rest(events);
}

Status ObservationFeed::read_work_until(WallTime until, const ObservationConsumer& consumer) {
  while (work_ != nullptr && consumer.work) {
    if (!next_work_) {
      auto table = work_->next();
      if (!table) return forward(table);
      if (!table->has_value()) {
        work_.reset();
        break;
      }
      next_work_ = std::move(**table);
    }
    if (begin_of(std::span(&*next_work_, 1)) >= until) break;
    consumer.work(*next_work_);
    last_late_work_ = std::max(last_late_work_, last_late_sample(*next_work_));
    next_work_.reset();
  }
  return {};
}

WallTime begin_of(std::span<const SampleTable> tables) {
  WallTime begin = WallTime::min();
  for (const SampleTable& table : tables) {
    if (!table.times().empty()) begin = std::max(begin, *std::ranges::min_element(table.times()));
  }
  return begin;
}

std::optional<ReadRequest> work_request(ReadRequest request, const Inventory& inventory) {
  request.counters.clear();
  for (const detect::WorkGauge& gauge : detect::work_gauges()) {
    const bool recorded = std::ranges::any_of(inventory.devices, [&](const DeviceInfo& device) {
      return device.kind == DeviceKind::kDisk &&
             std::ranges::find(device.counters, gauge.counter, &TableCounter::name) != device.counters.end();
    });
    if (recorded) request.counters.emplace_back(gauge.counter);
  }
  request.kinds.clear();
  if (!request.counters.empty()) request.kinds = {DeviceKind::kDisk};
  add_load_inputs(inventory, request);
  if (request.counters.empty()) return std::nullopt;
  return request;
}

Duration latest_work(const ReadRequest& request) {
  Duration latest{};
  for (const detect::WorkGauge& gauge : detect::work_gauges()) {
    const bool asked = std::ranges::find(request.counters, gauge.counter) != request.counters.end();
    if (asked) latest = std::max(latest, gauge.latest);
  }
  return latest;
}

Result<std::vector<ObservationStream>> wanted_streams(ObservationSource& source, const Witnesses& witnesses) {
  const auto events = event_kinds(witnesses);
  const auto profiles = engine::wanted_kinds(witnesses.detectors, ObservationShape::kProfiles);
  if (events.empty() && profiles.empty()) return std::vector<ObservationStream>{};
  auto streams = source.observations();
  if (!streams) return forward(streams);
  std::erase_if(*streams, [&](const ObservationStream& stream) {
    const auto& kinds = stream.shape == ObservationShape::kEvents ? events : profiles;
    return !std::ranges::binary_search(kinds, stream.kind);
  });
  return streams;
}

}  // namespace laggard::cmd
