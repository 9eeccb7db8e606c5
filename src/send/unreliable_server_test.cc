// The remote-write client against servers that fail by chance: whatever they do, all arrives that can, in a
// bounded number of requests, or the client gives up in time.
#include <gtest/gtest.h>

#include <set>
#include <utility>

#include "send/remote_write_client.h"
#include "testing/property.h"
#include "testing/send.h"

namespace laggard::send {
namespace {

using namespace std::chrono_literals;

/// How a server fails. Times are of the fake clock, which moves by `request_takes` with every request.
struct Unreliability {
  double failing = 0;        ///< Part of the requests that fail.
  bool closing = false;      ///< Every connection is closed without a word.
  Duration restart_every{};  ///< Zero: never.
  Duration loses{};          ///< What was taken so long before a restart.
  Duration request_takes = 20ms;
};

/// Takes bodies, and loses the last ones when it is started anew.
class UnreliableServer final : public net::HttpTransport {
 public:
  UnreliableServer(Unreliability how, FakeClock& clock, std::mt19937_64& random)
      : how_(how), clock_(clock), random_(random), next_restart_(clock.mono() + how.restart_every) {}

  Result<net::HttpReply> get(const std::string& /*path*/,
                             const std::multimap<std::string, std::string>& /*given*/) override {
    return net::HttpReply{405, {}};
  }
  Result<net::HttpReply> post(const std::string& /*path*/, const net::HttpHeaders& /*headers*/,
                              std::string_view body) override {
    clock_.advance(how_.request_takes);
    if (how_.restart_every > Duration::zero() && clock_.mono() >= next_restart_) return killed();
    if (chance() < how_.failing) return failure(body);
    taken_.emplace_back(body, clock_.mono());
    net::HttpReply reply{204, {}};
    reply.reconnected = how_.closing;
    return reply;
  }

  [[nodiscard]] std::set<std::string> has() const {
    std::set<std::string> bodies;
    for (const auto& [body, at] : taken_) bodies.insert(body);
    return bodies;
  }
  [[nodiscard]] std::uint64_t failures() const { return failures_; }

 private:
  double chance() { return std::uniform_real_distribution<double>(0, 1)(random_); }

  tl::unexpected<Error> killed() {
    ++failures_;
    const MonoTime at = clock_.mono();
    while (!taken_.empty() && at - taken_.back().second < how_.loses) taken_.pop_back();
    next_restart_ = at + how_.restart_every;
    return fail(ErrorCode::kUnavailable, "http://x", "cannot connect");
  }

  Result<net::HttpReply> failure(std::string_view body) {
    ++failures_;
    const double kind = chance();
    if (kind < 0.3) return net::HttpReply{503, {}};
    if (kind < 0.4) return net::HttpReply{429, {}};
    if (kind < 0.7) taken_.emplace_back(body, clock_.mono());  // Taken, but the answer was lost.
    return fail(ErrorCode::kUnavailable, "http://x", "the connection broke off");
  }

  Unreliability how_;
  FakeClock& clock_;
  std::mt19937_64& random_;
  MonoTime next_restart_;
  std::deque<std::pair<std::string, MonoTime>> taken_;
  std::uint64_t failures_ = 0;
};

struct Outcome {
  bool delivered = true;
  std::size_t arrived = 0;
  std::uint64_t requests = 0;
  std::uint64_t failures = 0;
  Duration took{};
};

Outcome run(const Unreliability& how, std::uint64_t seed, int bodies, std::optional<Duration> give_up) {
  std::mt19937_64 random(seed);
  FakeClock clock;
  UnreliableServer server(how, clock, random);
  RemoteWriteClient client(
      {.transport = server,
       .clock = clock,
       .random = random,
       .stopped = [] { return false; },
       .notice_away = [](const std::string&) {}},
      {.path = {}, .server = "http://x", .give_up = give_up, .needs_server_at_start = false});
  Outcome out;
  const MonoTime began = clock.mono();
  for (int i = 0; i < bodies && out.delivered; ++i) {
    const Result<Delivery> delivery = client.deliver(std::to_string(i));
    out.delivered = delivery && *delivery == Delivery::kTaken;
  }
  out.arrived = server.has().size();
  out.requests = client.requests();
  out.failures = server.failures();
  out.took = clock.mono() - began;
  return out;
}

TEST(UnreliableServer, WhoFailsByChanceGetsEverythingInABoundedNumberOfRequests) {
  expect_property("failures by chance", [] {
    const auto percent = *rc::gen::inRange(1, 60);
    const auto bodies = *rc::gen::inRange(1, 400);
    const auto seed = *rc::gen::arbitrary<std::uint64_t>();
    const bool closing = *rc::gen::arbitrary<bool>();
    const Outcome out = run({.failing = percent / 100.0, .closing = closing}, seed, bodies, std::nullopt);
    RC_ASSERT(out.delivered);
    RC_ASSERT(out.arrived == static_cast<std::size_t>(bodies));
    RC_ASSERT(out.requests <=
              out.failures + static_cast<std::uint64_t>(bodies) * (1 + RemoteWriteClient::kMostRepeats));
  });
}

TEST(UnreliableServer, WhoClosesEveryConnectionGetsEachRequestOnce) {
  const Outcome out = run({.closing = true}, 1, 10'000, 5min);
  EXPECT_TRUE(out.delivered);
  EXPECT_EQ(out.arrived, 10'000U);
  EXPECT_LE(out.requests, 10'001U);
}

TEST(UnreliableServer, WhoIsKilledAndLosesTheLastSecondsHasEverythingInTheEnd) {
  expect_property("kills", [] {
    const auto bodies = *rc::gen::inRange(100, 3000);
    const auto seed = *rc::gen::arbitrary<std::uint64_t>();
    const Duration loses = std::chrono::milliseconds(*rc::gen::inRange(0, 20'000));
    // So far apart that what was lost can be repeated, which takes as long as it took at first.
    const Duration every =
        3 * RemoteWriteClient::kSettle + std::chrono::milliseconds(*rc::gen::inRange(0, 60'000));
    const Duration takes = std::chrono::milliseconds(*rc::gen::inRange(20, 200));
    const Outcome out =
        run({.restart_every = every, .loses = loses, .request_takes = takes}, seed, bodies, 5min);
    RC_ASSERT(out.delivered);
    RC_ASSERT(out.arrived == static_cast<std::size_t>(bodies));
    RC_ASSERT(out.requests <=
              out.failures + static_cast<std::uint64_t>(bodies) * (1 + RemoteWriteClient::kMostRepeats));
  });
}

TEST(UnreliableServer, GivingUpHolds) {
  expect_property("giving up", [] {
    const auto seed = *rc::gen::arbitrary<std::uint64_t>();
    const auto percent = *rc::gen::inRange(80, 101);
    const Duration give_up = std::chrono::seconds(*rc::gen::inRange(0, 600));
    const int bodies = 200;
    const Outcome out = run({.failing = percent / 100.0}, seed, bodies, give_up);
    // Between two bodies at most: once for each repetition of all that is in doubt, and once for the body
    // itself.
    const Duration longest = (give_up + 40ms) * (RemoteWriteClient::kMostRepeats + 2) * bodies;
    RC_ASSERT(out.took <= longest);
    if (percent == 100) {
      RC_ASSERT(!out.delivered);
      RC_ASSERT(out.took <= give_up + 40ms * 1000);
    }
  });
}

}  // namespace
}  // namespace laggard::send
