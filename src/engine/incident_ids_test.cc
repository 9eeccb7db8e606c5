// Incidents keep their ids while a recording grows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <map>

#include "testing/property.h"
#include "testing/script/script.h"

namespace laggard::engine {
namespace {

/// The recording up to `end` seconds, as another run would see it while it is made.
Diagnosis diagnosed_until(const script::Script& script, double end) {
  script::System system = script.system;
  system.length = end;
  return script::diagnose(*script::record(system, script.preset));
}

/// By id, the components.
std::map<std::string, std::vector<std::string>> subjects(const Diagnosis& diagnosis) {
  std::map<std::string, std::vector<std::string>> found;
  for (const Incident& incident : diagnosis.incidents) found[incident.id] = incident.components;
  return found;
}

struct Growing {
  const char* name;
  const char* text;
};

constexpr Growing kGrowing[] = {
    {"SlowDisk", "fault slow on s3 from 120 to 240 by 3"},
    {"HoggedDisk", "record for 400 \n fault hog on s5 from 120 to 300 by 1"},
    {"SilentDisk", "record for 600 \n fault silent on s2 from 200 to 500"},
    {"AllDisksOfAServer", "topology 5 servers 4 disks \n fault slow on s2 from 120 to 280 by 3"},
    {"TwoAtOnce",
     "record for 400 \n fault slow on s2 from 100 to 300 by 3 \n fault hog on s8 from 120 to 350 by 1"},
    {"TwoAfterEachOther",
     "record for 1000 \n fault slow on s2 from 100 to 250 by 3 \n fault slow on s2 from 750 to 900 by 3"},
    {"FloodedNetwork",
     "topology 9 servers 4 clients \n record for 400 \n fault flood on s6 from 120 to 300 by 1"},
    {"SlowDiskProduction",
     "preset production \n record for 14400 every 15 \n fault slow on s3 from 3600 to 10800 by 3"},
    {"BarelySlowDiskProduction",
     "preset production \n record for 28800 every 15 \n fault slow on s3 from 3600 to 25000 by 1.3"},
    {"LossyNetwork",
     "topology 9 servers 4 clients \n record for 400 \n fault drops on s9 from 120 to 300 by 5"},
};

class GrowingRecordings : public testing::TestWithParam<Growing> {};

TEST_P(GrowingRecordings, AnIncidentHasTheSameIdAtWhateverMomentItIsLookedAt) {
  const script::Script script = *script::parse(GetParam().text);
  const Diagnosis whole = diagnosed_until(script, script.system.length);
  ASSERT_FALSE(whole.incidents.empty());
  const auto finally = subjects(whole);
  std::size_t seen = 0;
  expect_property("ids of a cut recording are ids of the whole", [&] {
    const double end =
        *rc::gen::resize(rc::kNominalSize, rc::gen::inRange<int>(70, static_cast<int>(script.system.length)));
    for (const auto& [id, components] : subjects(diagnosed_until(script, end))) {
      RC_ASSERT(finally.contains(id));
      ++seen;
    }
  });
  EXPECT_GT(seen, 10U) << "most cuts are behind the opening";
}

INSTANTIATE_TEST_SUITE_P(Faults, GrowingRecordings, testing::ValuesIn(kGrowing),
                         [](const auto& grown) { return std::string(grown.param.name); });

TEST(RepeatedTrouble, OfOnePartHasAnIdEachTime) {
  const script::Script script = *script::parse(
      "record for 1500 \n fault slow on s2 from 100 to 300 by 3 \n fault slow on s2 from 1200 to 1400 by 3");
  const auto found = subjects(diagnosed_until(script, script.system.length));
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found.begin()->second, found.rbegin()->second);
}

/// A run over the second half of the trouble cannot see how it opened.
TEST(KnownTrouble, IsKnownToARunThatBeginsInTheMidstOfIt) {
  const script::Script script = *script::parse("record for 500 \n fault slow on s3 from 120 to 400 by 3");
  const auto recording = script::record(script.system, script.preset);
  const Diagnosis whole = script::diagnose(*recording);
  ASSERT_EQ(whole.incidents.size(), 1U);
  const Incident& then = whole.incidents.front();
  DiagnoserOptions options = script::diagnoser_options(*recording, {});
  const auto late = [&] {
    Diagnoser diagnoser(recording->grouping, options);
    ReadRequest request;
    request.from = script::Simulator::start() + std::chrono::seconds(200);
    const auto reader = recording->source.read(request).value();
    for (auto table = reader->next().value(); table; table = reader->next().value()) diagnoser.add(*table);
    diagnoser.finish();
    return diagnoser.diagnosis();
  };
  const Diagnosis unknown = late();
  ASSERT_EQ(unknown.incidents.size(), 1U);
  EXPECT_NE(unknown.incidents[0].id, then.id);
  options.known = {{.id = then.id,
                    .blamed = then.blame.name,
                    .cause = then.cause,
                    .since = then.since,
                    .until = then.seen_until,
                    .components = then.components}};
  const Diagnosis known = late();
  ASSERT_EQ(known.incidents.size(), 1U);
  EXPECT_EQ(known.incidents[0].id, then.id);
  EXPECT_THAT(known.incidents[0].also_known_as, testing::ElementsAre(unknown.incidents[0].id));
}

}  // namespace
}  // namespace laggard::engine
