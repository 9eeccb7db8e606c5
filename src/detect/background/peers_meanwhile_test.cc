#include "detect/background/peers_meanwhile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>

#include "testing/property.h"
#include "testing/samples.h"

namespace laggard::detect {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing_support::second;

constexpr double kExact = 1e-9;

TEST(CommonWork, CountsThePeersThatAreAtItMeanwhile) {
  const std::vector<PeerWork> pieces{{{second(0), second(100)}, {"scrub"}},
                                     {{second(50), second(150)}, {"scrub"}},
                                     {{second(75), second(85)}, {"scrub"}},
                                     {{second(500), second(500)}, {"scrub"}}};
  EXPECT_THAT(peers_meanwhile(pieces), ElementsAre(DoubleNear(0.6, kExact), DoubleNear(0.6, kExact),
                                                   DoubleNear(2, kExact), DoubleNear(0, kExact)));
  EXPECT_THAT(peers_meanwhile({}), IsEmpty());
}

TEST(CommonWork, LessWorkIsNotTheSame) {
  const std::vector<PeerWork> pieces{{{second(0), second(10)}, {"scrub", "backfill"}},
                                     {{second(0), second(10)}, {"scrub"}}};
  EXPECT_THAT(peers_meanwhile(pieces), ElementsAre(DoubleNear(0, kExact), DoubleNear(1, kExact)));
}

TEST(CommonWork, IsItsDefinition) {
  expect_property("the sum of overlaps over the length", [] {
    std::vector<PeerWork> pieces;
    for (int i = *rc::gen::inRange(1, 12); i > 0; --i) {
      const int from = *rc::gen::inRange(0, 1000);
      PeerWork piece{{second(from), second(from + *rc::gen::inRange(1, 300))}, {}};
      for (const std::string_view name : {"scrub", "recovery"}) {
        if (*rc::gen::arbitrary<bool>()) piece.names.push_back(name);
      }
      pieces.push_back(piece);
    }
    const std::vector<double> counts = peers_meanwhile(pieces);
    const auto has = [](const PeerWork& piece, std::string_view name) {
      return std::ranges::find(piece.names, name) != piece.names.end();
    };
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      double wanted = 0;
      for (std::size_t j = 0; j < pieces.size(); ++j) {
        const bool same =
            std::ranges::all_of(pieces[i].names, [&](std::string_view name) { return has(pieces[j], name); });
        const Duration overlap = std::min(pieces[i].span.to, pieces[j].span.to) -
                                 std::max(pieces[i].span.from, pieces[j].span.from);
        if (i == j || !same || overlap < Duration::zero()) continue;
        wanted += static_cast<double>(overlap.count()) /
                  static_cast<double>((pieces[i].span.to - pieces[i].span.from).count());
      }
      RC_ASSERT(std::abs(counts[i] - wanted) < 1e-6);
    }
  });
}

}  // namespace
}  // namespace laggard::detect
