#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/incident.h"

/// The sentences that text and HTML share, so that both say the same thing. Nothing here is escaped: the
/// writers do that for where they write to.
namespace laggard::report {

/// Writes moments as short as they are clear: the time alone when the whole report lies within one UTC day,
/// else date and time. Whole seconds.
class Clockface {
 public:
  Clockface(WallTime from, WallTime to);
  [[nodiscard]] std::string moment(WallTime t) const;                ///< `19:22:36Z`, `2011-05-17 14:03:00Z`
  [[nodiscard]] static std::string dated(WallTime t);                ///< `2011-05-17 14:03:00Z`
  [[nodiscard]] std::string span(WallTime from, WallTime to) const;  ///< `19:22:36Z to 19:25:20Z`
 private:
  bool one_day_;
};

/// `2m44s`, `3h20m`, `12d4h`: the two largest units.
[[nodiscard]] std::string coarse(Duration length);

/// `3 windows`, `1 window`.
[[nodiscard]] std::string counted(std::size_t count, std::string_view noun);

/// `s2`, `disk fs3/sdb`, `load balancer lb1`. A server goes without its kind.
[[nodiscard]] std::string blamed(const Part& blame);

/// `disk-busy (storage)`; `cause not known` when no rule fired.
[[nodiscard]] std::string cause(const Incident& incident);

/// `open`, `closed`, `excluded`, `explained`; `repaired` when that is why it is closed.
[[nodiscard]] std::string_view status(const Incident& incident);

/// The whole diagnosis in one sentence: `s2 is sick: disk-busy (storage) since 19:22:36Z, confirmed`.
[[nodiscard]] std::string verdict(const Diagnosis& diagnosis);

/// The same of one incident that is read alone, with the date: `s2 is sick: disk-busy (storage) since
/// 2026-11-20 19:22:36Z, confirmed`.
[[nodiscard]] std::string verdict(const Incident& incident);

/// The same without causes and times when there are several incidents, for where those follow at once:
/// `3 incidents, 2 confirmed: controller ddn12, fs7, fs9`.
[[nodiscard]] std::string headline(const Diagnosis& diagnosis);

/// `since 19:22:36Z, faulty since 19:23:40Z, over at 19:25:20Z (2m44s)`.
[[nodiscard]] std::string course(const Incident& incident, const Clockface& clock);

/// `142 ms, peers 18.3 ms (7.8x)`; empty when neither level is known.
[[nodiscard]] std::string levels(const Evidence& evidence);

/// `cdf 9.1 > 2.4, score 3.8`.
[[nodiscard]] std::string measure(const Evidence& evidence);

/// `logs of metadata server mds1: 12 lines say that a disk failed`, for evidence that is of no metric.
[[nodiscard]] std::string other_evidence(const Evidence& evidence);

/// `5 windows, 19:22:36Z to 19:25:20Z`; empty without windows.
[[nodiscard]] std::string windows(const Evidence& evidence, const Clockface& clock);

/// `s3 is 15 s ahead of its peers, give or take 0.5 s, from 19:22:36Z to …: …`, one per clock that is off.
[[nodiscard]] std::vector<std::string> skewed_clocks(const Clocks& clocks, const Clockface& clock);

/// `7 agree, unknown of 2: s1, s4`; empty when clocks were not looked at.
[[nodiscard]] std::string other_clocks(const Clocks& clocks);

/// `9 hosts, 9 components; lab preset, cdf distance, trained thresholds`.
[[nodiscard]] std::vector<std::string> circumstances(const Diagnosis& diagnosis);

}  // namespace laggard::report
