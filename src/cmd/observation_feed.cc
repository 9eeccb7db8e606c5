#include "cmd/observation_feed.h"

#include <algorithm>
#include <type_traits>
#include <vector>

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

}  // namespace

Result<ObservationFeed> ObservationFeed::open(ObservationSource& source, const ReadRequest& request,
                                              std::span<const DetectorSpec> detectors) {
  ObservationFeed feed;
  if (auto kinds = engine::wanted_kinds(detectors, ObservationShape::kEvents); !kinds.empty()) {
    auto reader = source.read_events(request_for(request, std::move(kinds)));
    if (!reader) return forward(reader);
    feed.events_.reader = std::move(*reader);
  }
  if (auto kinds = engine::wanted_kinds(detectors, ObservationShape::kProfiles); !kinds.empty()) {
    auto reader = source.read_profiles(request_for(request, std::move(kinds)));
    if (!reader) return forward(reader);
    feed.profiles_.reader = std::move(*reader);
  }
  return feed;
}

template <typename Table>
Status ObservationFeed::read_until(Stream<Table>& stream, WallTime until, engine::Diagnoser& diagnoser) {
  while (stream.reader != nullptr) {
    if (!stream.next) {
      auto table = stream.reader->next();
      if (!table) return forward(table);
      if (!table->has_value()) {
        stream.reader.reset();
        break;
      }
      stream.next = std::move(**table);
    }
    if (!stream.next->empty() && stream.next->extent().from >= until) break;
    counts_[{shape_of<Table>(), stream.next->host(), stream.next->kind()}] += stream.next->size();
    diagnoser.add(*stream.next);
    stream.next.reset();
  }
  return {};
}

Status ObservationFeed::read_until(WallTime until, engine::Diagnoser& diagnoser) {
  if (Status read = read_until(events_, until, diagnoser); !read) return read;
  return read_until(profiles_, until, diagnoser);
}

WallTime begin_of(std::span<const SampleTable> tables) {
  WallTime begin = WallTime::min();
  for (const SampleTable& table : tables) {
    if (!table.times().empty()) begin = std::max(begin, *std::ranges::min_element(table.times()));
  }
  return begin;
}

Result<std::vector<ObservationStream>> wanted_streams(ObservationSource& source,
                                                      std::span<const DetectorSpec> detectors) {
  const auto events = engine::wanted_kinds(detectors, ObservationShape::kEvents);
  const auto profiles = engine::wanted_kinds(detectors, ObservationShape::kProfiles);
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
