// States come back from a file; damage must end in an error, not in a crash. The checksum before them would
// catch nearly all of it, so it is left out here.
#include <cstdint>
#include <string>
#include <string_view>

#include "base/state_codec.h"
#include "detect/peer/compare/bias.h"
#include "detect/peer/compare/filter.h"
#include "detect/peer/judge/anomalies.h"
#include "detect/peer/judge/judged_run.h"
#include "detect/peer/skew/clock_watch.h"
#include "engine/change_tracker.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using namespace laggard;  // NOLINT(google-build-using-namespace)

/// A tracker with the levels that its group's trackers share.
struct Tracked {
  detect::AnomalyTracker tracker{0, 3, find_metric("await"), "cdf", {}};

  template <class State, class Self>
  static void exchange(State& state, Self& self) {
    detect::TrackedGroup group{.columns = 2, .members = 3};
    if constexpr (!State::kRestores) self.tracker.list_recent(group);
    group.exchange_recent(state, 10);
    detect::AnomalyTracker::exchange(state, self.tracker, group);
  }
};

template <class T>
std::string saved(const T& object) {
  StateWriter writer;
  writer(object);
  return writer.take();
}

template <class T>
bool restored(T& object, std::string_view bytes) {
  StateReader reader(bytes);
  reader(object);
  return reader.complete();
}

/// What could be restored is saved so that it comes back the same.
template <class T, class Make>
void check(std::string_view bytes, const Make& make) {
  T one = make();
  if (!restored(one, bytes)) return;
  const std::string once = saved(one);
  T again = make();
  if (!restored(again, once) || saved(again) != once) __builtin_trap();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 7) {
    case 0:
      check<detect::FaultFilter>(bytes, [] { return detect::FaultFilter({}, 3); });
      break;
    case 1:
      check<detect::BiasDetector>(bytes, [] { return detect::BiasDetector(3); });
      break;
    case 2:
      check<detect::LagCorrelation>(bytes, [] {
        return detect::LagCorrelation({.hosts = 3, .channels = 2, .reach = 5, .most_blocks = 4});
      });
      break;
    case 3:
      check<detect::Moves>(bytes, [] { return detect::Moves(3, 0.25); });
      break;
    case 4:
      check<detect::GapClock>(bytes, [] { return detect::GapClock(64); });
      break;
    case 5:
      check<Tracked>(bytes, [] { return Tracked(); });
      break;
    case 6:
      check<engine::ChangeTracker::State>(bytes, [] { return engine::ChangeTracker::State(); });
      break;
  }
  return 0;
}
