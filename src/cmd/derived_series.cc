#include "cmd/derived_series.h"

#include <algorithm>

#include "cmd/observation_feed.h"
#include "derive/derivation_table.h"
#include "engine/derivations.h"

namespace laggard::cmd {

namespace {

constexpr Duration kCadence = std::chrono::seconds(1);

Status read_events(ObservationSource& source, const ReadRequest& request,
                   const ObservationConsumer& consumer) {
  auto feed = ObservationFeed::open(&source, request, {{}, derive::derivation_table()});
  return feed ? feed->read_rest(consumer) : forward(feed);
}

}  // namespace

bool is_derived(const MetricSpec& metric, const Inventory& inventory) {
  const auto counts = [&](const auto& counters) {
    return std::ranges::any_of(
        counters, [&](const auto& counter) { return counter.name == metric.formula.counted.terms[0]; });
  };
  const bool recorded = std::ranges::any_of(inventory.devices, [&](const DeviceInfo& device) {
    return device.kind == metric.kind && counts(device.counters);
  });
  return !recorded && std::ranges::any_of(derive::derivation_table(), [&](const derive::Derivation& row) {
    return row.kind == metric.kind && counts(row.counters);
  });
}

bool is_derived(std::string_view counter, const Inventory& inventory) {
  const auto has = [&](const auto& owner) {
    return std::ranges::any_of(owner.counters, [&](const auto& known) { return known.name == counter; });
  };
  return std::ranges::none_of(inventory.devices, has) && std::ranges::any_of(derive::derivation_table(), has);
}

Result<std::unique_ptr<SeriesSource>> derived_series(ObservationSource& source, const ReadRequest& request) {
  engine::DerivationSurvey survey(derive::derivation_table(), kCadence);
  Status read = read_events(source, request, {.events = [&](const EventTable& table) { survey.add(table); }});
  if (!read) return forward(read);
  Inventory inventory;
  engine::Derivations derivations(survey.finish(inventory), kCadence);
  auto series = std::make_unique<MemorySource>();
  Status stored;
  const auto store = [&](WallTime until) {
    for (const SampleTable& table : derivations.take(until)) {
      if (stored) stored = series->append(table);
    }
  };
  read = read_events(source, request,
                     {.events = [&](const EventTable& table) { derivations.add(table); }, .complete = store});
  if (!read) return forward(read);
  store(WallTime::max());
  if (!stored) return forward(stored);
  return std::unique_ptr<SeriesSource>(std::move(series));
}

}  // namespace laggard::cmd
