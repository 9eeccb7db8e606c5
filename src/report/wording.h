#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/diagnosis.h"
#include "report/quantity.h"

/// The sentences that text and HTML share, so that both say the same thing. Nothing here is escaped; text and
/// HTML each escape what they are given.
namespace laggard::report {

/// `s2`, `disk fs3/sdb`, `load balancer lb1`. A server goes without its kind.
[[nodiscard]] std::string blamed(const Part& blame);

/// `disk-busy (storage)`; `cause not known` when no rule fired.
[[nodiscard]] std::string cause(const Incident& incident);

/// `open`, `closed`, `excluded`, `explained`; `repaired` when that is why it is closed.
[[nodiscard]] std::string_view status(const Incident& incident);

/// The whole diagnosis in one sentence: `s2 is sick: disk-busy (storage) since 19:22:36Z, confirmed`.
[[nodiscard]] std::string verdict(const Diagnosis& diagnosis);

/// The verdict on one incident that is read by itself, with the date: `s2 is sick: disk-busy (storage) since
/// 2026-11-20 19:22:36Z, confirmed`.
[[nodiscard]] std::string verdict(const Incident& incident);

/// The verdict without causes and times when there are several incidents, for where those follow at once:
/// `3 incidents, 2 confirmed: controller ddn12, fs7, fs9`.
[[nodiscard]] std::string headline(const Diagnosis& diagnosis);

/// `its peers move 62 % less than just before: 1.02 MB/s each instead of 2.67 MB/s`
[[nodiscard]] std::string impact(const Impact& impact);

/// `interfaces: since 19:22:36Z each of the 9 moves 62 % less than just before, 1.02 MB/s instead of 2.67
/// MB/s, and clients wait for answers as before`
[[nodiscard]] std::string sentence(const Slowdown& slowdown, const Clockface& clock);

/// `disks, await: since 19:22:36Z 5 are at 1.2 s (s1/sda, …), 4 at 110 ms (s6/sda, …); only the former share
/// switch sw1`
[[nodiscard]] std::string sentence(const Camps& camps, const Clockface& clock);

/// One sentence for each, in the order of the diagnosis.
[[nodiscard]] std::vector<std::string> all_slow(const Diagnosis& diagnosis, const Clockface& clock);
[[nodiscard]] std::vector<std::string> two_camps(const Diagnosis& diagnosis, const Clockface& clock);

/// `19:22:36Z, faulty from 19:23:40Z, until 19:25:20Z (2m44s)`; while it lasts `…, last seen 19:25:20Z`.
[[nodiscard]] std::string course(const Incident& incident, const Clockface& clock);

/// `s3 is 15 s ahead of its peers, give or take 0.5 s, from 19:22:36Z to …: …`, one sentence for each
/// clock that is off.
[[nodiscard]] std::vector<std::string> skewed_clocks(const Clocks& clocks, const Clockface& clock);

/// `7 agree, unknown of 2: s1, s4`; empty when clocks were not looked at.
[[nodiscard]] std::string other_clocks(const Clocks& clocks);

/// `36 components`; `36 components (20 judged and 4 idle)` where not all were judged.
[[nodiscard]] std::string judged_components(const Coverage& coverage);

/// When and how was judged: `9 hosts`, `9 components`, `lab preset`, `cdf distance`, `trained thresholds`.
[[nodiscard]] std::vector<std::string> circumstances(const Diagnosis& diagnosis);

}  // namespace laggard::report
