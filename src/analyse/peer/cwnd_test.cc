#include "analyse/peer/cwnd.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <map>
#include <random>

#include "analyse/peer/definition.h"
#include "base/testing_property.h"

namespace laggard::analyse {
namespace {

using std::chrono::seconds;
using CongestionWindows = std::map<std::int64_t, std::vector<double>>;

/// log2(1 + mean of what is there of the last 31 s), for one node at one second.
double log_at(const CongestionWindows& recording, std::int64_t second, std::size_t node, std::size_t span) {
  if (std::isnan(recording.at(second)[node])) return kMissing;
  double sum = 0;
  int count = 0;
  for (std::int64_t s = second - static_cast<std::int64_t>(span) + 1; s <= second; ++s) {
    const auto found = recording.find(s);
    if (found == recording.end() || std::isnan(found->second[node])) continue;
    sum += found->second[node];
    ++count;
  }
  return std::log2(1 + sum / count);
}

double ratio_at(const CongestionWindows& recording, std::int64_t second, std::size_t node, std::size_t span) {
  std::vector<double> logs;
  for (std::size_t i = 0; i < recording.at(second).size(); ++i) {
    const double log = log_at(recording, second, i, span);
    if (!std::isnan(log)) logs.push_back(log);
  }
  if (logs.size() < 3) return kMissing;
  const double middle = definition::quantile(logs, 0.5);
  return middle > 0 ? log_at(recording, second, node, span) / middle : kMissing;
}

CongestionWindows draw_windows(std::mt19937_64& random, std::size_t nodes) {
  CongestionWindows recording;
  std::int64_t second = 1000;
  for (int k = 0; k < 80; ++k) {
    second += random() % 15 == 0 ? static_cast<std::int64_t>(1 + random() % 50) : 1;
    std::vector<double> cwnd(nodes);
    for (double& x : cwnd) x = random() % 6 == 0 ? kMissing : static_cast<double>(random() % 120);
    recording[second] = cwnd;
  }
  return recording;
}

bool equal_or_missing(double a, double b) { return (std::isnan(a) && std::isnan(b)) || a == b; }

TEST(Cwnd, AgreesWithTheDefinition) {
  expect_property("any gaps, with stops and restarts", [](std::uint64_t seed) {
    std::mt19937_64 random(seed);
    const std::size_t nodes = 2 + random() % 7;
    const std::size_t span = 1 + random() % 31;
    const CongestionWindows recording = draw_windows(random, nodes);
    CwndStream stream({.smoothing = span}, nodes);
    CwndTrainer trainer;
    double smallest = 1;
    for (const auto& [second, cwnd] : recording) {
      if (random() % 9 == 0) stream = *CwndStream::restore(stream.save());
      const auto readings = stream.push(from_unix_ns(0) + seconds(second), cwnd);
      trainer.add(readings);
      for (std::size_t i = 0; i < nodes; ++i) {
        const double want = ratio_at(recording, second, i, span);
        RC_ASSERT(equal_or_missing(readings[i].log, log_at(recording, second, i, span)));
        RC_ASSERT(equal_or_missing(readings[i].ratio, want));
        smallest = std::fmin(smallest, want);
      }
    }
    if (nodes < 3) {
      RC_ASSERT(std::isnan(trainer.fraction()));
      return;
    }
    // From 1 downwards in steps of 0.1 until no node is faulty.
    int g = 10;
    while (g / 10.0 > smallest) --g;
    RC_ASSERT(trainer.fraction() == g / 10.0);
  });
}

TEST(Cwnd, LossySinks) {
  CwndStream stream({}, 4);
  std::span<const CwndReading> readings;
  for (int t = 0; t < 60; ++t) {
    const std::vector<double> cwnd{80, 90, t < 25 ? 85.0 : 3.0, 70};
    readings = stream.push(from_unix_ns(0) + seconds(t), cwnd);
  }
  EXPECT_LT(readings[2].ratio, 0.4);
  EXPECT_GT(readings[3].ratio, 0.9);
}

TEST(Cwnd, IdleGroupIsNotJudged) {
  CwndStream stream({}, 3);
  const auto readings = stream.push(from_unix_ns(0), std::vector<double>{0, 0, 0});
  for (const CwndReading& reading : readings) EXPECT_TRUE(std::isnan(reading.ratio));
}

TEST(Cwnd, RefusesDamagedStates) {
  CwndStream stream({}, 2);
  stream.push(from_unix_ns(0), std::vector<double>{1, 2});
  const std::string good = stream.save();
  EXPECT_TRUE(*CwndStream::restore(good) == stream);
  for (std::size_t cut = 0; cut < good.size(); ++cut) {
    EXPECT_FALSE(CwndStream::restore(good.substr(0, cut)).has_value());
  }
}

}  // namespace
}  // namespace laggard::analyse
