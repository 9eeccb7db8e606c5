// Detectors of events in the engine: beside the peer comparison, in any order, live and recorded.
#include "engine/detectors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <string>

#include "detect/logs/log_matcher.h"
#include "engine/diagnoser.h"
#include "model/log_line.h"
#include "testing/error_detector.h"
#include "testing/script/script.h"

namespace laggard::engine {
namespace {

using namespace std::chrono_literals;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing_support::ErrorDetector;

const std::array<DetectorSpec, 1> kTable{ErrorDetector::spec()};

/// Nine servers, of which the third is slow from the 100th second to the 300th if asked for.
std::unique_ptr<script::Recording> recording(bool slow) {
  script::System system;
  system.length = 600;
  if (slow) system.faults.push_back({"slow", "s3", "", 100, 300, 4});
  return script::record(system, "lab");
}

struct FailedRead {
  const char* host;
  double second;
  const char* subject = "";
};

/// Each in a table of its own.
std::vector<EventTable> errors(WallTime start, const std::vector<FailedRead>& all) {
  std::vector<EventTable> tables;
  for (const FailedRead& one : all) {
    EventTable& table = tables.emplace_back(one.host, "error");
    const std::string_view subject = one.subject;
    const Word word = subject.empty() ? kNoWord : table.intern(subject).value();
    table.append({start + Duration{static_cast<std::int64_t>(one.second * 1e9)},
                  {},
                  word,
                  table.intern("I/O error").value()});
  }
  return tables;
}

/// Ten a step from one second to another.
std::vector<FailedRead> often(const char* host, double from, double to, const char* subject = "") {
  std::vector<FailedRead> all;
  for (double t = from; t < to; t += 3) all.push_back({host, t, subject});
  return all;
}

WallTime start_of(script::Recording& recording) {
  return recording.source.inventory().value().devices.front().first;
}

DiagnoserOptions options_for(script::Recording& recording) {
  DiagnoserOptions options = script::diagnoser_options(recording, {});
  options.detectors = kTable;
  return options;
}

/// All events first.
Diagnosis diagnose_with(script::Recording& recording, const std::vector<EventTable>& events) {
  Diagnoser diagnoser(recording.grouping, options_for(recording));
  for (const EventTable& table : events) diagnoser.add(table);
  script::read(recording, [&](const SampleTable& table) { diagnoser.add(table); });
  diagnoser.finish();
  return diagnoser.diagnosis();
}

std::vector<std::string> sources(const Incident& incident) {
  std::vector<std::string> all;
  for (const Evidence& evidence : incident.evidence) all.push_back(evidence.source);
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

TEST(Detectors, FindingsOfAllWitnessesAreLocalizedTogether) {
  const auto sick = recording(true);
  const Diagnosis diagnosis = diagnose_with(*sick, errors(start_of(*sick), often("s3", 120, 280)));
  ASSERT_THAT(diagnosis.incidents, SizeIs(1));
  const Incident& incident = diagnosis.incidents.front();
  EXPECT_EQ(incident.blame.name, "s3");
  EXPECT_EQ(incident.cause, "disk-busy");
  EXPECT_THAT(sources(incident), ElementsAre("errors", "metrics"));
  const auto of_errors = std::ranges::find(incident.evidence, "errors", &Evidence::source);
  EXPECT_EQ(of_errors->part, (Part{PartKind::kServer, "s3"}));
  ASSERT_THAT(of_errors->payloads, SizeIs(1));
  EXPECT_THAT(std::get<LinesPayload>(of_errors->payloads.front().shape).lines, SizeIs(54));
}

TEST(Detectors, SayWhatNoMetricShows) {
  const auto well = recording(false);
  const WallTime start = start_of(*well);
  const Diagnosis diagnosis = diagnose_with(*well, errors(start, often("s5", 200, 320, "rsync")));
  ASSERT_THAT(diagnosis.incidents, SizeIs(1));
  const Incident& incident = diagnosis.incidents.front();
  EXPECT_EQ(incident.blame, (Part{PartKind::kProcess, "rsync"})) << "one process is not its server";
  EXPECT_THAT(incident.components, ElementsAre("rsync"));
  EXPECT_EQ(incident.since, start + 200s);
  EXPECT_EQ(incident.until, start + 317s);
  EXPECT_EQ(incident.status, IncidentStatus::kClosed);
  EXPECT_THAT(incident.id, HasSubstr("rsync-error-"));
  EXPECT_THAT(incident.why, HasSubstr("is not well"));
}

TEST(Detectors, ADiskThatIsNamedIsTheComponent) {
  const auto well = recording(false);
  const Diagnosis diagnosis = diagnose_with(*well, errors(start_of(*well), often("s5", 200, 320, "d1")));
  ASSERT_THAT(diagnosis.incidents, SizeIs(1));
  EXPECT_THAT(diagnosis.incidents.front().components, ElementsAre("s5/d1"));
  EXPECT_EQ(diagnosis.incidents.front().blame.name, "s5") << "its only disk is the server";
}

/// As a source tells them that is behind by up to a minute, marks accordingly.
TEST(Detectors, AnyOrderWithinTheLatenessGivesTheSameIncidents) {
  const auto sick = recording(true);
  const WallTime start = start_of(*sick);
  std::vector<FailedRead> told = often("s3", 120, 280);
  for (const FailedRead& one : often("s7", 150, 400, "nfsd")) told.push_back(one);
  for (const FailedRead& one : often("s1", 20, 590, "d1")) told.push_back(one);
  std::vector<EventTable> events = errors(start, told);
  const Diagnosis expected = diagnose_with(*sick, events);
  EXPECT_THAT(expected.incidents, SizeIs(3));
  std::mt19937_64 random(7);
  constexpr Duration kMostLate = 60s;
  for (int round = 0; round < 3; ++round) {
    Diagnoser diagnoser(sick->grouping, options_for(*sick));
    script::read_beside_late(*sick, events, kMostLate, random, diagnoser);
    const Diagnosis diagnosis = diagnoser.diagnosis();
    EXPECT_THAT(diagnosis.coverage.missing, IsEmpty());
    ASSERT_EQ(diagnosis.incidents.size(), expected.incidents.size());
    for (std::size_t i = 0; i < expected.incidents.size(); ++i) {
      EXPECT_EQ(diagnosis.incidents[i].id, expected.incidents[i].id);
      EXPECT_EQ(diagnosis.incidents[i].since, expected.incidents[i].since);
      EXPECT_EQ(diagnosis.incidents[i].evidence.size(), expected.incidents[i].evidence.size());
    }
  }
}

TEST(Detectors, AreAskedOnceAboutWhoIsNewlyAccused) {
  const auto sick = recording(true);
  const Diagnosis diagnosis = diagnose_with(*sick, errors(start_of(*sick), {{"s7", 20}, {"s7", 500}}));
  ASSERT_THAT(diagnosis.incidents, SizeIs(1));
  std::vector<std::string> answers;
  for (const Evidence& evidence : diagnosis.incidents.front().evidence) {
    if (evidence.source == "errors") answers.push_back(evidence.note);
  }
  EXPECT_THAT(answers, ElementsAre("asked about s3, 1 of its parts and 8 healthy ones"));
}

/// A line of each of the nine servers, and what s3 logs besides, at these seconds.
std::vector<EventTable> logs(WallTime start, double second, const std::vector<double>& errors) {
  std::vector<EventTable> tables;
  const auto log = [&](const std::string& host, double at, std::string_view text) {
    LogAppender appender(tables.emplace_back(host, std::string(kLogKind)));
    const WallTime time = start + Duration{static_cast<std::int64_t>(at * 1e9)};
    EXPECT_TRUE(appender.append({.time = time, .program = {}, .pid = {}, .severity = 6, .text = text}));
  };
  for (int server = 1; server <= 9; ++server) log("s" + std::to_string(server), second, "routine");
  for (const double at : errors) log("s3", at, "blk_update_request: critical medium error, dev d1, sector 7");
  return tables;
}

Incident only_incident(script::Recording& recording, const std::vector<EventTable>& events, WallTime& from) {
  DiagnoserOptions options = script::diagnoser_options(recording, {});
  options.detectors = detector_table();
  Diagnoser diagnoser(recording.grouping, std::move(options));
  for (const EventTable& table : events) diagnoser.add(table);
  script::read(recording, [&](const SampleTable& table) { diagnoser.add(table); });
  diagnoser.finish();
  const Diagnosis diagnosis = diagnoser.diagnosis();
  EXPECT_THAT(diagnosis.incidents, SizeIs(1));
  from = diagnosis.from;
  return diagnosis.incidents.at(0);
}

TEST(Detectors, LogsSayInWhichModeASuspectFailsAndMayDoSoLater) {
  if (!detect::LogMatcher::available()) GTEST_SKIP() << "built without RE2";
  const auto sick = recording(true);
  const WallTime start = start_of(*sick);
  WallTime from;
  WallTime begin;
  const Incident silent = only_incident(*sick, {}, begin);
  EXPECT_EQ(only_incident(*sick, logs(start, -3600, {}), from).mode, std::nullopt);
  EXPECT_EQ(from, begin) << "logs are not what is judged";
  for (const double second : {90.0, 290.0}) {
    const Incident incident = only_incident(*sick, logs(start, 20, {second}), from);
    EXPECT_EQ(incident.mode, FailureMode::kReliability) << "before it begins, and long after it opened";
    EXPECT_EQ(incident.id, silent.id);
    EXPECT_EQ(incident.evidence.size(), silent.evidence.size() + 1);
    EXPECT_EQ(incident.evidence.back().source, "logs");
  }
}

/// Of the nine servers, s3's from the 60th second on so many times the others', and as theirs from a second
/// on.
std::vector<SampleTable> loads(WallTime start, double times_others = 12, int until = 600) {
  std::vector<SampleTable> tables;
  for (int server = 1; server <= 9; ++server) {
    std::vector<WallTime> times;
    for (int t = 0; t <= 600; t += 20) times.push_back(start + std::chrono::seconds(t));
    SampleTable& table =
        tables.emplace_back("s" + std::to_string(server), DeviceKind::kHost,
                            std::vector<TableCounter>{{"cpu_user_ms", CounterForm::kCumulative}},
                            std::vector<std::string>{"host"}, times);
    for (std::size_t t = 0; t < times.size(); ++t) {
      const std::size_t busy_steps = std::min<std::size_t>(t, static_cast<std::size_t>(until) / 20);
      const double busy =
          server == 3 && t > 3 ? 20'000 * (times_others - 1) * static_cast<double>(busy_steps - 3) : 0;
      table.set(0, 0, t, 20'000 * t + static_cast<std::uint64_t>(busy));
    }
  }
  return tables;
}

TEST(Detectors, LoadSaysThatASuspectHasTooMuchToDo) {
  const auto sick = recording(true);
  const WallTime start = start_of(*sick);
  const auto judged = [&](const std::vector<SampleTable>& load, const std::vector<EventTable>& lines) {
    DiagnoserOptions options = script::diagnoser_options(*sick, {});
    Diagnoser diagnoser(sick->grouping, std::move(options));
    for (const EventTable& table : lines) diagnoser.add(table);
    for (const SampleTable& table : load) diagnoser.add_load(table);
    script::read(*sick, [&](const SampleTable& table) { diagnoser.add(table); });
    diagnoser.finish();
    return diagnoser.diagnosis().incidents.at(0);
  };
  const Incident plain = judged({}, {});
  EXPECT_EQ(plain.mode, std::nullopt);
  const Incident busy = judged(loads(start), {});
  EXPECT_EQ(busy.mode, FailureMode::kOverload);
  EXPECT_EQ(busy.id, plain.id);
  ASSERT_EQ(busy.evidence.size(), plain.evidence.size() + 1);
  EXPECT_THAT(busy.evidence.back().note, HasSubstr("s3 has more to do than its 8 healthy peers"));
  if (!detect::LogMatcher::available()) GTEST_SKIP() << "built without RE2";
  const Incident broken = judged(loads(start), logs(start, 20, {290}));
  EXPECT_EQ(broken.mode, FailureMode::kReliability) << "which is told of later, and goes first";
  EXPECT_EQ(broken.evidence.size(), plain.evidence.size() + 2);
}

TEST(Detectors, WhatFailsAndDoesNoMoreIsBrokenUnlessALoadWasSeen) {
  const auto well = recording(false);
  const WallTime start = start_of(*well);
  std::array<DetectorSpec, 1> pings = kTable;
  pings.front().source = "pings";
  const auto judged = [&](double times_others, std::span<const DetectorSpec> table) {
    DiagnoserOptions options = script::diagnoser_options(*well, {});
    options.detectors = table;
    Diagnoser diagnoser(well->grouping, std::move(options));
    for (const EventTable& events : errors(start, often("s3", 60, 560))) diagnoser.add(events);
    for (const SampleTable& load : loads(start, times_others, 180)) diagnoser.add_load(load);
    diagnoser.advance(start + 600s);
    diagnoser.finish();
    return diagnoser.diagnosis().incidents.at(0);
  };
  const Incident broken = judged(1, pings);
  EXPECT_EQ(broken.mode, FailureMode::kReliability);
  EXPECT_TRUE(broken.evidence.back().surmised);
  EXPECT_THAT(broken.evidence.back().note, HasSubstr("s3 has no more to do than its 8 healthy peers"));
  EXPECT_EQ(judged(1, kTable).mode, std::nullopt) << "no probe has failed";
  EXPECT_EQ(judged(1.8, pings).mode, FailureMode::kOverload)
      << "for two minutes, which the mean of five hides";
}

TEST(Detectors, WhatComesLateIsCountedAndSaid) {
  const auto well = recording(false);
  const WallTime start = start_of(*well);
  Diagnoser diagnoser(well->grouping, options_for(*well));
  script::read(*well, [&](const SampleTable& table) { diagnoser.add(table); });
  diagnoser.advance(start + 500s);
  for (const EventTable& table : errors(start, often("s3", 100, 130))) diagnoser.add(table);
  diagnoser.finish();
  const Diagnosis diagnosis = diagnoser.diagnosis();
  EXPECT_THAT(diagnosis.incidents, IsEmpty());
  EXPECT_THAT(diagnosis.coverage.missing, Contains(HasSubstr("10 observations (error) of s3")));
  EXPECT_THAT(diagnosis.coverage.missing.front(), HasSubstr("came late and were not judged"));
}

TEST(Detectors, EventsNeedNoSamples) {
  const auto well = recording(false);
  const WallTime start = start_of(*well);
  DiagnoserOptions options = options_for(*well);
  std::vector<WallTime> ticks;
  options.tick = {.every = 32s,
                  .tell =
                      [&](const Diagnoser& diagnoser, WallTime at) {
                        if (!diagnoser.diagnosis().incidents.empty()) ticks.push_back(at);
                      },
                  .forget = true};
  Diagnoser diagnoser(well->grouping, std::move(options));
  for (const EventTable& table : errors(start, often("s3", 100, 130))) diagnoser.add(table);
  diagnoser.advance(start + 400s);
  ASSERT_FALSE(ticks.empty()) << "a mark is enough";
  EXPECT_LE(ticks.front() - (start + 130s), 64s);
  EXPECT_THAT(diagnoser.paths(), SizeIs(1));
  EXPECT_EQ(diagnoser.diagnosis().to, ticks.back());
}

}  // namespace
}  // namespace laggard::engine
