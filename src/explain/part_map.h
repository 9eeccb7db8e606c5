#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "model/grouping.h"
#include "model/incident.h"

namespace laggard::explain {

inline constexpr std::size_t kGroupKinds = 4;

/// The parts of the system that may be to blame, and which components run through each.
class PartMap {
 public:
  struct Entry {
    Part part;
    std::vector<std::size_t> components;
    /// Per GroupKind, those of them that are expected to serve while all is well: all but the attachments
    /// after the primary.
    std::array<std::size_t, kGroupKinds> expected{};
  };

  explicit PartMap(const Grouping& grouping);

  [[nodiscard]] const std::vector<Entry>& parts() const { return parts_; }
  [[nodiscard]] const std::vector<std::size_t>& parts_of(std::size_t component) const {
    return of_[component];
  }
  [[nodiscard]] std::size_t kind_of(std::size_t component) const { return kinds_[component]; }
  [[nodiscard]] bool is_expected(std::size_t component) const { return expected_[component]; }

 private:
  std::vector<Entry> parts_;                  ///< In the order of Part.
  std::vector<std::vector<std::size_t>> of_;  ///< Per component.
  std::vector<std::size_t> kinds_;            ///< In what kind of group each component is compared.
  std::vector<bool> expected_;
};

/// How much of one part is affected at one time.
///
/// all        components that are expected to serve, and those that are affected although they are not: of
///            the eight attachments of a LUN seven never carry load, and say nothing about what they share
/// share      affected / all, the largest over the kinds of group: a server whose only disk is slow is as
///            suspect as one whose disk, interface and connections all are
/// gain       affected of all kinds - (all - affected, of the kind with the largest share) / 4
/// may blame  share above 1/2, and two components for parts beyond a LUN or a server; or, of such parts,
///            five components and a share above 1/4: that many at once are no coincidence (T §6.4.1)
class Tally {
 public:
  void add(const PartMap& map, std::size_t component) { count(map, component, 1); }
  void remove(const PartMap& map, std::size_t component) { count(map, component, -1); }

  [[nodiscard]] std::size_t affected() const;
  [[nodiscard]] double share(const PartMap::Entry& part) const;
  [[nodiscard]] double gain(const PartMap::Entry& part) const;
  [[nodiscard]] bool may_blame(const PartMap::Entry& part) const;

 private:
  void count(const PartMap& map, std::size_t component, int by);
  struct Best {
    double share = 0;
    double unaffected = 0;
  };
  [[nodiscard]] Best best(const PartMap::Entry& part) const;

  std::array<int, kGroupKinds> affected_{};
  std::array<int, kGroupKinds> unexpected_{};  ///< Those of them that nobody expected to serve.
};

}  // namespace laggard::explain
