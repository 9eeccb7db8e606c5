// A diagnoser that was stopped anywhere and goes on from its checkpoint says what one says that never
// stopped.
#include "engine/checkpoint.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>

#include "base/state_codec.h"
#include "base/workers.h"
#include "engine/change_tracker.h"
#include "engine/diagnoser.h"
#include "testing/script/script.h"

namespace laggard::engine {
namespace {

using std::chrono::seconds;

/// All that is told of a recording, to the bit.
struct Said {
  std::vector<ChangeTracker::Told> changes;
  std::vector<Incident> incidents;
  std::vector<std::string> ranking;

  template <class State, class Self>
  static void exchange(State& state, Self& self) {
    state(self.changes, self.incidents, self.ranking);
  }
  [[nodiscard]] std::string bytes() const { return save_state({"what was said"}, *this); }
};

/// Follows a recording as a watch does; it can be killed and started again.
class Follower {
 public:
  /// \param work  tables of background work and of load, by time.
  Follower(script::Recording& recording, std::span<const SampleTable> work, Workers* workers)
      : recording_(recording), work_(work), workers_(workers) {
    start();
  }

  /// Everything before `until` has been recorded.
  void follow(WallTime until) {
    read(from_, until);
    from_ = until;
    until_ = until;
    // What lies before the checkpoint was too little: nothing has been told, and more of it is read.
    while (diagnoser_->needs_earlier()) {
      lead_ *= 4;
      start();
      read(std::nullopt, until);
    }
  }
  /// Another process will go on from here when this one is killed.
  void save() { checkpoint_ = diagnoser_->checkpoint(); }
  void kill() {
    start();
    from_.reset();
  }
  [[nodiscard]] const std::optional<Checkpoint>& checkpoint() const { return checkpoint_; }

  [[nodiscard]] Said finish() {
    follow(until_);  // It may have been killed just now.
    diagnoser_->finish();
    while (diagnoser_->needs_earlier()) {
      lead_ *= 4;
      start();
      read(std::nullopt, until_);
      diagnoser_->finish();
    }
    const Diagnosis diagnosis = diagnoser_->diagnosis();
    said_.incidents = diagnosis.incidents;
    for (const RankedComponent& one : diagnosis.ranking) {
      said_.ranking.push_back(one.component + " " + std::to_string(one.persistence) + " " +
                              std::to_string(one.severity));
    }
    for (const ClockSkew& skew : diagnosis.coverage.clocks.skewed) said_.ranking.push_back(skew.host);
    return std::move(said_);
  }

 private:
  void start() {
    DiagnoserOptions options = script::diagnoser_options(recording_, {});
    options.pipeline.workers = workers_;
    options.tick = {.every = window_step(options.preset.windows),
                    .tell = [this](const Diagnoser& diagnoser, WallTime at) { tell(diagnoser, at); },
                    .forget = true};
    if (checkpoint_) {
      const Grid grid{options.preset.windows.interval};
      options.pipeline.shard = Shard{.after = checkpoint_->after, .read_from = {}};
      const WallTime from = grid.begin(checkpoint_->after - lead_) - 4 * options.pipeline.sample_interval;
      if (from > script::Simulator::start()) options.pipeline.shard->read_from = from;
      read_from_ = options.pipeline.shard->read_from;
    }
    diagnoser_ = std::make_unique<Diagnoser>(recording_.grouping, std::move(options));
    if (!checkpoint_) return;
    const Status restored = diagnoser_->restore(*checkpoint_);
    ASSERT_TRUE(restored.has_value()) << restored.error().message();
    EXPECT_TRUE(diagnoser_->checkpoint()->state == checkpoint_->state);
  }
  void read(std::optional<WallTime> from, WallTime until) {
    ReadRequest request;
    request.from = from ? from : read_from_;
    request.to = until;
    for (const SampleTable& table : work_) {
      const WallTime at = table.times().front();
      if (at >= until || (request.from && at < *request.from)) continue;
      if (table.kind() == DeviceKind::kHost) {
        diagnoser_->add_load(table);
      } else {
        diagnoser_->add_work(table);
      }
    }
    const auto reader = recording_.source.read(request).value();
    for (auto table = reader->next().value(); table; table = reader->next().value()) diagnoser_->add(*table);
    diagnoser_->advance(until);
  }
  void tell(const Diagnoser& diagnoser, WallTime at) {
    if (at <= tracker_.at()) return;  // It has been told.
    for (Change& change : tracker_.update(diagnoser.diagnosis().incidents, at)) {
      said_.changes.push_back({change.kind, std::move(change.incident)});
    }
  }

  script::Recording& recording_;
  std::span<const SampleTable> work_;
  Workers* workers_;
  std::int64_t lead_ = 24;  ///< Too little for most: it has to be noticed.
  WallTime until_;
  std::optional<WallTime> from_;
  std::optional<WallTime> read_from_;
  std::optional<Checkpoint> checkpoint_;
  ChangeTracker tracker_{{.closed_after = seconds(600)}};
  std::unique_ptr<Diagnoser> diagnoser_;
  Said said_;
};

script::System drawn(std::mt19937_64& random, bool production) {
  const auto below = [&](std::uint64_t n) { return random() % n; };
  script::System system;
  system.seed = random();
  system.servers = 3 + below(4);
  system.disks = 1 + below(3);
  system.clients = below(3);
  system.reads = below(2) == 0 ? 0 : 100;
  system.writes = below(4) == 0 ? 0.2 : 150;
  system.interval = production ? 15 : 1;
  system.length = production ? 4 * 3600 : 400;
  const std::vector<std::string> kinds{"slow",   "hog",   "stall", "jam",   "silent", "absent",
                                       "reboot", "lossy", "clock", "flood", "drops"};
  for (std::uint64_t f = below(4); f > 0; --f) {
    const double from = system.length * static_cast<double>(below(80)) / 100;
    const double to = from + system.length * static_cast<double>(5 + below(60)) / 100;
    system.faults.push_back({kinds[below(kinds.size())], "s" + std::to_string(1 + below(system.servers)), "",
                             from, to, 1 + static_cast<double>(below(40)) / 10});
  }
  return system;
}

/// Some of the servers check their first disk now and then; the second has more to do from some time on.
std::vector<SampleTable> drawn_work(std::mt19937_64& random, const script::System& system) {
  std::vector<SampleTable> tables;
  std::vector<std::uint64_t> actions(system.servers);
  for (double at = 0; at < system.length; at += system.interval) {
    const WallTime time =
        script::Simulator::start() + std::chrono::milliseconds(static_cast<std::int64_t>(1000 * at));
    for (std::size_t s = 0; s < actions.size(); ++s) {
      if (random() % 100 == 0) actions[s] = random() % 3;
      SampleTable& table = tables.emplace_back("s" + std::to_string(s + 1), DeviceKind::kDisk,
                                               std::vector{TableCounter{"sync_action", CounterForm::kGauge}},
                                               std::vector<std::string>{"d1"}, std::vector{time});
      table.set(0, 0, 0, actions[s]);
      SampleTable& load =
          tables.emplace_back("s" + std::to_string(s + 1), DeviceKind::kHost,
                              std::vector{TableCounter{"cpu_user_ms", CounterForm::kCumulative}},
                              std::vector<std::string>{"host"}, std::vector{time});
      const double busy = s == 1 ? std::max(0.0, at - system.length / 4) : 0;
      load.set(0, 0, 0, static_cast<std::uint64_t>(1000 * (at + 20 * busy)));
    }
  }
  return tables;
}

[[nodiscard]] bool stops_change_nothing(std::uint64_t seed, Workers* workers) {
  std::mt19937_64 random(seed);
  const bool production = random() % 4 == 0;
  const script::System system = drawn(random, production);
  const auto recording = script::record(system, production          ? "production"
                                                : random() % 2 == 0 ? "lab"
                                                                    : "quick");
  if (!production && random() % 2 == 0) script::judge_beside(*recording);
  const std::vector<SampleTable> work = drawn_work(random, system);
  Follower whole(*recording, work, nullptr);
  Follower stopped(*recording, work, workers);
  const auto length = static_cast<std::int64_t>(system.length);
  for (std::int64_t at = 0; at < length;) {
    at = std::min(length,
                  at + 1 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(length / 12)));
    const WallTime until = script::Simulator::start() + seconds(at);
    whole.follow(until);
    stopped.follow(until);
    if (random() % 3 == 0) stopped.save();
    if (random() % 4 == 0) stopped.kill();
  }
  return whole.finish().bytes() == stopped.finish().bytes();
}

TEST(Checkpoint, StopsChangeNothing) {
  // Each is a whole diagnosis and its parts: more of them would take minutes under the sanitizers.
  for (std::uint64_t seed = 1; seed <= 20; ++seed) EXPECT_TRUE(stops_change_nothing(seed, nullptr)) << seed;
}

TEST(Checkpoint, NorWithWorkers) {
  Workers workers(3);
  for (std::uint64_t seed = 1; seed <= 5; ++seed) EXPECT_TRUE(stops_change_nothing(seed, &workers)) << seed;
}

/// A recording in which much has happened, and its checkpoint.
struct Eventful {
  script::System system;
  std::unique_ptr<script::Recording> recording;
  Checkpoint checkpoint;
};
Eventful eventful(std::size_t servers, std::size_t disks, std::string_view preset) {
  Eventful made;
  made.system.servers = servers;
  made.system.disks = disks;
  made.system.faults = {{"slow", "s2", "d1", 60, 400, 4}, {"absent", "s3", "d1", 150, 300, 1}};
  if (preset == "production") {
    made.system.interval = 15;
    made.system.length = 4 * 3600;
    for (script::Fault& fault : made.system.faults) std::tie(fault.from, fault.to) = std::pair(3600, 9000);
  }
  made.recording = script::record(made.system, preset);
  Follower follower(*made.recording, {}, nullptr);
  follower.follow(script::Simulator::start() + seconds(static_cast<std::int64_t>(made.system.length)));
  follower.save();
  made.checkpoint = *follower.checkpoint();
  return made;
}

/// A diagnoser that could go on from there.
std::unique_ptr<Diagnoser> fresh(const Eventful& made) {
  DiagnoserOptions options = script::diagnoser_options(*made.recording, {});
  options.pipeline.shard = Shard{.after = made.checkpoint.after, .read_from = {}};
  return std::make_unique<Diagnoser>(made.recording->grouping, std::move(options));
}

TEST(Checkpoint, TakesAKilobyteAComponentAtMost) {
  for (const char* preset : {"lab", "production"}) {
    const Eventful made = eventful(50, 20, preset);
    const auto components = static_cast<double>(made.recording->grouping.components.size());
    const double each = static_cast<double>(made.checkpoint.state.size()) / components;
    RecordProperty(std::string("bytes_a_component_") + preset, std::to_string(each));
    EXPECT_LE(each, 1000) << preset << ", " << components << " components";
  }
}

TEST(Checkpoint, IsRefusedWhenDamaged) {
  const Eventful made = eventful(3, 1, "quick");
  std::mt19937_64 random(1);
  const std::string& good = made.checkpoint.state;
  for (std::size_t at = 0; at < good.size(); at += 1 + good.size() / 2000) {
    Checkpoint bad = made.checkpoint;
    bad.state[at] = static_cast<char>(bad.state[at] ^ static_cast<char>(1 + random() % 255));
    EXPECT_FALSE(fresh(made)->restore(bad).has_value()) << at;
    bad.state = good.substr(0, at);
    EXPECT_FALSE(fresh(made)->restore(bad).has_value()) << at;
  }
  EXPECT_TRUE(fresh(made)->restore(made.checkpoint).has_value());
}

TEST(Checkpoint, IsRefusedByOtherPeersAndOtherOptions) {
  const Eventful made = eventful(3, 1, "quick");
  const Grouping& grouping = made.recording->grouping;
  DiagnoserOptions options = script::diagnoser_options(*made.recording, {});
  EXPECT_EQ(state_fingerprint(grouping, options), made.checkpoint.fingerprint);
  options.pipeline.parameters.latency.self_threshold *= 2;
  EXPECT_NE(state_fingerprint(grouping, options), made.checkpoint.fingerprint);
  const Eventful other = eventful(4, 1, "quick");
  Checkpoint theirs = made.checkpoint;
  theirs.after = other.checkpoint.after;
  const Status refused = fresh(other)->restore(theirs);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().message(), "the saved state is of other peers or other options");
}

}  // namespace
}  // namespace laggard::engine
