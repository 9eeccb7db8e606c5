#include "collect/pings/ceph_target.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "collect/pings/ceph_listing.h"

namespace laggard::collect {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr auto kCreate = PingOperation::kCreateWrite;
constexpr auto kWrite = PingOperation::kWriteExisting;
constexpr auto kRemove = PingOperation::kRemoveExisting;

std::uint32_t hash_of(const std::string& key) { return static_cast<std::uint32_t>(ping_hash(key)); }

/// What a cluster knows.
struct Cluster {
  int osds = 3;
  std::map<std::string, int> places = {};  ///< Of keys, where they are not on the OSD of their number modulo.
  std::set<int> down = {};
  std::set<int> out = {};
  std::map<std::pair<std::string, std::string>, CephObject> objects = {};  ///< By key and name.
  std::vector<std::string> asked = {};
  int monitors_fail = 0;
  int writes_fail = 0;

  [[nodiscard]] int place(const std::string& key) const {
    const auto moved = places.find(key);
    return moved != places.end() ? moved->second : std::stoi(key.substr(key.rfind('-') + 1)) % osds;
  }
};

class FakePool final : public CephPool {
 public:
  explicit FakePool(Cluster& cluster) : cluster_(cluster) {}
  [[nodiscard]] const std::string& name() const override { return name_; }
  [[nodiscard]] int ask(const std::string& command, std::string& answer) override {
    if (cluster_.monitors_fail != 0) return cluster_.monitors_fail;
    const auto question = nlohmann::json::parse(command);
    const std::string prefix = question["prefix"];
    cluster_.asked.push_back(prefix);
    if (prefix == "osd map") {
      EXPECT_EQ(question["pool"], "p");
      const std::string key = question["object"];
      const int osd = cluster_.place(key);
      answer =
          fmt::format(R"({{"raw_pgid":"1.{:x}","acting":[{}],"acting_primary":{}}})", hash_of(key), osd, osd);
    } else if (prefix == "osd tree") {
      nlohmann::json nodes = nlohmann::json::array();
      for (const int osd : cluster_.down)
        nodes.push_back({{"id", osd}, {"status", "down"}, {"reweight", cluster_.out.contains(osd) ? 0 : 1}});
      answer = nlohmann::json{{"nodes", nodes}}.dump();
    } else {
      nlohmann::json list = nlohmann::json::array();
      for (int osd = 0; osd < cluster_.osds; ++osd)
        list.push_back({{"id", osd}, {"hostname", fmt::format("n{}", osd)}, {"devices", "sdb"}});
      answer = list.dump();
    }
    return 0;
  }
  [[nodiscard]] int write(const std::string& key, const std::string& object) override {
    if (cluster_.writes_fail != 0) return cluster_.writes_fail;
    cluster_.objects[{key, object}] = {.name = object, .is_ping = true};
    return 0;
  }
  [[nodiscard]] int remove(const std::string& key, const std::string& object) override {
    return cluster_.objects.erase({key, object}) == 1 ? 0 : ENOENT;
  }
  [[nodiscard]] int list(const std::string& key, std::uint32_t hash,
                         std::vector<CephObject>& objects) override {
    EXPECT_EQ(hash, hash_of(key));
    for (const auto& [where, object] : cluster_.objects) {
      if (where.first == key) objects.push_back(object);
    }
    return 0;
  }

 private:
  Cluster& cluster_;
  std::string name_ = "p";
};

class Ceph : public testing::Test {
 protected:
  [[nodiscard]] CephTarget::Opener opener() {
    return [this](const std::string& mount) -> Result<std::unique_ptr<CephPool>> {
      EXPECT_EQ(mount, "p");
      if (unreachable_) return fail(ErrorCode::kUnavailable, "Ceph", "is away");
      return std::make_unique<FakePool>(cluster_);
    };
  }
  PingResult run(PingOperation operation) {
    phases_.clear();
    return target_.run(operation, [&](PingPhase phase) { phases_.push_back(phase); });
  }
  [[nodiscard]] std::set<std::string> keys_used() const {
    std::set<std::string> keys;
    for (const auto& [where, object] : cluster_.objects) keys.insert(where.first);
    return keys;
  }

  Cluster cluster_;
  bool unreachable_ = false;
  PingOwner us_ = this_owner("/", "c1");
  CephTarget target_{
      {.name = "n1/sdb", .place = "osd.1", .mount = "p", .known = "4"}, {.owner = us_}, opener()};
  std::vector<PingPhase> phases_;
};

TEST_F(Ceph, EachOperationDoesWhatItsNameSaysUnderAKeyOfTheTarget) {
  EXPECT_EQ(run(kCreate).error, 0);
  EXPECT_THAT(phases_, ElementsAre(PingPhase::kUnderWay, PingPhase::kPreparing))
      << "the monitors are not the target's to answer for";
  EXPECT_THAT(keys_used(), ElementsAre("laggard-ping-4"));
  EXPECT_THAT(cluster_.objects, SizeIs(1));
  EXPECT_EQ(run(kRemove).error, 0);
  EXPECT_THAT(cluster_.objects, IsEmpty()) << "RmEx removes what CrWr made";
  for (int i = 0; i < 3; ++i) EXPECT_EQ(run(kWrite).error, 0);
  EXPECT_THAT(cluster_.objects, SizeIs(1)) << "WrEx writes to one object again and again";
  EXPECT_EQ(run(kRemove).error, 0) << "it makes itself something to remove";
  EXPECT_EQ(run(kCreate).error, 0);
  EXPECT_THAT(cluster_.objects, SizeIs(2));
  target_.remove_own();
  EXPECT_THAT(cluster_.objects, IsEmpty());
}

TEST_F(Ceph, AProbeAsksTheMonitorsOnce) {
  static_cast<void>(run(kWrite));
  cluster_.asked.clear();
  static_cast<void>(run(kWrite));
  EXPECT_THAT(cluster_.asked, ElementsAre("osd map"));
}

TEST_F(Ceph, ObjectsDoNotPileUpWhereNothingRemovesThem) {
  for (std::size_t i = 0; i < CephTarget::kMostFiles; ++i) EXPECT_FALSE(run(kCreate).skipped);
  EXPECT_TRUE(run(kCreate).skipped);
  EXPECT_THAT(cluster_.objects, SizeIs(CephTarget::kMostFiles));
}

TEST_F(Ceph, WhatCameToLieElsewhereIsNotCountedAndAnotherKeyIsFound) {
  EXPECT_EQ(run(kWrite).error, 0);
  cluster_.places["laggard-ping-4"] = 2;
  const PingResult moved = run(kWrite);
  EXPECT_TRUE(moved.skipped);
  EXPECT_EQ(moved.error, EXDEV);
  const PingResult found = run(kWrite);
  EXPECT_EQ(found.error, 0);
  EXPECT_FALSE(found.skipped);
  EXPECT_THAT(keys_used(), ElementsAre("laggard-ping-1", "laggard-ping-4"));
  target_.remove_own();
  EXPECT_THAT(cluster_.objects, IsEmpty()) << "what lies elsewhere as well";
}

TEST_F(Ceph, WithoutAnyKeyItIsSkippedAndManyAreTriedInTheEnd) {
  for (int key = 0; key < 3000; ++key) cluster_.places[ceph_key(static_cast<std::uint64_t>(key))] = 0;
  for (int probe = 0; probe < 11; ++probe) {
    const PingResult result = run(kWrite);
    EXPECT_TRUE(result.skipped);
    EXPECT_EQ(result.error, EXDEV);
  }
  EXPECT_EQ(run(kWrite).error, 0);
  EXPECT_THAT(keys_used(), ElementsAre("laggard-ping-3001"));
}

TEST_F(Ceph, OneThatIsDownFailsThoughOthersServeItsObjects) {
  EXPECT_EQ(run(kCreate).error, 0);
  cluster_.down = {1};
  cluster_.places["laggard-ping-4"] = 0;
  for (int round = 0; round < 2; ++round) {
    for (const PingOperation operation : {kWrite, kRemove}) {
      const PingResult result = run(operation);
      EXPECT_EQ(result.error, EHOSTDOWN);
      EXPECT_FALSE(result.skipped);
    }
  }
  cluster_.out = {1};
  EXPECT_EQ(run(kWrite).error, EHOSTDOWN) << "that it was given up does not make it well";
  cluster_ = {.objects = cluster_.objects};
  for (const PingOperation operation : kPingOperations) {
    const PingResult result = run(operation);
    EXPECT_EQ(result.error, 0);
    EXPECT_FALSE(result.skipped);
  }
  EXPECT_THAT(keys_used(), ElementsAre("laggard-ping-4"));
}

TEST_F(Ceph, WhereAPoolHasNoCopiesNobodyServesThemMeanwhile) {
  cluster_.down = {1};
  cluster_.places["laggard-ping-4"] = -1;
  EXPECT_EQ(run(kWrite).error, EHOSTDOWN);
}

TEST_F(Ceph, MonitorsThatFailAreNotTheTarget) {
  EXPECT_EQ(run(kWrite).error, 0);
  cluster_.monitors_fail = ETIMEDOUT;
  const PingResult unknown = run(kWrite);
  EXPECT_TRUE(unknown.skipped);
  EXPECT_EQ(unknown.error, ETIMEDOUT);
  cluster_.monitors_fail = 0;
  EXPECT_FALSE(run(kWrite).skipped);
}

TEST_F(Ceph, WithoutAConnectionItIsSkippedUntilThereIsOne) {
  unreachable_ = true;
  EXPECT_TRUE(run(kCreate).skipped);
  target_.remove_abandoned();
  target_.remove_own();
  unreachable_ = false;
  EXPECT_FALSE(run(kCreate).skipped);
}

TEST_F(Ceph, RefusalsAreTold) {
  cluster_.writes_fail = EPERM;
  EXPECT_EQ(run(kCreate).error, EPERM);
  EXPECT_EQ(run(kWrite).error, EPERM);
  EXPECT_TRUE(run(kRemove).skipped) << "there is nothing to remove";
}

TEST_F(Ceph, RemovesWhatIsProvablyOfKilledRecordersAndNothingElse) {
  PingOwner dead = us_;
  dead.started += 1;
  PingOwner rebooted = us_;
  rebooted.boot = std::string(32, 'a');
  PingOwner of_other_host = dead;
  of_other_host.host += 1;
  const auto leave = [&](const std::string& key, const std::string& name, std::chrono::seconds age,
                         bool ping) {
    cluster_.objects[{key, name}] = {.name = name, .age = age, .is_ping = ping};
  };
  using std::chrono::hours;
  leave("laggard-ping-4", ping_file_name(dead, 1), {}, true);
  leave("laggard-ping-4", ping_file_name(rebooted, 2), hours(2), true);
  target_.remove_abandoned();
  EXPECT_THAT(cluster_.objects, IsEmpty());
  leave("laggard-ping-4", ping_file_name(rebooted, 3), {}, true);
  leave("laggard-ping-4", ping_file_name(dead, 4), {}, false);
  leave("laggard-ping-4", ping_file_name(of_other_host, 5), hours(2), true);
  leave("laggard-ping-4", ping_file_name(us_, 1000), {}, true);
  leave("laggard-ping-4", "notes", hours(2), true);
  leave("laggard-ping-7", ping_file_name(dead, 6), {}, true);
  target_.remove_abandoned();
  EXPECT_THAT(cluster_.objects, SizeIs(6));
}

TEST_F(Ceph, MistakesAreOneSentence) {
  EXPECT_TRUE(CephTarget::check({.name = "a", .place = "osd.3", .mount = "p"}));
  EXPECT_TRUE(CephTarget::check({.name = {}, .place = {}, .mount = "pings@p"}));
  const auto place = CephTarget::check({.name = "a", .place = "/mnt", .mount = "p"});
  ASSERT_FALSE(place);
  EXPECT_EQ(place.error().message(), "--target: a=/mnt names no OSD such as osd.3");
  EXPECT_FALSE(CephTarget::check({.name = {}, .place = {}, .mount = "pings@"}));
}

TEST(CephListing, FindsAllWithTheKeysThatLeadToThem) {
  Cluster cluster{.osds = 4};
  cluster.places = {{"laggard-ping-1", 0}, {"laggard-ping-2", 0}};
  FakePool pool(cluster);
  const auto listing = list_ceph_osds(pool, "p");
  ASSERT_TRUE(listing) << listing.error().message();
  ASSERT_THAT(listing->targets, SizeIs(4));
  EXPECT_EQ(listing->targets[0].name, "n0/sdb");
  EXPECT_EQ(listing->targets[0].place, "osd.0");
  EXPECT_EQ(listing->targets[0].mount, "p");
  EXPECT_EQ(listing->targets[0].known, "0,1,2,4");
  EXPECT_EQ(listing->targets[1].known, "5");
  EXPECT_THAT(listing->notes, IsEmpty());
}

TEST(CephListing, WhoIsDownIsATargetAndWhoHasNoPlacementGroupIsSaid) {
  Cluster cluster{.osds = 5};
  for (std::uint64_t key = 0; key < 1000; ++key) {
    if (key % 5 > 1) cluster.places[ceph_key(key)] = 0;
  }
  cluster.down = {2, 3};
  cluster.out = {3};
  FakePool pool(cluster);
  const auto listing = list_ceph_osds(pool, "p");
  ASSERT_TRUE(listing) << listing.error().message();
  std::vector<std::string> places;
  for (const PingTargetSpec& target : listing->targets) places.push_back(target.place);
  EXPECT_THAT(places, ElementsAre("osd.0", "osd.1", "osd.2"));
  ASSERT_THAT(listing->notes, SizeIs(1));
  EXPECT_THAT(listing->notes[0], HasSubstr("pg_num): osd.4"));
  EXPECT_LE(cluster.asked.size(), 16U * 5 + 64 + 2) << "it ends";
}

TEST(CephListing, MonitorsThatFailAreSaid) {
  Cluster cluster{.monitors_fail = EACCES};
  FakePool pool(cluster);
  const auto listing = list_ceph_osds(pool, "p");
  ASSERT_FALSE(listing);
  EXPECT_THAT(listing.error().message(), HasSubstr("do not say which OSDs there are"));
}

}  // namespace
}  // namespace laggard::collect
