// Events that are recorded: kills, and how they come to a diagnosis and to a watch.
#include "cmd/record_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <random>
#include <thread>

#include "archive/reader.h"
#include "archive/writer.h"
#include "testing/cli.h"
#include "testing/observation_archive.h"

namespace laggard::cmd {
namespace {

using archive::testing::TempDir;
using collect::EventSource;
using collect::EventSourceSetup;
using collect::ObservationBatch;
using namespace std::chrono_literals;

/// Numbers its events from what the file says on.
class Numbering final : public EventSource {
 public:
  explicit Numbering(std::uint64_t first) : number_(first) {}
  [[nodiscard]] static Result<std::unique_ptr<EventSource>> open(const EventSourceSetup& setup) {
    std::uint64_t first = 0;
    std::ifstream(setup.from) >> first;
    return std::make_unique<Numbering>(first);
  }
  [[nodiscard]] std::string_view kind() const override { return "number"; }
  [[nodiscard]] Duration cadence() const override { return 1ms; }
  [[nodiscard]] Status read(Clock& clock, ObservationBatch& batch, std::size_t) override {
    const std::size_t column = batch.events.attribute("number", AttributeForm::kInteger).value();
    for (int e = 0; e < 50; ++e) {
      batch.events.append({clock.wall(), {}, kNoWord, batch.events.intern("one").value()});
      batch.events.set(column, static_cast<std::int64_t>(number_++));
    }
    return {};
  }

 private:
  std::uint64_t number_;
};

constexpr collect::EventSourceSpec kNumbers{"numbers", "Number events", &Numbering::open};

/// The numbers that are recorded, sorted; of events that say that some are lost, nothing.
std::vector<std::int64_t> recorded(const std::filesystem::path& path) {
  const std::vector<std::filesystem::path> paths{path};
  auto reader = archive::Reader::open(paths);
  std::vector<std::int64_t> numbers;
  if (!reader) return numbers;
  auto events = (*reader)->read_events({});
  for (auto table = (*events)->next(); table && *table; table = (*events)->next()) {
    for (const AttributeColumn& column : (*table)->attributes()) {
      for (const std::uint64_t bits : column.values) numbers.push_back(static_cast<std::int64_t>(bits));
    }
  }
  std::ranges::sort(numbers);
  return numbers;
}

[[noreturn]] void record_until_killed(const std::string& out, const std::string& from) {
  auto clock = collect::SignalClock::make();
  RecordEventsOptions options;
  options.out = out;
  options.from = from;
  options.host = "c1";
  options.flush = "100ms";
  static_cast<void>(record_events(kNumbers, options, *clock).has_value());
  ::_exit(9);
}

TEST(RecordEvents, KilledAtAnyMomentItHasAllThatWasFlushedAndNothingTwice) {
  const TempDir dir;
  const std::string out = (dir.path() / "rec").string();
  const std::string from = (dir.path() / "from").string();
  std::mt19937 random{3};
  std::size_t before = 0;
  for (int round = 0; round < 6; ++round) {
    std::ofstream(from) << before;
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) record_until_killed(out, from);
    // It may take its time to start; then any moment of what follows.
    std::vector<std::int64_t> numbers;
    for (int wait = 0; wait < 500 && numbers.size() <= before; ++wait) {
      std::this_thread::sleep_for(20ms);
      numbers = recorded(out);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(random() % 150));
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status)) << "the recorder ended by itself";
    const std::vector<std::int64_t> after = recorded(out);
    ASSERT_GE(after.size(), numbers.size()) << "what was there once is there still";
    ASSERT_GT(after.size(), before);
    for (std::size_t n = 0; n < after.size(); ++n) ASSERT_EQ(after[n], static_cast<std::int64_t>(n));
    before = after.size();
  }
}

}  // namespace
}  // namespace laggard::cmd
