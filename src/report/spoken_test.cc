#include "report/spoken.h"

#include <gtest/gtest.h>

namespace laggard::report {
namespace {

Evidence of(std::string metric, std::string unit, std::optional<double> level, std::optional<double> peers) {
  Evidence e;
  e.metric = std::move(metric);
  e.component = "s2/sda";
  e.detector = "cdf";
  e.score = 5;
  e.level = level;
  e.peers = peers;
  e.unit = std::move(unit);
  e.peer_count = 71;
  return e;
}

std::string said(std::vector<Evidence> evidence) {
  Incident incident;
  incident.components = {"s2/sda"};
  incident.evidence = std::move(evidence);
  return spoken_evidence(incident);
}

TEST(SpokenEvidence, IsWhatAPersonWouldSay) {
  EXPECT_EQ(said({of("await", "ms", 46, 5)}), "s2/sda takes 46 ms per request where its 71 peers take 5 ms");
  EXPECT_EQ(said({of("rd_sec", "sectors/s", 2000, 20000)}),
            "s2/sda reads 1.02 MB/s where its 71 peers read 10.2 MB/s");
  EXPECT_EQ(said({of("rtt", "ms", 16, 3)}), "s2/sda needs 16 ms per round trip where its 71 peers need 3 ms");
  EXPECT_EQ(said({of("retransmits", "%", 4.36, 0.0041)}),
            "s2/sda retransmits 4.36 % of its packets where its 71 peers retransmit 0.0041 %");
  EXPECT_EQ(said({of("dread", "ms", 2090, 53.5)}),
            "s2/sda takes 2.09 s per read from storage where its 71 peers take 53.5 ms");
  EXPECT_EQ(said({of("nsread", "ms", 12, 1)}),
            "s2/sda takes 12 ms to read a request where its 71 peers take 1 ms");
  EXPECT_EQ(said({of("unsent", "bytes", 2e6, 1000)}),
            "s2/sda has TCP bytes not sent yet of 2 MB where its 71 peers have 1 kB");
  Evidence few = of("await", "ms", 46, 5);
  few.peer_count = 0;
  EXPECT_EQ(said({few}), "s2/sda takes 46 ms per request where its peers take 5 ms");
}

TEST(SpokenEvidence, WhatTheBiasDetectorSawTookHours) {
  Evidence slow = of("await", "ms", 6.5, 5);
  slow.detector = "bias";
  EXPECT_EQ(said({slow}), "s2/sda takes 6.5 ms per request where its 71 peers take 5 ms, hour after hour");
}

TEST(SpokenEvidence, ADeviationIsOfOneSecond) {
  Evidence off = of("dread", "ms", 2.52, 2.5);
  off.detector = "deviation";
  off.distance = 1.5;
  off.threshold = 0.201;
  EXPECT_EQ(
      said({off}),
      "in one second the time of a read from storage of s2/sda was 1.5 ms off the median of its 71 peers, "
      "where 201 us is the most that is normal");
}

TEST(SpokenEvidence, WhoIsSilentIsSaidFirstAndTheOthersAreCounted) {
  Evidence silent = of("rd_sec", "sectors/s", 0, 20000);
  silent.detector = "absent";
  silent.score = 2;
  Evidence other = silent;
  other.component = "s3/sda";
  EXPECT_EQ(said({of("await", "ms", 46, 5), silent, other, other}),
            "s2/sda does nothing where its 71 peers read 10.2 MB/s; 1 other likewise");
  silent.peers.reset();
  EXPECT_EQ(said({silent}), "s2/sda does nothing while most of its 71 peers work");
}

TEST(SpokenEvidence, IsAboutTheResourceAtFault) {
  Incident incident;
  incident.components = {"s2/sda", "s2/tcp-in"};
  Evidence lost = of("retransmits", "%", 4.83, 0.032);
  lost.component = "s2/tcp-in";
  lost.score = 2;
  Evidence alike = of("cwnd", "segments", 76, 76);
  incident.evidence = {of("await", "ms", 262, 31.2), lost, alike};
  incident.resource = "network";
  EXPECT_EQ(spoken_evidence(incident),
            "s2/tcp-in retransmits 4.83 % of its packets where its 71 peers retransmit 0.032 %");
  incident.resource = "storage";
  EXPECT_EQ(spoken_evidence(incident), "s2/sda takes 262 ms per request where its 71 peers take 31.2 ms");
  incident.resource = "memory";
  EXPECT_EQ(spoken_evidence(incident), "s2/sda takes 262 ms per request where its 71 peers take 31.2 ms");
}

TEST(SpokenEvidence, NeverHoldsALevelAgainstTheSameLevel) {
  EXPECT_EQ(
      said({of("rd_sec", "sectors/s", 0, 0)}),
      "the read throughput of s2/sda differs from that of its 71 peers in how it is distributed, not in its "
      "level (0 B/s and 0 B/s)");
  EXPECT_EQ(said({of("rd_sec", "sectors/s", {}, {})}),
            "the read throughput of s2/sda differs from that of its 71 peers; there is no data on its level");
  Evidence strong = of("rd_sec", "sectors/s", 0, 0);
  strong.score = 107;
  EXPECT_EQ(said({strong, of("await", "ms", 46, 5)}), said({of("await", "ms", 46, 5)}))
      << "what differs in level is said before";
}

TEST(SpokenEvidence, OfAnotherWitnessIsItsNote) {
  Evidence logs;
  logs.source = "logs";
  logs.component = "s2";
  logs.note = "12 lines say that a disk failed";
  EXPECT_EQ(said({logs}), "logs of s2: 12 lines say that a disk failed");
  EXPECT_EQ(said({}), "");
}

TEST(MeaningOfDistance, OfEachTest) {
  for (const char* detector :
       {"cdf", "kl", "median", "thresh", "wasserstein", "cwnd", "deviation", "bias", "absent", "standby"}) {
    EXPECT_TRUE(meaning_of_distance(detector).starts_with(detector));
  }
  EXPECT_EQ(meaning_of_distance("logs"), "");
}

}  // namespace
}  // namespace laggard::report
