#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "model/finding.h"
#include "model/grouping.h"
#include "model/incident.h"

namespace laggard::explain {

/// Subjects are counted by their kind: components by that of their groups, other parts that findings are
/// about by their own. Of the latter all after the seventh are counted together.
inline constexpr std::size_t kMostKinds = kGroupKinds + 8;

/// Tells apart what findings are about: components by their index, other parts after them.
using SubjectKey = std::tuple<std::size_t, PartKind, std::string_view>;
[[nodiscard]] SubjectKey subject_key(const Finding& finding);
/// Name of what a finding is about.
[[nodiscard]] const std::string& subject_name(const Grouping& grouping, const Finding& finding);

/// The parts of the system that may be to blame, and which *subjects* run through each: the components, and
/// after them other parts that findings are about, such as a metadata server, a switch, a client's process.
class PartMap {
 public:
  struct Entry {
    Part part;
    std::vector<std::size_t> subjects;
    /// Per kind, those of them that are expected to serve while all is well: all components but the
    /// attachments after the primary; of other parts all that the graph knows, whether anything was found
    /// about them or not, or those that were found and one more where it knows none of them.
    std::vector<std::size_t> expected;
    bool accused = false;  ///< A finding is about the part itself.
  };

  explicit PartMap(const Grouping& grouping, std::span<const Finding> findings = {});

  [[nodiscard]] const std::vector<Entry>& parts() const { return parts_; }
  /// What a finding of those that the map was made of is about.
  [[nodiscard]] std::size_t subject_of(const Finding& finding) const;
  [[nodiscard]] const std::vector<std::size_t>& parts_of(std::size_t subject) const { return of_[subject]; }
  [[nodiscard]] std::size_t kind_of(std::size_t subject) const { return kinds_[subject]; }
  /// Whether all of the subjects run through the part.
  [[nodiscard]] bool runs_through(std::span<const std::size_t> subjects, const Part& part) const;
  [[nodiscard]] bool is_expected(std::size_t subject) const { return expected_[subject]; }
  /// Of a LUN that others reach, too: when it is lost, its load moves to them.
  [[nodiscard]] bool is_attachment(std::size_t subject) const { return attachments_[subject]; }

 private:
  void add_others(const Grouping& grouping, std::span<const Finding> findings,
                  std::map<Part, std::vector<std::size_t>>& subjects);
  void expect_others(const Grouping& grouping);
  [[nodiscard]] std::size_t kind_index(PartKind kind);

  std::vector<Entry> parts_;                  ///< In the order of Part.
  std::vector<std::vector<std::size_t>> of_;  ///< Per subject.
  std::vector<std::size_t> kinds_;            ///< Of each subject.
  std::vector<bool> expected_;
  std::vector<bool> attachments_;
  std::map<Part, std::size_t> others_;  ///< Parts that findings are about, as subjects.
  std::vector<Part> unknown_;           ///< Those of them that the graph does not know.
  std::vector<PartKind> other_kinds_;   ///< From kGroupKinds on.
};

/// How much of one part is affected at one time.
///
/// all        components that are expected to serve, and those that are affected although they are not: of
///            the eight attachments of a LUN seven never carry load, and say nothing about what they share
/// share      affected / all, the largest over the kinds of group: a server whose only disk is slow is as
///            suspect as one whose disk, interface and connections all are
/// gain       affected of all kinds - (all - affected, of the kind with the largest share) / 4
/// may blame  share above 1/2, and two components for parts beyond a LUN or a server, unless a finding is
///            about the part itself; or, of such parts, five components and a share above 1/4: that many at
///            once are no coincidence (T §6.4.1). Of what connects hosts (switches, routers, load balancers,
///            networks) two of one kind and a share of 3/4: whoever is well behind it speaks against it
class Tally {
 public:
  void add(const PartMap& map, std::size_t subject) { count(map, subject, 1); }
  void remove(const PartMap& map, std::size_t subject) { count(map, subject, -1); }
  /// A subject that is expected to serve, and says nothing about its parts: it is not among all.
  void excuse(const PartMap& map, std::size_t subject) { excused_[map.kind_of(subject)] += 1; }
  void accuse(const PartMap& map, std::size_t subject) { excused_[map.kind_of(subject)] -= 1; }

  [[nodiscard]] std::size_t affected() const;
  [[nodiscard]] double share(const PartMap::Entry& part) const;
  [[nodiscard]] double gain(const PartMap::Entry& part) const;
  [[nodiscard]] bool may_blame(const PartMap::Entry& part) const;

 private:
  void count(const PartMap& map, std::size_t subject, int by);
  struct Best {
    double share = 0;
    double affected = 0;
    double unaffected = 0;
  };
  [[nodiscard]] Best best(const PartMap::Entry& part) const;

  std::array<int, kMostKinds> affected_{};
  std::array<int, kMostKinds> unexpected_{};  ///< Those of them that nobody expected to serve.
  std::array<int, kMostKinds> excused_{};
};

}  // namespace laggard::explain
