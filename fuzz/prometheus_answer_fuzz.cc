// Answers come from whatever listens at the URL that was given.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/error.h"
#include "collect/import/prometheus/lustre_targets.h"
#include "collect/import/prometheus/query.h"
#include "model/exporter_names.h"
#include "net/server_url.h"

namespace {

class Receiver final : public laggard::collect::SeriesReceiver {
 public:
  bool series(const laggard::collect::Labels& labels) override {
    named_ = true;
    const auto name = labels.find("__name__");
    exported_ = name == labels.end() ? nullptr : laggard::find_exported(name->second);
    return exported_ != nullptr;
  }
  void sample(std::int64_t /*time_ms*/, std::string_view value) override {
    LAGGARD_CHECK(named_ && exported_ != nullptr);
    static_cast<void>(laggard::stored_value(*exported_, value));
  }

 private:
  bool named_ = false;
  const laggard::ExportedCounter* exported_ = nullptr;
};

/// The same series as targets of Lustre: whatever they are, tables come out.
class Targets final : public laggard::collect::SeriesReceiver {
 public:
  bool series(const laggard::collect::Labels& labels) override { return targets_.series(labels, "oss1"); }
  void sample(std::int64_t time_ms, std::string_view value) override {
    constexpr std::int64_t kLatest = 4'000'000'000'000;  // An import takes only what it asked for.
    if (time_ms >= 0 && time_ms < kLatest) static_cast<void>(targets_.sample(time_ms, value));
  }
  void hand_on() {
    Sink sink;
    laggard::collect::SampleCollector collector(sink);
    targets_.hand_on(collector);
    LAGGARD_CHECK(collector.flush_all().has_value());
    LAGGARD_CHECK(targets_.take_facts().size() == targets_.size());
  }

 private:
  struct Sink final : laggard::TableSink {
    laggard::Status append(const laggard::SampleTable& table) override {
      LAGGARD_CHECK(!table.devices().empty() && !table.times().empty());
      return {};
    }
    laggard::Status describe(const laggard::DeviceInfo& /*device*/) override { return {}; }
  };
  laggard::collect::LustreTargets targets_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  Receiver receiver;
  static_cast<void>(laggard::collect::parse_answer(text, receiver));
  Targets targets;
  static_cast<void>(laggard::collect::parse_answer(text, targets));
  targets.hand_on();
  static_cast<void>(laggard::net::parse_server_url(text));
  return 0;
}
