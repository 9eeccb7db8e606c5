#include "model/parts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/property.h"

namespace laggard {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAreArray;

TEST(PartKinds, AreRowsOfOneTableWithNamesOfTheirOwn) {
  for (std::size_t row = 0; row < part_kinds().size(); ++row) {
    const PartKind kind(static_cast<std::uint8_t>(row));
    EXPECT_EQ(find_part_kind(to_name(kind)), kind) << to_name(kind);
    EXPECT_FALSE(kind.spec().title.empty()) << to_name(kind);
    EXPECT_EQ(kind.spec().title.find('_'), std::string_view::npos) << "sentences have no underscores";
  }
  EXPECT_EQ(to_name(PartKind::kMetadataServer), "metadata_server");
  EXPECT_EQ(to_name(PartKind::kRouter), "router");
  EXPECT_EQ(find_part_kind("pdu"), std::nullopt);
}

TEST(PartGraph, WhatAPartNeedsIsToldNearestFirstAndPairsAreNotNeeded) {
  PartGraph parts;
  const PartId attachment = parts.add({PartKind::kAttachment, "a"});
  const PartId lun = parts.add({PartKind::kLun, "l"});
  const PartId server = parts.add({PartKind::kServer, "s"});
  const PartId controller = parts.add({PartKind::kController, "c1"});
  const PartId twin = parts.add({PartKind::kController, "c2"});
  const PartId array = parts.add({PartKind::kArray, "x"});
  parts.connect(attachment, EdgeKind::kRunsThrough, lun);
  parts.connect(attachment, EdgeKind::kRunsThrough, server);
  parts.connect(attachment, EdgeKind::kRunsThrough, controller);
  parts.connect(lun, EdgeKind::kMemberOf, array);
  parts.connect(lun, EdgeKind::kOwnedBy, twin);
  parts.connect(controller, EdgeKind::kPairsWith, twin);
  parts.connect(controller, EdgeKind::kMemberOf, array);
  EXPECT_THAT(parts.needs(attachment), ElementsAre(attachment, lun, server, controller, array));
  EXPECT_EQ(parts.nearest(attachment, PartKind::kArray), &parts[array]);
  EXPECT_EQ(parts.nearest(server, PartKind::kArray), nullptr);
  EXPECT_THAT(parts.edges_of(twin), ElementsAre(PartGraph::Edge{EdgeKind::kPairsWith, controller}));
  EXPECT_EQ(parts.add({PartKind::kLun, "l"}), lun) << "a part is one however often it is named";
  EXPECT_NE(parts.add({PartKind::kDisk, "l"}), lun);
  EXPECT_EQ(parts.find(PartKind::kServer, "t"), std::nullopt);
}

/// Against reachability by repeated squaring of the relation, on graphs with cycles.
TEST(PartGraph, NeedsIsReachability) {
  expect_property("needs is reachability", [] {
    const std::size_t n = *rc::gen::inRange<std::size_t>(1, 9);
    PartGraph parts;
    for (std::size_t i = 0; i < n; ++i) parts.add({PartKind::kServer, std::to_string(i)});
    std::vector<std::vector<bool>> reach(n, std::vector<bool>(n, false));
    for (std::size_t i = 0; i < n; ++i) reach[i][i] = true;
    const std::size_t edges = *rc::gen::inRange<std::size_t>(0, 2 * n);
    for (std::size_t e = 0; e < edges; ++e) {
      const std::size_t from = *rc::gen::inRange<std::size_t>(0, n);
      const std::size_t to = *rc::gen::inRange<std::size_t>(0, n);
      const auto kind = static_cast<EdgeKind>(*rc::gen::inRange(0, 5));
      parts.connect(PartId{static_cast<std::uint32_t>(from)}, kind, PartId{static_cast<std::uint32_t>(to)});
      const bool is_needed = kind != EdgeKind::kPairsWith && kind != EdgeKind::kOwnedBy;
      if (is_needed) reach[from][to] = true;
    }
    for (std::size_t k = 0; k < n; ++k) {
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) reach[i][j] = reach[i][j] || (reach[i][k] && reach[k][j]);
      }
    }
    for (std::uint32_t i = 0; i < n; ++i) {
      std::vector<PartId> expected;
      for (std::uint32_t j = 0; j < n; ++j) {
        if (reach[i][j]) expected.push_back(PartId{j});
      }
      RC_ASSERT(::testing::Value(parts.needs(PartId{i}), UnorderedElementsAreArray(expected)));
    }
  });
}

}  // namespace
}  // namespace laggard
